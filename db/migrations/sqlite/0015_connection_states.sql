-- additive
CREATE TABLE `platform_states` (
	`connection_id` integer PRIMARY KEY NOT NULL,
	`access_token` text,
	`token_issued_at` integer,
	`token_expires_at` integer,
	`token_scopes` text,
	`token_claimed_until` integer,
	`token_error` text,
	`token_failed_at` integer,
	`fetched_at` integer,
	`fetch_error` text,
	`fetch_failed_at` integer,
	`addresses_hidden_at` integer,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `platform_connections` ADD `client_id` text;