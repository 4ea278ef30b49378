CREATE TABLE `key_observations` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`denied` integer NOT NULL,
	`last_at` integer NOT NULL,
	`addresses` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `request_blocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`count` integer NOT NULL,
	`classes` integer NOT NULL,
	`lines` blob NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `request_blocks_time` ON `request_blocks` (`to_at`);