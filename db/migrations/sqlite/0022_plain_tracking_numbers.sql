-- Tracking numbers get the one form in which they are looked up: A to Z large, without spaces and dashes; what was
-- nothing but dashes is none. Numbers of two parcels that become equal stay so, and the newer parcel is the one found.
UPDATE `shipments` SET `tracking_number` = (
  SELECT nullif(upper(group_concat(c, '')), '') FROM (
    WITH RECURSIVE letters(place, c) AS (
      SELECT 1, substr(`tracking_number`, 1, 1)
      UNION ALL SELECT place + 1, substr(`tracking_number`, place + 1, 1) FROM letters WHERE place < length(`tracking_number`)
    )
    SELECT c FROM letters WHERE unicode(c) NOT IN (
      9, 10, 11, 12, 13, 32, 45, 160, 173, 1418, 1470, 5120, 5760, 6150, 8192, 8193, 8194, 8195, 8196,
      8197, 8198, 8199, 8200, 8201, 8202, 8203, 8204, 8205, 8208, 8209, 8210, 8211, 8212, 8213, 8232,
      8233, 8239, 8287, 8288, 8722, 11799, 11802, 11834, 11835, 11840, 11869, 12288, 12316, 12336, 12448,
      65073, 65074, 65112, 65123, 65279, 65293, 69293
    ) ORDER BY place
  )
)
WHERE `tracking_number` glob '*[^0-9A-Z]*' or `tracking_number` = '';
--> statement-breakpoint
UPDATE `tracking_records` SET `tracking_number` = (SELECT s.tracking_number FROM `shipments` s WHERE s.id = `shipment_id`)
WHERE `tracking_number` <> (SELECT s.tracking_number FROM `shipments` s WHERE s.id = `shipment_id`);
--> statement-breakpoint
UPDATE `returns` SET `return_shipping` = json_set(`return_shipping`, '$.tracking_number', (
  SELECT nullif(upper(group_concat(c, '')), '') FROM (
    WITH RECURSIVE letters(place, c) AS (
      SELECT 1, substr((`return_shipping` ->> 'tracking_number'), 1, 1)
      UNION ALL SELECT place + 1, substr((`return_shipping` ->> 'tracking_number'), place + 1, 1) FROM letters WHERE place < length((`return_shipping` ->> 'tracking_number'))
    )
    SELECT c FROM letters WHERE unicode(c) NOT IN (
      9, 10, 11, 12, 13, 32, 45, 160, 173, 1418, 1470, 5120, 5760, 6150, 8192, 8193, 8194, 8195, 8196,
      8197, 8198, 8199, 8200, 8201, 8202, 8203, 8204, 8205, 8208, 8209, 8210, 8211, 8212, 8213, 8232,
      8233, 8239, 8287, 8288, 8722, 11799, 11802, 11834, 11835, 11840, 11869, 12288, 12316, 12336, 12448,
      65073, 65074, 65112, 65123, 65279, 65293, 69293
    ) ORDER BY place
  )
))
WHERE (`return_shipping` ->> 'tracking_number') glob '*[^0-9A-Z]*' or (`return_shipping` ->> 'tracking_number') = '';
--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_shipments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`carrier` text,
	`service` text,
	`tracking_number` text,
	`tracking_url` text,
	`created_at` integer NOT NULL,
	`shipped_at` integer,
	`delivered_at` integer,
	`untold` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "shipments_status" CHECK(status in ('pending', 'shipped', 'delivered', 'returned', 'voided')),
	CONSTRAINT "shipments_tracking_number" CHECK(not (tracking_number glob '*[a-z -]*') and tracking_number <> '')
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_shipments`("id", "order_id", "status", "carrier", "service", "tracking_number", "tracking_url", "created_at", "shipped_at", "delivered_at", "untold") SELECT "id", "order_id", "status", "carrier", "service", "tracking_number", "tracking_url", "created_at", "shipped_at", "delivered_at", "untold" FROM `shipments`;--> statement-breakpoint
DROP TABLE `shipments`;--> statement-breakpoint
ALTER TABLE `__new_shipments` RENAME TO `shipments`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `shipments_order` ON `shipments` (`order_id`);--> statement-breakpoint
CREATE INDEX `shipments_untold` ON `shipments` (`id`) WHERE untold;--> statement-breakpoint
CREATE INDEX `shipments_tracking` ON `shipments` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
DROP INDEX `tracking_records_number`;--> statement-breakpoint
DROP INDEX `tracking_records_shipment`;--> statement-breakpoint
CREATE INDEX `tracking_records_number` ON `tracking_records` (`tracking_number`);--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_shipment` ON `tracking_records` (`shipment_id`);