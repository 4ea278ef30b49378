-- additive
CREATE TABLE `floor_devices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`warehouse_id` integer NOT NULL,
	`hash` text,
	`link_hash` text,
	`link_expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "floor_devices_linked" CHECK((link_hash is null) = (link_expires_at is null)),
	CONSTRAINT "floor_devices_revoked" CHECK(revoked_at is null or (hash is null and link_hash is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `floor_devices_hash` ON `floor_devices` (`hash`) WHERE hash is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `floor_devices_link` ON `floor_devices` (`link_hash`) WHERE link_hash is not null;--> statement-breakpoint
CREATE TABLE `badges` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`hash` text,
	`made_at` integer,
	`pin_hash` text,
	`pin_is_temporary` integer NOT NULL,
	`attempts` integer NOT NULL,
	`last_attempt_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "badges_made" CHECK((hash is null) = (made_at is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `badges_hash` ON `badges` (`hash`) WHERE hash is not null;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device_id` integer REFERENCES floor_devices(id);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_device` ON `sessions` (`device_id`) WHERE device_id is not null