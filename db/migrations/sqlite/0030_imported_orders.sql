ALTER TABLE `orders` ADD `imported` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `orders_imported` ON `orders` (`created_at`,`id`) WHERE imported = true;