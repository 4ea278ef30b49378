ALTER TABLE `subscriptions` ADD `is_ending` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `backlog_skipped` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `backlog_skipped_at` integer;--> statement-breakpoint
CREATE INDEX `subscriptions_ending` ON `subscriptions` (`id`) WHERE is_ending;