CREATE TABLE `audit_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at` integer NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`world` text NOT NULL,
	`action` text NOT NULL,
	`targets` text NOT NULL,
	`request_id` text,
	`ip` text,
	`status` integer,
	`facts` text NOT NULL,
	CONSTRAINT "audit_entries_world" CHECK(world in ('live', 'test'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_entries_time` ON `audit_entries` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor` ON `audit_entries` (`actor_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_action` ON `audit_entries` (`action`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `audit_targets` (
	`target` text NOT NULL,
	`entry_id` integer NOT NULL,
	PRIMARY KEY(`target`, `entry_id`),
	FOREIGN KEY (`entry_id`) REFERENCES `audit_entries`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_targets_entry` ON `audit_targets` (`entry_id`);