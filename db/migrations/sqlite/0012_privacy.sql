-- additive
CREATE TABLE `erasures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`status` text NOT NULL,
	`customers` text NOT NULL,
	`terms` text,
	`email` text,
	`after_days` integer,
	`next_at` integer,
	`step` text,
	`place` text NOT NULL,
	`erased` text NOT NULL,
	`receivers` text NOT NULL,
	`asked_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erasures_status" CHECK(status = 'waiting' or status = 'running' or status = 'done'),
	CONSTRAINT "erasures_finished" CHECK((status = 'done') = (finished_at is not null)),
	CONSTRAINT "erasures_next" CHECK((status = 'done') = (next_at is null)),
	CONSTRAINT "erasures_forgotten" CHECK(status <> 'done' or (terms is null and email is null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `erasures_created` ON `erasures` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `erasures_due` ON `erasures` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `retention_settings` (
	`kind` text PRIMARY KEY NOT NULL,
	`days` integer,
	`swept_until` integer
) STRICT;
--> statement-breakpoint
ALTER TABLE `customers` ADD `erased_at` integer;