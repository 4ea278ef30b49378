CREATE TABLE `manifest_labels` (
	`label_id` integer PRIMARY KEY NOT NULL,
	`manifest_id` integer NOT NULL,
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`manifest_id`) REFERENCES `manifests`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `manifest_labels_manifest` ON `manifest_labels` (`manifest_id`,`label_id`);--> statement-breakpoint
CREATE TABLE `manifests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`carrier` text NOT NULL,
	`day` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "manifests_day" CHECK(length(day) = 10)
) STRICT;
--> statement-breakpoint
CREATE INDEX `labels_created` ON `labels` (`created_at`,`id`);