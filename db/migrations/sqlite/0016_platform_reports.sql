CREATE TABLE `platform_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`shipment_id` integer NOT NULL,
	`lines` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer,
	`give_up_at` integer NOT NULL,
	`external_id` text,
	`last_error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`reported_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_reports_status" CHECK(status in ('queued', 'reported', 'skipped', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_reports_shipment` ON `platform_reports` (`shipment_id`);--> statement-breakpoint
CREATE INDEX `platform_reports_order` ON `platform_reports` (`order_id`,`id`);--> statement-breakpoint
CREATE INDEX `platform_reports_connection` ON `platform_reports` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_reports_queued` ON `platform_reports` (`next_at`) WHERE status = 'queued';--> statement-breakpoint
ALTER TABLE `shipments` ADD `untold` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `shipments_untold` ON `shipments` (`id`) WHERE untold;