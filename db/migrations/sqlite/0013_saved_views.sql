-- additive
CREATE TABLE `saved_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`list` text NOT NULL,
	`user_id` integer NOT NULL,
	`merchant_id` integer,
	`name` text NOT NULL,
	`params` text NOT NULL,
	`is_shared` integer NOT NULL,
	`position` integer NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `saved_views_user` ON `saved_views` (`user_id`);--> statement-breakpoint
CREATE INDEX `saved_views_merchant` ON `saved_views` (`merchant_id`);