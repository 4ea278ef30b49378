-- additive
ALTER TABLE `erasures` ADD `began_at` integer;--> statement-breakpoint
ALTER TABLE `erasures` ADD `began_after` integer;--> statement-breakpoint
ALTER TABLE `retention_settings` ADD `round_at` integer;--> statement-breakpoint
ALTER TABLE `retention_settings` ADD `round_id` integer;--> statement-breakpoint
CREATE INDEX `returns_email` ON `returns` (lower("customer_email")) WHERE customer_email is not null;