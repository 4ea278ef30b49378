-- additive
CREATE TABLE `platform_import_parts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`import_id` integer NOT NULL,
	`part` integer NOT NULL,
	`destination` text NOT NULL,
	`order_id` integer NOT NULL,
	`seen` text,
	`lines` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`import_id`) REFERENCES `platform_imports`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_import_parts_part` ON `platform_import_parts` (`import_id`,`part`);--> statement-breakpoint
CREATE UNIQUE INDEX `platform_import_parts_order` ON `platform_import_parts` (`order_id`);