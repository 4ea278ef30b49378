-- breaking: the version before would record no billable facts of what it does
CREATE TABLE `billable_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`kind` text NOT NULL,
	`act` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`business_date` text NOT NULL,
	`quantity` integer NOT NULL,
	`unit` text NOT NULL,
	`source_type` text NOT NULL,
	`source_id` integer NOT NULL,
	`source_line` integer NOT NULL,
	`source_version` integer NOT NULL,
	`attributes` text NOT NULL,
	`reversal_of` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "billable_events_unit" CHECK(unit = 'unit' or unit = 'place' or unit = 'label' or unit = 'minute'),
	CONSTRAINT "billable_events_source_type" CHECK(source_type = 'movement' or source_type = 'receipt' or source_type = 'transfer' or source_type = 'count' or source_type = 'order' or source_type = 'label' or source_type = 'return' or source_type = 'billable_event'),
	CONSTRAINT "billable_events_quantity" CHECK((quantity < 0) = (reversal_of is not null) and quantity <> 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `billable_events_source` ON `billable_events` (`source_id`,`act`,`source_line`,`source_version`,`warehouse_id`,`merchant_id`) WHERE reversal_of is null;--> statement-breakpoint
CREATE UNIQUE INDEX `billable_events_reversal` ON `billable_events` (`reversal_of`) WHERE reversal_of is not null;--> statement-breakpoint
CREATE INDEX `billable_events_day` ON `billable_events` (`business_date`,`id`,`merchant_id`);--> statement-breakpoint
CREATE TABLE `billing_start` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`began_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `storage_closes` (
	`warehouse_id` integer NOT NULL,
	`business_date` text NOT NULL,
	`began_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`last_movement_id` integer NOT NULL,
	`next_movement_id` integer NOT NULL,
	`closed_at` integer,
	PRIMARY KEY(`warehouse_id`, `business_date`),
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `storage_days` (
	`business_date` text NOT NULL,
	`stock_item_id` integer NOT NULL,
	`merchant_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`lot_id` integer,
	`bin_id` integer NOT NULL,
	`units_at_close` integer NOT NULL,
	`units_peak` integer NOT NULL,
	`unit_volume_cm3` integer,
	`temperature_zone` text NOT NULL,
	`oldest_receipt_date` text NOT NULL,
	PRIMARY KEY(`business_date`, `stock_item_id`),
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`stock_item_id`) REFERENCES `stock_items`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "storage_days_temperature_zone" CHECK(temperature_zone = 'ambient' or temperature_zone = 'refrigerated' or temperature_zone = 'frozen'),
	CONSTRAINT "storage_days_units" CHECK(units_at_close between 0 and units_peak and units_peak > 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `storage_days_merchant` ON `storage_days` (`merchant_id`,`business_date`,`stock_item_id`);--> statement-breakpoint
CREATE INDEX `storage_days_warehouse` ON `storage_days` (`warehouse_id`,`business_date`);--> statement-breakpoint
CREATE TRIGGER `billable_events_act_new` BEFORE INSERT ON `billable_events` WHEN NEW.`act` <> 'stock.add' AND NEW.`act` <> 'receipt.close' AND NEW.`act` <> 'stock.move' AND NEW.`act` <> 'stock.put_away' AND NEW.`act` <> 'transfer.ship' AND NEW.`act` <> 'transfer.receive' AND NEW.`act` <> 'count.post' AND NEW.`act` <> 'order.pick' AND NEW.`act` <> 'order.pack' AND NEW.`act` <> 'order.give_up' AND NEW.`act` <> 'order.put_back' AND NEW.`act` <> 'label.buy' AND NEW.`act` <> 'label.void' AND NEW.`act` <> 'return.receive' AND NEW.`act` <> 'return.inspect' AND NEW.`act` <> 'project.add' BEGIN
  SELECT RAISE(ABORT, 'billable_events_act');
END;--> statement-breakpoint
CREATE TRIGGER `billable_events_act_changed` BEFORE UPDATE OF `act` ON `billable_events` WHEN NEW.`act` <> 'stock.add' AND NEW.`act` <> 'receipt.close' AND NEW.`act` <> 'stock.move' AND NEW.`act` <> 'stock.put_away' AND NEW.`act` <> 'transfer.ship' AND NEW.`act` <> 'transfer.receive' AND NEW.`act` <> 'count.post' AND NEW.`act` <> 'order.pick' AND NEW.`act` <> 'order.pack' AND NEW.`act` <> 'order.give_up' AND NEW.`act` <> 'order.put_back' AND NEW.`act` <> 'label.buy' AND NEW.`act` <> 'label.void' AND NEW.`act` <> 'return.receive' AND NEW.`act` <> 'return.inspect' AND NEW.`act` <> 'project.add' BEGIN
  SELECT RAISE(ABORT, 'billable_events_act');
END;--> statement-breakpoint
-- What was done for a merchant is never changed; what was wrong is taken back by a row of its own.
CREATE TRIGGER `billable_events_kept_update` BEFORE UPDATE ON `billable_events` BEGIN
  SELECT RAISE(ABORT, 'billable_events_kept');
END;--> statement-breakpoint
CREATE TRIGGER `billable_events_kept_delete` BEFORE DELETE ON `billable_events` BEGIN
  SELECT RAISE(ABORT, 'billable_events_kept');
END;--> statement-breakpoint
CREATE TRIGGER `storage_days_kept_update` BEFORE UPDATE ON `storage_days` BEGIN
  SELECT RAISE(ABORT, 'storage_days_kept');
END;--> statement-breakpoint
CREATE TRIGGER `storage_days_kept_delete` BEFORE DELETE ON `storage_days` BEGIN
  SELECT RAISE(ABORT, 'storage_days_kept');
END;--> statement-breakpoint
-- Acts of before this migration have no facts.
INSERT INTO `billing_start` (`id`, `began_at`)
  SELECT 1, CASE WHEN EXISTS (SELECT 1 FROM `movements`) THEN CAST(unixepoch('subsec') * 1000 AS INTEGER) ELSE 0 END;
