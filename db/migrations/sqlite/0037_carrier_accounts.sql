CREATE TABLE `carrier_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`connector` text NOT NULL,
	`name` text NOT NULL,
	`credentials` text,
	`credentials_digest` text,
	`callback_secret` text,
	`previous_callback_secret` text,
	`previous_callback_secret_expires_at` integer,
	`status` text NOT NULL,
	`carriers` text NOT NULL,
	`checked_at` integer,
	`check_code` text,
	`check_message` text,
	`version` integer NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "carrier_accounts_status" CHECK(status in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_accounts_key` ON `carrier_accounts` (`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_accounts_credentials` ON `carrier_accounts` (`credentials_digest`);--> statement-breakpoint
CREATE INDEX `carrier_accounts_created` ON `carrier_accounts` (`created_at`,`id`);