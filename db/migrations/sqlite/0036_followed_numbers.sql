CREATE TABLE `carrier_callbacks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`received_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_callbacks_event` ON `carrier_callbacks` (`account_id`,`event_id`);--> statement-breakpoint
CREATE INDEX `carrier_callbacks_account` ON `carrier_callbacks` (`account_id`,`received_at`);--> statement-breakpoint
CREATE INDEX `carrier_callbacks_received` ON `carrier_callbacks` (`received_at`);--> statement-breakpoint
CREATE TABLE `waiting_updates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`tracking_number` text NOT NULL,
	`told` blob NOT NULL,
	`received_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `waiting_updates_number` ON `waiting_updates` (`tracking_number`);--> statement-breakpoint
CREATE INDEX `waiting_updates_received` ON `waiting_updates` (`received_at`);--> statement-breakpoint
ALTER TABLE `returns` ADD `tracking_number` text;--> statement-breakpoint
CREATE INDEX `returns_tracking` ON `returns` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `order_id` integer;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `account_id` integer;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `tracking_url` text;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `estimated_at` integer;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `followed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `taken_up` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `look_at` integer;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `look_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_followed` ON `tracking_records` (`tracking_number`) WHERE followed;--> statement-breakpoint
CREATE INDEX `tracking_records_order` ON `tracking_records` (`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `tracking_records_look` ON `tracking_records` (`account_id`,`look_at`) WHERE look_at is not null;--> statement-breakpoint
UPDATE `returns` SET `tracking_number` = json_extract(`return_shipping`, '$.tracking_number');
