-- breaking: the version before says of no record to whom it belongs
CREATE TABLE `merchants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`legal_name` text,
	`status` text NOT NULL,
	`currency` text NOT NULL,
	`timezone` text NOT NULL,
	`contact` text,
	`return_address` text,
	`ship_from_name` text,
	`may_buy_labels` integer DEFAULT false NOT NULL,
	`colour` text,
	`metadata` text DEFAULT '{}' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`suspended_at` integer,
	`closed_at` integer,
	CONSTRAINT "merchants_status" CHECK(status = 'active' or status = 'suspended' or status = 'closed')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `merchants_code` ON `merchants` (`code`);--> statement-breakpoint
-- The merchant to whom all belongs that is there. Its moments are none: the program tells them when it starts.
INSERT INTO `merchants` (`id`, `code`, `name`, `status`, `currency`, `timezone`, `created_at`, `updated_at`)
  SELECT 1, 'MAIN', 'Main', 'active', coalesce((SELECT `currency` FROM `products` ORDER BY `id` DESC LIMIT 1), 'USD'),
    coalesce((SELECT `timezone` FROM `warehouses` ORDER BY `priority`, `id` LIMIT 1), 'America/New_York'), 0, 0;--> statement-breakpoint
DROP TRIGGER `orders_counted_new`;--> statement-breakpoint
DROP TRIGGER `orders_counted_changed`;--> statement-breakpoint
DROP TRIGGER `orders_counted_gone`;--> statement-breakpoint
CREATE TABLE `__new_stock_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`bin_id` integer NOT NULL,
	`lot_id` integer,
	`on_hand` integer NOT NULL,
	`reserved` integer NOT NULL,
	`received_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`product_id`) REFERENCES `products`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "stock_items_on_hand" CHECK(on_hand between 0 and 1000000000),
	CONSTRAINT "stock_items_reserved" CHECK(reserved between 0 and on_hand)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_stock_items`("id", "merchant_id", "product_id", "warehouse_id", "bin_id", "lot_id", "on_hand", "reserved", "received_at", "updated_at") SELECT "id", 1, "product_id", "warehouse_id", "bin_id", "lot_id", "on_hand", "reserved", "received_at", "updated_at" FROM `stock_items`;--> statement-breakpoint
DROP TABLE `stock_items`;--> statement-breakpoint
ALTER TABLE `__new_stock_items` RENAME TO `stock_items`;--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_owned` ON `stock_items` (`merchant_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place` ON `stock_items` (`product_id`,`bin_id`,`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place_no_lot` ON `stock_items` (`product_id`,`bin_id`) WHERE lot_id is null;--> statement-breakpoint
CREATE INDEX `stock_items_held` ON `stock_items` (`product_id`) WHERE on_hand > 0;--> statement-breakpoint
CREATE INDEX `stock_items_bin` ON `stock_items` (`bin_id`);--> statement-breakpoint
CREATE INDEX `stock_items_lot` ON `stock_items` (`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE TABLE `__new_order_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`sku` text NOT NULL,
	`name` text NOT NULL,
	`components` text,
	`quantity` integer NOT NULL,
	`unit_price_cents` integer NOT NULL,
	`discount_cents` integer DEFAULT 0 NOT NULL,
	`quantity_packed` integer NOT NULL,
	`quantity_shipped` integer NOT NULL,
	`quantity_delivered` integer NOT NULL,
	`quantity_returned` integer NOT NULL,
	`quantity_cancelled` integer NOT NULL,
	`ordered_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`product_id`) REFERENCES `products`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_lines_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "order_lines_price" CHECK(unit_price_cents >= 0),
	CONSTRAINT "order_lines_discount" CHECK(discount_cents between 0 and quantity * unit_price_cents),
	CONSTRAINT "order_lines_counts" CHECK(0 <= quantity_returned and quantity_returned <= quantity_shipped and 0 <= quantity_delivered and quantity_delivered <= quantity_shipped and quantity_shipped <= quantity_packed and 0 <= quantity_cancelled and quantity_packed + quantity_cancelled <= quantity)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_order_lines`("id", "merchant_id", "order_id", "product_id", "sku", "name", "components", "quantity", "unit_price_cents", "discount_cents", "quantity_packed", "quantity_shipped", "quantity_delivered", "quantity_returned", "quantity_cancelled", "ordered_at") SELECT "id", 1, "order_id", "product_id", "sku", "name", "components", "quantity", "unit_price_cents", "discount_cents", "quantity_packed", "quantity_shipped", "quantity_delivered", "quantity_returned", "quantity_cancelled", "ordered_at" FROM `order_lines`;--> statement-breakpoint
DROP TABLE `order_lines`;--> statement-breakpoint
ALTER TABLE `__new_order_lines` RENAME TO `order_lines`;--> statement-breakpoint
CREATE INDEX `order_lines_order` ON `order_lines` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_lines_product_time` ON `order_lines` (`product_id`,`ordered_at`,`order_id`);--> statement-breakpoint
CREATE TABLE `__new_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`order_number` text NOT NULL,
	`status` text NOT NULL,
	`held` integer NOT NULL,
	`customer_id` integer NOT NULL,
	`customer_email` text NOT NULL,
	`customer_name` text NOT NULL,
	`shipping_address_id` integer NOT NULL,
	`shipping_address` text NOT NULL,
	`address_verification` text,
	`shipping_method` text,
	`order_notes` text,
	`requires_cold_storage` integer NOT NULL,
	`priority` integer NOT NULL,
	`allow_backorder` integer NOT NULL,
	`warehouse_id` integer,
	`subtotal_cents` integer NOT NULL,
	`shipping_amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`source_platform` text NOT NULL,
	`source_external_id` text,
	`metadata` text NOT NULL,
	`version` integer NOT NULL,
	`history_rows` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`processing_at` integer,
	`fulfilled_at` integer,
	`shipped_at` integer,
	`delivered_at` integer,
	`cancelled_at` integer,
	`cancel_reason` text,
	`imported` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`merchant_id`,`customer_id`) REFERENCES `customers`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "orders_status" CHECK(status = 'pending' or status = 'processing' or status = 'fulfilled' or status = 'shipped' or status = 'delivered' or status = 'cancelled'),
	CONSTRAINT "orders_amounts" CHECK(subtotal_cents >= 0 and shipping_amount_cents >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_orders`("id", "merchant_id", "order_number", "status", "held", "customer_id", "customer_email", "customer_name", "shipping_address_id", "shipping_address", "address_verification", "shipping_method", "order_notes", "requires_cold_storage", "priority", "allow_backorder", "warehouse_id", "subtotal_cents", "shipping_amount_cents", "currency", "source_platform", "source_external_id", "metadata", "version", "history_rows", "created_at", "updated_at", "processing_at", "fulfilled_at", "shipped_at", "delivered_at", "cancelled_at", "cancel_reason", "imported") SELECT "id", 1, "order_number", "status", "held", "customer_id", "customer_email", "customer_name", "shipping_address_id", "shipping_address", "address_verification", "shipping_method", "order_notes", "requires_cold_storage", "priority", "allow_backorder", "warehouse_id", "subtotal_cents", "shipping_amount_cents", "currency", "source_platform", "source_external_id", "metadata", "version", "history_rows", "created_at", "updated_at", "processing_at", "fulfilled_at", "shipped_at", "delivered_at", "cancelled_at", "cancel_reason", "imported" FROM `orders`;--> statement-breakpoint
DROP TABLE `orders`;--> statement-breakpoint
ALTER TABLE `__new_orders` RENAME TO `orders`;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_number` ON `orders` (`order_number`,`merchant_id`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`,`order_number`);--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status`,`held`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_queue` ON `orders` (`status`,`held`,"priority" desc,`id`);--> statement-breakpoint
CREATE INDEX `orders_priority` ON `orders` ("priority" desc,`id`);--> statement-breakpoint
CREATE INDEX `orders_held` ON `orders` (`created_at`,`id`) WHERE held = true;--> statement-breakpoint
CREATE INDEX `orders_held_queue` ON `orders` ("priority" desc,`id`) WHERE held = true;--> statement-breakpoint
CREATE INDEX `orders_imported` ON `orders` (`created_at`,`id`) WHERE imported = true;--> statement-breakpoint
CREATE INDEX `orders_customer` ON `orders` (`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_updated` ON `orders` (`updated_at`);--> statement-breakpoint
CREATE INDEX `orders_number_folded` ON `orders` (lower("order_number"));--> statement-breakpoint
CREATE INDEX `orders_number_digits` ON `orders` (substr("order_number", length(rtrim("order_number", '0123456789')) + 1));--> statement-breakpoint
CREATE INDEX `orders_external` ON `orders` (lower("source_external_id")) WHERE source_external_id is not null;--> statement-breakpoint
CREATE INDEX `orders_merchant` ON `orders` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `__new_allocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`reservation_line_id` integer NOT NULL,
	`stock_item_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`reservation_line_id`) REFERENCES `reservation_lines`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`stock_item_id`) REFERENCES `stock_items`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "allocations_quantity" CHECK(quantity between 1 and 1000000000)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_allocations`("id", "merchant_id", "reservation_line_id", "stock_item_id", "quantity") SELECT "id", 1, "reservation_line_id", "stock_item_id", "quantity" FROM `allocations`;--> statement-breakpoint
DROP TABLE `allocations`;--> statement-breakpoint
ALTER TABLE `__new_allocations` RENAME TO `allocations`;--> statement-breakpoint
CREATE UNIQUE INDEX `allocations_line_item` ON `allocations` (`reservation_line_id`,`stock_item_id`);--> statement-breakpoint
CREATE INDEX `allocations_item` ON `allocations` (`stock_item_id`);--> statement-breakpoint
CREATE TABLE `__new_reservation_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`reservation_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`order_line_id` integer,
	`quantity` integer NOT NULL,
	`wanted` integer NOT NULL,
	`reserved` integer NOT NULL,
	`picked` integer NOT NULL,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`product_id`) REFERENCES `products`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservation_lines_counts" CHECK(0 <= picked and picked <= reserved and reserved <= wanted)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_reservation_lines`("id", "merchant_id", "reservation_id", "product_id", "order_line_id", "quantity", "wanted", "reserved", "picked") SELECT "id", 1, "reservation_id", "product_id", "order_line_id", "quantity", "wanted", "reserved", "picked" FROM `reservation_lines`;--> statement-breakpoint
DROP TABLE `reservation_lines`;--> statement-breakpoint
ALTER TABLE `__new_reservation_lines` RENAME TO `reservation_lines`;--> statement-breakpoint
CREATE INDEX `reservation_lines_reservation` ON `reservation_lines` (`reservation_id`);--> statement-breakpoint
CREATE INDEX `reservation_lines_waiting` ON `reservation_lines` (`product_id`) WHERE reserved < wanted;--> statement-breakpoint
DROP INDEX `customers_email`;--> statement-breakpoint
ALTER TABLE `customers` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `customers` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `customers` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `customers_owned` ON `customers` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `customers_merchant` ON `customers` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `customers_email` ON `customers` (`email_key`,`merchant_id`);--> statement-breakpoint
DROP INDEX `platform_connections_store`;--> statement-breakpoint
ALTER TABLE `platform_connections` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `platform_connections` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `platform_connections` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `platform_connections_store` ON `platform_connections` (`platform`,`store_id`,`merchant_id`);--> statement-breakpoint
DROP INDEX `product_barcodes_value`;--> statement-breakpoint
ALTER TABLE `product_barcodes` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `product_barcodes` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `product_barcodes` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `product_barcodes_value` ON `product_barcodes` (`value`,`merchant_id`);--> statement-breakpoint
DROP INDEX `products_sku`;--> statement-breakpoint
ALTER TABLE `products` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `products` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `products` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `products_owned` ON `products` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `products_merchant` ON `products` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `products_sku` ON `products` (`sku`,`merchant_id`);--> statement-breakpoint
DROP INDEX `tracking_records_followed`;--> statement-breakpoint
ALTER TABLE `tracking_records` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `tracking_records` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `tracking_records` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_followed` ON `tracking_records` (`tracking_number`,`merchant_id`) WHERE followed;--> statement-breakpoint
CREATE TABLE `__new_order_counts` (
	`merchant_id` integer NOT NULL,
	`status` text NOT NULL,
	`held` integer NOT NULL,
	`part` integer NOT NULL,
	`number` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `status`, `held`, `part`)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_order_counts`("merchant_id", "status", "held", "part", "number") SELECT 1, "status", "held", "part", "number" FROM `order_counts`;--> statement-breakpoint
DROP TABLE `order_counts`;--> statement-breakpoint
ALTER TABLE `__new_order_counts` RENAME TO `order_counts`;--> statement-breakpoint
ALTER TABLE `audit_entries` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `addresses` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `addresses` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `addresses` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `lots` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `lots` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `lots` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `movements` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `movements` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `movements` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
-- The default gives the events that are there to MAIN without writing them anew: there may be millions of them.
ALTER TABLE `events` ADD `merchant_id` integer DEFAULT 1 NOT NULL REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `platform_imports` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `platform_imports` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `platform_imports` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `receipts` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `receipts` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `receipts` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE INDEX `receipts_merchant` ON `receipts` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `reservations` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `reservations` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `reservations` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `returns` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `returns` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `returns` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE INDEX `returns_merchant` ON `returns` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `labels` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `labels` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `labels` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
CREATE INDEX `labels_merchant` ON `labels` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `shipments` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `shipments` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `shipments` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `transfers` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
UPDATE `transfers` SET `merchant_id` = 1;--> statement-breakpoint
ALTER TABLE `transfers` ALTER COLUMN `merchant_id` SET NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `notices` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `merchants` text;--> statement-breakpoint
CREATE TRIGGER `orders_counted_new` AFTER INSERT ON `orders` BEGIN
  INSERT INTO `order_counts` (`merchant_id`, `status`, `held`, `part`, `number`)
    VALUES (NEW.`merchant_id`, NEW.`status`, NEW.`held`, 0, 1)
    ON CONFLICT (`merchant_id`, `status`, `held`, `part`) DO UPDATE SET `number` = `number` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `orders_counted_changed` AFTER UPDATE OF `status`, `held` ON `orders`
  WHEN NEW.`status` <> OLD.`status` OR NEW.`held` <> OLD.`held` BEGIN
  UPDATE `order_counts` SET `number` = `number` - 1 WHERE `merchant_id` = OLD.`merchant_id`
    AND `status` = OLD.`status` AND `held` = OLD.`held` AND `part` = 0;
  INSERT INTO `order_counts` (`merchant_id`, `status`, `held`, `part`, `number`)
    VALUES (NEW.`merchant_id`, NEW.`status`, NEW.`held`, 0, 1)
    ON CONFLICT (`merchant_id`, `status`, `held`, `part`) DO UPDATE SET `number` = `number` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `orders_counted_gone` AFTER DELETE ON `orders` BEGIN
  UPDATE `order_counts` SET `number` = `number` - 1 WHERE `merchant_id` = OLD.`merchant_id`
    AND `status` = OLD.`status` AND `held` = OLD.`held` AND `part` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `orders_cancel_reason_new` BEFORE INSERT ON `orders` WHEN NEW.`cancel_reason` <> 'customer' AND NEW.`cancel_reason` <> 'declined' AND NEW.`cancel_reason` <> 'fraud' AND NEW.`cancel_reason` <> 'inventory' AND NEW.`cancel_reason` <> 'staff' AND NEW.`cancel_reason` <> 'expired' AND NEW.`cancel_reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'orders_cancel_reason');
END;--> statement-breakpoint
CREATE TRIGGER `orders_cancel_reason_changed` BEFORE UPDATE OF `cancel_reason` ON `orders` WHEN NEW.`cancel_reason` <> 'customer' AND NEW.`cancel_reason` <> 'declined' AND NEW.`cancel_reason` <> 'fraud' AND NEW.`cancel_reason` <> 'inventory' AND NEW.`cancel_reason` <> 'staff' AND NEW.`cancel_reason` <> 'expired' AND NEW.`cancel_reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'orders_cancel_reason');
END