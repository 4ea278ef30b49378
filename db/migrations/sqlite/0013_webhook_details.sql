ALTER TABLE `events` ADD `previous` text;--> statement-breakpoint
ALTER TABLE `notices` ADD `acknowledged_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` DROP COLUMN `window_started_at`;--> statement-breakpoint
ALTER TABLE `subscriptions` DROP COLUMN `window_attempts`;--> statement-breakpoint
ALTER TABLE `subscriptions` DROP COLUMN `window_failures`;