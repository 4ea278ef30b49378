-- additive
CREATE TABLE `held_claims` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`server_id` integer NOT NULL,
	`kind` text NOT NULL,
	`ids` text NOT NULL,
	`until` integer NOT NULL,
	`rest_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `held_claims_server` ON `held_claims` (`server_id`);--> statement-breakpoint
CREATE INDEX `held_claims_until` ON `held_claims` (`until`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`version` text NOT NULL,
	`schema` text NOT NULL,
	`host` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`beats` integer NOT NULL,
	`draining` integer NOT NULL
) STRICT;