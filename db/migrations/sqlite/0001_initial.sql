CREATE TABLE `product_components` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bundle_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "product_components_quantity" CHECK(quantity between 1 and 1000),
	CONSTRAINT "product_components_pair" CHECK(bundle_id <> component_id)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `product_components_pair` ON `product_components` (`bundle_id`,`component_id`);--> statement-breakpoint
CREATE INDEX `product_components_component` ON `product_components` (`component_id`);--> statement-breakpoint
CREATE TABLE `count_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`count_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`bin_id` integer NOT NULL,
	`lot_id` integer,
	`expected` integer NOT NULL,
	`counted` integer,
	`counted_at` integer,
	`counted_by` text,
	`unit_value_cents` integer,
	`value_source` text,
	`movement_id` integer,
	FOREIGN KEY (`count_id`) REFERENCES `counts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`movement_id`) REFERENCES `movements`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "count_lines_value_source" CHECK(value_source in ('cost', 'price')),
	CONSTRAINT "count_lines_expected" CHECK(expected between 0 and 1000000000),
	CONSTRAINT "count_lines_counted" CHECK(counted between 0 and 1000000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `count_lines_place` ON `count_lines` (`count_id`,`product_id`,`bin_id`,`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `count_lines_place_no_lot` ON `count_lines` (`count_id`,`product_id`,`bin_id`) WHERE lot_id is null;--> statement-breakpoint
CREATE TABLE `counts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status` text NOT NULL,
	`warehouse_id` integer NOT NULL,
	`bins` text,
	`skus` text,
	`blind` integer NOT NULL,
	`notes` text,
	`opened_by` text NOT NULL,
	`posted_by` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`reviewed_at` integer,
	`posted_at` integer,
	`cancelled_at` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "counts_status" CHECK(status in ('open', 'review', 'posted', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `counts_created` ON `counts` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `addresses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`customer_id` integer NOT NULL,
	`name` text NOT NULL,
	`address_line1` text NOT NULL,
	`address_line2` text,
	`city` text NOT NULL,
	`state` text,
	`postal_code` text,
	`country` text NOT NULL,
	`phone` text,
	`is_default` integer NOT NULL,
	`is_verified` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `addresses_customer` ON `addresses` (`customer_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_default` ON `addresses` (`customer_id`) WHERE is_default;--> statement-breakpoint
CREATE TABLE `customers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`first_name` text,
	`last_name` text,
	`phone` text,
	`company` text,
	`metadata` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `customers_email` ON `customers` (`email_key`);--> statement-breakpoint
CREATE INDEX `customers_created` ON `customers` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `lots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`lot_number` text NOT NULL,
	`received_date` integer NOT NULL,
	`expiration_date` integer,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "lots_status" CHECK(status in ('available', 'on_hold', 'quarantined', 'recalled', 'expired', 'damaged'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `lots_number` ON `lots` (`product_id`,`lot_number`);--> statement-breakpoint
CREATE INDEX `lots_expiry` ON `lots` (`expiration_date`) WHERE status = 'available' and expiration_date is not null;--> statement-breakpoint
CREATE INDEX `lots_recalled` ON `lots` (`id`) WHERE status = 'recalled';--> statement-breakpoint
CREATE TABLE `movements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`type` text NOT NULL,
	`quantity` integer NOT NULL,
	`from_item_id` integer,
	`to_item_id` integer,
	`to_place` text,
	`from_balance` integer,
	`to_balance` integer,
	`lot_id` integer,
	`reason` text NOT NULL,
	`notes` text,
	`reference_type` text,
	`reference_id` text,
	`unit_cost_cents` integer,
	`confirmed` integer NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`from_item_id`) REFERENCES `stock_items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_item_id`) REFERENCES `stock_items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "movements_type" CHECK(type in ('adjustment', 'transfer', 'sale', 'return', 'receipt')),
	CONSTRAINT "movements_quantity" CHECK(quantity between 1 and 1000000000),
	CONSTRAINT "movements_sides" CHECK(from_item_id is not null or to_item_id is not null),
	CONSTRAINT "movements_balances" CHECK(from_balance >= 0 and to_balance >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `movements_product` ON `movements` (`product_id`,`id`);--> statement-breakpoint
CREATE INDEX `movements_from` ON `movements` (`from_item_id`);--> statement-breakpoint
CREATE INDEX `movements_to` ON `movements` (`to_item_id`);--> statement-breakpoint
CREATE INDEX `movements_reference` ON `movements` (`reference_type`,`reference_id`);--> statement-breakpoint
CREATE INDEX `movements_cost` ON `movements` (`product_id`,`id`) WHERE unit_cost_cents is not null;--> statement-breakpoint
CREATE INDEX `movements_sold` ON `movements` (`lot_id`,`id`) WHERE type = 'sale' and lot_id is not null;--> statement-breakpoint
CREATE TABLE `stock_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`bin_id` integer NOT NULL,
	`lot_id` integer,
	`on_hand` integer NOT NULL,
	`reserved` integer NOT NULL,
	`received_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "stock_items_on_hand" CHECK(on_hand between 0 and 1000000000),
	CONSTRAINT "stock_items_reserved" CHECK(reserved between 0 and on_hand)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place` ON `stock_items` (`product_id`,`bin_id`,`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place_no_lot` ON `stock_items` (`product_id`,`bin_id`) WHERE lot_id is null;--> statement-breakpoint
CREATE INDEX `stock_items_held` ON `stock_items` (`product_id`) WHERE on_hand > 0;--> statement-breakpoint
CREATE INDEX `stock_items_bin` ON `stock_items` (`bin_id`);--> statement-breakpoint
CREATE INDEX `stock_items_lot` ON `stock_items` (`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`last_four` text NOT NULL,
	`permission` text NOT NULL,
	`ip_mode` text NOT NULL,
	`ip_list` text NOT NULL,
	`rate_limit_per_minute` integer,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	`revoked_at` integer,
	CONSTRAINT "api_keys_permission" CHECK(permission in ('read', 'read_write', 'full')),
	CONSTRAINT "api_keys_ip_mode" CHECK(ip_mode in ('off', 'observe', 'enforce'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `lot_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`lot_id` integer NOT NULL,
	`from_status` text NOT NULL,
	`to_status` text NOT NULL,
	`reason` text NOT NULL,
	`notes` text,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "lot_changes_from_status" CHECK(from_status in ('available', 'on_hold', 'quarantined', 'recalled', 'expired', 'damaged')),
	CONSTRAINT "lot_changes_to_status" CHECK(to_status in ('available', 'on_hold', 'quarantined', 'recalled', 'expired', 'damaged'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `lot_changes_lot` ON `lot_changes` (`lot_id`,`id`);--> statement-breakpoint
CREATE TABLE `order_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`event` text NOT NULL,
	`from_status` text,
	`to_status` text NOT NULL,
	`reason` text,
	`note` text,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `order_history_order` ON `order_history` (`order_id`,`id`);--> statement-breakpoint
CREATE TABLE `order_holds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`reason` text NOT NULL,
	`note` text,
	`hold_until` integer,
	`reserve_inventory` integer NOT NULL,
	`created_at` integer NOT NULL,
	`released_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_holds_reason" CHECK(reason in ('manual', 'address', 'payment', 'fraud', 'inventory', 'customer_request', 'compliance', 'other', 'carrier_discrepancy', 'recalled_lot', 'short_pick'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `order_holds_order` ON `order_holds` (`order_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `order_holds_open` ON `order_holds` (`order_id`,`reason`) WHERE released_at is null;--> statement-breakpoint
CREATE INDEX `order_holds_recalled` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'recalled_lot';--> statement-breakpoint
CREATE INDEX `order_holds_until` ON `order_holds` (`hold_until`) WHERE released_at is null and hold_until is not null;--> statement-breakpoint
CREATE TABLE `order_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`sku` text NOT NULL,
	`name` text NOT NULL,
	`components` text,
	`quantity` integer NOT NULL,
	`unit_price_cents` integer NOT NULL,
	`quantity_packed` integer NOT NULL,
	`quantity_shipped` integer NOT NULL,
	`quantity_delivered` integer NOT NULL,
	`quantity_returned` integer NOT NULL,
	`quantity_cancelled` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_lines_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "order_lines_price" CHECK(unit_price_cents >= 0),
	CONSTRAINT "order_lines_counts" CHECK(0 <= quantity_returned and quantity_returned <= quantity_shipped and 0 <= quantity_delivered and quantity_delivered <= quantity_shipped and quantity_shipped <= quantity_packed and 0 <= quantity_cancelled and quantity_packed + quantity_cancelled <= quantity)
) STRICT;
--> statement-breakpoint
CREATE INDEX `order_lines_order` ON `order_lines` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_lines_product` ON `order_lines` (`product_id`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_number` text NOT NULL,
	`status` text NOT NULL,
	`held` integer NOT NULL,
	`customer_id` integer NOT NULL,
	`customer_email` text NOT NULL,
	`customer_name` text NOT NULL,
	`shipping_address_id` integer NOT NULL,
	`shipping_address` text NOT NULL,
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
	`estimated_ship_date` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`processing_at` integer,
	`fulfilled_at` integer,
	`shipped_at` integer,
	`delivered_at` integer,
	`cancelled_at` integer,
	`cancel_reason` text,
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "orders_status" CHECK(status in ('pending', 'processing', 'fulfilled', 'shipped', 'delivered', 'cancelled')),
	CONSTRAINT "orders_cancel_reason" CHECK(cancel_reason in ('customer', 'declined', 'fraud', 'inventory', 'staff', 'expired', 'other')),
	CONSTRAINT "orders_amounts" CHECK(subtotal_cents >= 0 and shipping_amount_cents >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_number` ON `orders` (`order_number`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status`,`held`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_customer` ON `orders` (`customer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_updated` ON `orders` (`updated_at`);--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`position` integer,
	`fanned_out_at` integer,
	CONSTRAINT "events_type" CHECK(type in ('order.created', 'order.fulfilled', 'order.shipped', 'order.delivered', 'order.cancelled', 'inventory.updated', 'inventory.low_stock', 'inventory.received', 'shipment.created', 'shipment.tracking_updated', 'shipment.in_transit', 'shipment.delivered', 'shipment.exception', 'return.created', 'return.received', 'return.processed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id` ON `events` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_position` ON `events` (`position`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`seq`) WHERE fanned_out_at is null;--> statement-breakpoint
CREATE INDEX `events_kept` ON `events` (`created_at`) WHERE body <> '';--> statement-breakpoint
CREATE TABLE `product_barcodes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`value` text NOT NULL,
	`type` text NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "product_barcodes_type" CHECK(type in ('gtin', 'ean', 'upc', 'code128', 'other'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `product_barcodes_value` ON `product_barcodes` (`value`);--> statement-breakpoint
CREATE INDEX `product_barcodes_product` ON `product_barcodes` (`product_id`);--> statement-breakpoint
CREATE TABLE `products` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`sku` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`type` text NOT NULL,
	`weight` text,
	`weight_unit` text,
	`dimensions` text,
	`price_cents` integer,
	`currency` text NOT NULL,
	`temperature_zone` text NOT NULL,
	`lot_tracking` integer NOT NULL,
	`expiration_tracking` integer NOT NULL,
	`min_shelf_life_days` integer NOT NULL,
	`reorder_point` integer NOT NULL,
	`customs` text,
	`status` text NOT NULL,
	`metadata` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "products_type" CHECK(type in ('simple', 'bundle')),
	CONSTRAINT "products_weight_unit" CHECK(weight_unit in ('lb', 'oz', 'kg', 'g')),
	CONSTRAINT "products_temperature_zone" CHECK(temperature_zone in ('ambient', 'refrigerated', 'frozen')),
	CONSTRAINT "products_status" CHECK(status in ('active', 'inactive')),
	CONSTRAINT "products_reorder_point" CHECK(reorder_point between 0 and 1000000000),
	CONSTRAINT "products_price" CHECK(price_cents >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `products_sku` ON `products` (`sku`);--> statement-breakpoint
CREATE INDEX `products_created` ON `products` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `products_updated` ON `products` (`updated_at`);--> statement-breakpoint
CREATE TABLE `receipt_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`receipt_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`lot_number` text,
	`expiration_date` integer,
	`quantity` integer NOT NULL,
	`received` integer NOT NULL,
	`set_aside` integer NOT NULL,
	`outstanding` integer NOT NULL,
	FOREIGN KEY (`receipt_id`) REFERENCES `receipts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "receipt_lines_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "receipt_lines_received" CHECK(set_aside between 0 and received),
	CONSTRAINT "receipt_lines_outstanding" CHECK(outstanding between 0 and quantity)
) STRICT;
--> statement-breakpoint
CREATE INDEX `receipt_lines_receipt` ON `receipt_lines` (`receipt_id`);--> statement-breakpoint
CREATE INDEX `receipt_lines_outstanding` ON `receipt_lines` (`product_id`,`outstanding`) WHERE outstanding > 0;--> statement-breakpoint
CREATE TABLE `receipts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status` text NOT NULL,
	`reference` text,
	`supplier` text,
	`warehouse_id` integer NOT NULL,
	`expected_at` integer,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`closed_at` integer,
	`cancelled_at` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "receipts_status" CHECK(status in ('expected', 'receiving', 'closed', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `receipts_created` ON `receipts` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `allocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reservation_line_id` integer NOT NULL,
	`stock_item_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`reservation_line_id`) REFERENCES `reservation_lines`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`stock_item_id`) REFERENCES `stock_items`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "allocations_quantity" CHECK(quantity between 1 and 1000000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `allocations_line_item` ON `allocations` (`reservation_line_id`,`stock_item_id`);--> statement-breakpoint
CREATE INDEX `allocations_item` ON `allocations` (`stock_item_id`);--> statement-breakpoint
CREATE TABLE `reservation_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`reservation_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`order_line_id` integer,
	`quantity` integer NOT NULL,
	`wanted` integer NOT NULL,
	`reserved` integer NOT NULL,
	`picked` integer NOT NULL,
	FOREIGN KEY (`reservation_id`) REFERENCES `reservations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reservation_lines_counts" CHECK(0 <= picked and picked <= reserved and reserved <= wanted)
) STRICT;
--> statement-breakpoint
CREATE INDEX `reservation_lines_reservation` ON `reservation_lines` (`reservation_id`);--> statement-breakpoint
CREATE INDEX `reservation_lines_waiting` ON `reservation_lines` (`product_id`) WHERE reserved < wanted;--> statement-breakpoint
CREATE TABLE `reservations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer,
	`order_ref` text NOT NULL,
	`source` text NOT NULL,
	`status` text NOT NULL,
	`priority` integer NOT NULL,
	`paused` integer NOT NULL,
	`warehouse_id` integer,
	`requires_cold_storage` integer NOT NULL,
	`expires_at` integer,
	`released_at` integer,
	`created_at` integer NOT NULL,
	CONSTRAINT "reservations_status" CHECK(status in ('reserved', 'released', 'expired', 'committed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reservations_order` ON `reservations` (`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `reservations_ref` ON `reservations` (`order_ref`);--> statement-breakpoint
CREATE INDEX `reservations_expiry` ON `reservations` (`expires_at`) WHERE status = 'reserved' and expires_at is not null;--> statement-breakpoint
CREATE TABLE `refunds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`return_id` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`breakdown` text NOT NULL,
	`method` text NOT NULL,
	`status` text NOT NULL,
	`notes` text,
	`estimated_completion` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`return_id`) REFERENCES `returns`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "refunds_method" CHECK(method in ('original_payment', 'store_credit', 'manual')),
	CONSTRAINT "refunds_status" CHECK(status in ('pending', 'processing', 'refunded', 'partially_refunded', 'failed')),
	CONSTRAINT "refunds_amount" CHECK(amount_cents >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `refunds_return` ON `refunds` (`return_id`);--> statement-breakpoint
CREATE TABLE `return_inspections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`return_item_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	`condition` text NOT NULL,
	`disposition` text NOT NULL,
	`lot_id` integer,
	`notes` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`return_item_id`) REFERENCES `return_items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "return_inspections_condition" CHECK(condition in ('unopened', 'opened', 'damaged', 'defective', 'expired', 'missing_parts', 'wrong_item')),
	CONSTRAINT "return_inspections_disposition" CHECK(disposition in ('restock', 'quarantine', 'dispose', 'return_to_sender')),
	CONSTRAINT "return_inspections_quantity" CHECK(quantity between 1 and 1000000)
) STRICT;
--> statement-breakpoint
CREATE INDEX `return_inspections_item` ON `return_inspections` (`return_item_id`);--> statement-breakpoint
CREATE TABLE `return_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`return_id` integer NOT NULL,
	`order_line_id` integer NOT NULL,
	`sku` text NOT NULL,
	`quantity` integer NOT NULL,
	`quantity_received` integer NOT NULL,
	`condition` text,
	`notes` text,
	FOREIGN KEY (`return_id`) REFERENCES `returns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_line_id`) REFERENCES `order_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "return_items_condition" CHECK(condition in ('unopened', 'opened', 'damaged', 'defective', 'expired', 'missing_parts', 'wrong_item')),
	CONSTRAINT "return_items_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "return_items_received" CHECK(quantity_received between 0 and quantity)
) STRICT;
--> statement-breakpoint
CREATE INDEX `return_items_return` ON `return_items` (`return_id`);--> statement-breakpoint
CREATE INDEX `return_items_order_line` ON `return_items` (`order_line_id`);--> statement-breakpoint
CREATE TABLE `returns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text NOT NULL,
	`refund_status` text NOT NULL,
	`return_shipping` text NOT NULL,
	`refund_amount_cents` integer,
	`refund_shipping` integer NOT NULL,
	`restocking_fee_cents` integer,
	`currency` text NOT NULL,
	`customer_email` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`received_at` integer,
	`inspected_at` integer,
	`completed_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "returns_status" CHECK(status in ('initiated', 'received', 'inspected', 'completed', 'cancelled')),
	CONSTRAINT "returns_reason" CHECK(reason in ('defective', 'wrong_item', 'not_as_described', 'customer_remorse', 'expired', 'other')),
	CONSTRAINT "returns_refund_status" CHECK(refund_status in ('pending', 'processing', 'refunded', 'partially_refunded', 'failed')),
	CONSTRAINT "returns_amounts" CHECK(refund_amount_cents >= 0 and restocking_fee_cents >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `returns_created` ON `returns` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `returns_order` ON `returns` (`order_id`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`until` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `labels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shipment_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`carrier` text NOT NULL,
	`service` text NOT NULL,
	`tracking_number` text,
	`tracking_url` text,
	`cost_cents` integer NOT NULL,
	`currency` text NOT NULL,
	`package` text NOT NULL,
	`from_address` text NOT NULL,
	`to_address` text NOT NULL,
	`drawing` text,
	`warnings` text NOT NULL,
	`fingerprint` text NOT NULL,
	`created_at` integer NOT NULL,
	`voided_at` integer,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "labels_status" CHECK(status in ('processing', 'completed', 'error', 'voided')),
	CONSTRAINT "labels_cost" CHECK(cost_cents >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`);--> statement-breakpoint
CREATE INDEX `labels_order` ON `labels` (`order_id`);--> statement-breakpoint
CREATE INDEX `labels_shipment` ON `labels` (`shipment_id`);--> statement-breakpoint
CREATE TABLE `shipment_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shipment_id` integer NOT NULL,
	`order_line_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_line_id`) REFERENCES `order_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "shipment_lines_quantity" CHECK(quantity between 1 and 1000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `shipment_lines_line` ON `shipment_lines` (`shipment_id`,`order_line_id`);--> statement-breakpoint
CREATE INDEX `shipment_lines_order_line` ON `shipment_lines` (`order_line_id`);--> statement-breakpoint
CREATE TABLE `shipments` (
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
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "shipments_status" CHECK(status in ('pending', 'shipped', 'delivered', 'returned', 'voided'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `shipments_order` ON `shipments` (`order_id`);--> statement-breakpoint
CREATE INDEX `shipments_tracking` ON `shipments` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
CREATE TABLE `tracking_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`record_id` integer NOT NULL,
	`source` text NOT NULL,
	`source_event_id` text,
	`hash` text NOT NULL,
	`status` text NOT NULL,
	`message` text,
	`status_detail` text,
	`location` text,
	`carrier_status` text,
	`carrier_code` text,
	`reason` text,
	`occurred_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`record_id`) REFERENCES `tracking_records`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tracking_events_status" CHECK(status in ('pending', 'accepted', 'picked_up', 'in_transit', 'out_for_delivery', 'exception', 'delivered', 'returned'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_events_hash` ON `tracking_events` (`record_id`,`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_events_source` ON `tracking_events` (`source`,`source_event_id`) WHERE source_event_id is not null;--> statement-breakpoint
CREATE INDEX `tracking_events_record` ON `tracking_events` (`record_id`,`occurred_at`);--> statement-breakpoint
CREATE TABLE `tracking_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tracking_number` text NOT NULL,
	`carrier` text NOT NULL,
	`service_type` text,
	`shipment_id` integer,
	`status` text NOT NULL,
	`status_detail` text,
	`message` text,
	`occurred_at` integer,
	`event_status` text,
	`event_hash` text,
	`estimated_delivery` integer,
	`current_location` text,
	`signed_by` text,
	`weight` text,
	`weight_unit` text,
	`dimensions` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "tracking_records_status" CHECK(status in ('pending', 'picked_up', 'in_transit', 'out_for_delivery', 'delivered', 'exception', 'returned'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_number` ON `tracking_records` (`tracking_number`,`carrier`);--> statement-breakpoint
CREATE INDEX `tracking_records_shipment` ON `tracking_records` (`shipment_id`);--> statement-breakpoint
CREATE TABLE `transfer_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transfer_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`lot_number` text,
	`bin` text,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`transfer_id`) REFERENCES `transfers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfer_lines_quantity" CHECK(quantity between 1 and 1000000)
) STRICT;
--> statement-breakpoint
CREATE INDEX `transfer_lines_transfer` ON `transfer_lines` (`transfer_id`);--> statement-breakpoint
CREATE TABLE `transfer_loads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transfer_line_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`lot_id` integer,
	`stocked_at` integer NOT NULL,
	`quantity` integer NOT NULL,
	`in_transit` integer NOT NULL,
	`received` integer NOT NULL,
	`written_off` integer NOT NULL,
	FOREIGN KEY (`transfer_line_id`) REFERENCES `transfer_lines`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfer_loads_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "transfer_loads_parts" CHECK(in_transit >= 0 and received >= 0 and written_off >= 0),
	CONSTRAINT "transfer_loads_sum" CHECK(in_transit + received + written_off = quantity)
) STRICT;
--> statement-breakpoint
CREATE INDEX `transfer_loads_line` ON `transfer_loads` (`transfer_line_id`);--> statement-breakpoint
CREATE INDEX `transfer_loads_in_transit` ON `transfer_loads` (`product_id`,`in_transit`) WHERE in_transit > 0;--> statement-breakpoint
CREATE TABLE `transfers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status` text NOT NULL,
	`reference` text,
	`from_warehouse_id` integer NOT NULL,
	`to_warehouse_id` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`shipped_at` integer,
	`received_at` integer,
	`cancelled_at` integer,
	FOREIGN KEY (`from_warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_status" CHECK(status in ('pending', 'in_transit', 'received', 'cancelled')),
	CONSTRAINT "transfers_warehouses" CHECK(from_warehouse_id <> to_warehouse_id)
) STRICT;
--> statement-breakpoint
CREATE INDEX `transfers_created` ON `transfers` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `bins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`zone_id` integer,
	`code` text NOT NULL,
	`kind` text NOT NULL,
	`pick_order` integer NOT NULL,
	`capacity` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`zone_id`) REFERENCES `zones`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "bins_kind" CHECK(kind in ('storage', 'staging', 'returns', 'putback', 'quarantine', 'damage'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bins_code` ON `bins` (`warehouse_id`,`code`);--> statement-breakpoint
CREATE INDEX `bins_zone` ON `bins` (`zone_id`);--> statement-breakpoint
CREATE INDEX `bins_lasting` ON `bins` (`warehouse_id`,`kind`) WHERE kind <> 'staging';--> statement-breakpoint
CREATE TABLE `warehouses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`timezone` text NOT NULL,
	`priority` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `warehouses_name` ON `warehouses` (`name`);--> statement-breakpoint
CREATE TABLE `zones` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`zone_id` text NOT NULL,
	`temperature_zone` text NOT NULL,
	`temperature_range` text,
	`capacity` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "zones_temperature_zone" CHECK(temperature_zone in ('ambient', 'refrigerated', 'frozen')),
	CONSTRAINT "zones_capacity" CHECK(capacity >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `zones_code` ON `zones` (`warehouse_id`,`zone_id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subscription_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`sequence` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`max_attempts` integer NOT NULL,
	`spent_attempts` integer NOT NULL,
	`next_at` integer,
	`leased_until` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deliveries_status" CHECK(status in ('pending', 'delivered', 'exhausted', 'skipped', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_sequence` ON `deliveries` (`subscription_id`,`sequence`) WHERE sequence > 0;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`subscription_id`,`next_at`,`id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `deliveries_tests` ON `deliveries` (`subscription_id`,`created_at`) WHERE sequence = 0;--> statement-breakpoint
CREATE INDEX `deliveries_bodies` ON `deliveries` (`created_at`) WHERE body <> '';--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`subscription_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event_type` text NOT NULL,
	`attempt` integer NOT NULL,
	`max_attempts` integer NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`url` text NOT NULL,
	`request_headers` text NOT NULL,
	`status_code` integer,
	`response_headers` text,
	`response_body` text,
	`truncated` integer NOT NULL,
	`error_code` text,
	`error_message` text,
	`ip_address` text,
	`duration_ms` integer,
	`started_at` integer NOT NULL,
	`next_attempt_at` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "delivery_attempts_status" CHECK(status in ('success', 'failed', 'blocked')),
	CONSTRAINT "delivery_attempts_trigger" CHECK(trigger in ('scheduled', 'manual', 'test'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `delivery_attempts_subscription` ON `delivery_attempts` (`subscription_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_id`,`attempt`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text,
	`version` text NOT NULL,
	`payload` text NOT NULL,
	`retry_limit` integer NOT NULL,
	`status` text NOT NULL,
	`disabled_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_secret_expires_at` integer,
	`sequence` integer NOT NULL,
	`consecutive_failures` integer NOT NULL,
	`first_failure_at` integer,
	`failing_since` integer,
	`paused_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "subscriptions_status" CHECK(status in ('active', 'failing', 'paused', 'disabled')),
	CONSTRAINT "subscriptions_version" CHECK(version in ('v1', 'v2')),
	CONSTRAINT "subscriptions_payload" CHECK(payload in ('full', 'thin')),
	CONSTRAINT "subscriptions_retry_limit" CHECK(retry_limit in (3, 5, 10))
) STRICT;
--> statement-breakpoint
CREATE INDEX `subscriptions_created` ON `subscriptions` (`created_at`,`id`);