-- additive
CREATE TABLE `rate_quotes` (
	`id` text PRIMARY KEY NOT NULL,
	`merchant_id` integer,
	`content` blob NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_quotes_expiry` ON `rate_quotes` (`expires_at`);