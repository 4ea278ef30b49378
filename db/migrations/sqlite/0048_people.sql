CREATE TABLE `invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`hash` text NOT NULL,
	`invited_by_id` text NOT NULL,
	`invited_by_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	`user_id` integer,
	`mail_link` text,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	FOREIGN KEY (`role`) REFERENCES `roles`(`name`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "invitations_mail_status" CHECK(mail_status in ('none', 'waiting', 'sent', 'failed')),
	CONSTRAINT "invitations_ended" CHECK(accepted_at is null or revoked_at is null),
	CONSTRAINT "invitations_accepted" CHECK((accepted_at is null) = (user_id is null)),
	CONSTRAINT "invitations_mailed" CHECK((mail_status = 'waiting') = (mail_next_at is not null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash` ON `invitations` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_open` ON `invitations` (`email_key`) WHERE accepted_at is null and revoked_at is null;--> statement-breakpoint
CREATE INDEX `invitations_time` ON `invitations` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_mail` ON `invitations` (`mail_next_at`) WHERE mail_status = 'waiting';--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_hash` ON `recovery_codes` (`user_id`,`hash`);--> statement-breakpoint
CREATE TABLE `second_factors` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`confirmed_at` integer,
	`last_period` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
