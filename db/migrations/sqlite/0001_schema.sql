-- breaking: it stands for all migrations from before the first release
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
	`merchant_id` integer REFERENCES `merchants`(`id`),
	CONSTRAINT "audit_entries_world" CHECK(world = 'live' or world = 'test')
) STRICT;--> statement-breakpoint
CREATE INDEX `audit_entries_time` ON `audit_entries` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor` ON `audit_entries` (`actor_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_entries_action` ON `audit_entries` (`action`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `audit_targets` (
	`target` text NOT NULL,
	`entry_id` integer NOT NULL,
	PRIMARY KEY(`target`, `entry_id`),
	FOREIGN KEY (`entry_id`) REFERENCES `audit_entries`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `audit_targets_entry` ON `audit_targets` (`entry_id`);--> statement-breakpoint
CREATE TABLE `product_components` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bundle_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`bundle_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "product_components_quantity" CHECK(quantity between 1 and 1000),
	CONSTRAINT "product_components_pair" CHECK(bundle_id <> component_id)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `product_components_pair` ON `product_components` (`bundle_id`,`component_id`);--> statement-breakpoint
CREATE INDEX `product_components_component` ON `product_components` (`component_id`);--> statement-breakpoint
CREATE TABLE `carrier_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`connector` text NOT NULL,
	`name` text NOT NULL,
	`credentials` text,
	`credentials_digest` text,
	`callback_secret` text,
	`previous_callback_secret` text,
	`previous_callback_secret_expires_at` integer,
	`status` text NOT NULL,
	`carriers` text NOT NULL,
	`checked_at` integer,
	`check_code` text,
	`check_message` text,
	`version` integer NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "carrier_accounts_status" CHECK(status = 'active' or status = 'paused')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_accounts_key` ON `carrier_accounts` (`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_accounts_credentials` ON `carrier_accounts` (`credentials_digest`);--> statement-breakpoint
CREATE INDEX `carrier_accounts_created` ON `carrier_accounts` (`created_at`,`id`);--> statement-breakpoint
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
	`unit_value_currency` text,
	FOREIGN KEY (`count_id`) REFERENCES `counts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`movement_id`) REFERENCES `movements`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "count_lines_value_source" CHECK(value_source = 'cost' or value_source = 'price'),
	CONSTRAINT "count_lines_expected" CHECK(expected between 0 and 1000000000),
	CONSTRAINT "count_lines_counted" CHECK(counted between 0 and 1000000000)
) STRICT;--> statement-breakpoint
CREATE INDEX `count_lines_count` ON `count_lines` (`count_id`);--> statement-breakpoint
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
	CONSTRAINT "counts_status" CHECK(status = 'open' or status = 'review' or status = 'posted' or status = 'cancelled')
) STRICT;--> statement-breakpoint
CREATE INDEX `counts_created` ON `counts` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `counts_reviewed` ON `counts` (`reviewed_at`) WHERE status = 'review';--> statement-breakpoint
CREATE TABLE `addresses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`customer_id` integer NOT NULL,
	`name` text NOT NULL,
	`company` text,
	`address_line1` text NOT NULL,
	`address_line2` text,
	`city` text NOT NULL,
	`state` text,
	`postal_code` text,
	`country` text NOT NULL,
	`phone` text,
	`is_default` integer NOT NULL,
	`verification` text,
	`is_verified` integer NOT NULL,
	`ask_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `addresses_customer` ON `addresses` (`customer_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `addresses_default` ON `addresses` (`customer_id`) WHERE is_default;--> statement-breakpoint
CREATE INDEX `addresses_to_ask` ON `addresses` (`ask_at`) WHERE ask_at is not null;--> statement-breakpoint
CREATE TABLE `customer_words` (
	`customer_id` integer NOT NULL,
	`word` text NOT NULL,
	PRIMARY KEY(`customer_id`, `word`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `customer_words_word` ON `customer_words` (`word`,`customer_id`);--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	`erased_at` integer
) STRICT;--> statement-breakpoint
CREATE INDEX `customers_created` ON `customers` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `customers_phone` ON `customers` (replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', '')) WHERE phone is not null;--> statement-breakpoint
CREATE INDEX `customers_phone_end` ON `customers` (substr(replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', ''), -7)) WHERE phone is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `customers_owned` ON `customers` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `customers_merchant` ON `customers` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `customers_email` ON `customers` (`email_key`,`merchant_id`);--> statement-breakpoint
CREATE TABLE `lots` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`lot_number` text NOT NULL,
	`received_date` integer NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	`expires_on` integer,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "lots_status" CHECK(status = 'available' or status = 'on_hold' or status = 'quarantined' or status = 'recalled' or status = 'expired' or status = 'damaged')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `lots_number` ON `lots` (`product_id`,`lot_number`);--> statement-breakpoint
CREATE INDEX `lots_named` ON `lots` (`lot_number`);--> statement-breakpoint
CREATE INDEX `lots_number_folded` ON `lots` (lower("lot_number"));--> statement-breakpoint
CREATE INDEX `lots_recalled` ON `lots` (`id`) WHERE status = 'recalled';--> statement-breakpoint
CREATE INDEX `lots_expiry` ON `lots` (`expires_on`) WHERE status = 'available' and expires_on is not null;--> statement-breakpoint
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
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	`unit_cost_currency` text,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`from_item_id`) REFERENCES `stock_items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_item_id`) REFERENCES `stock_items`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "movements_quantity" CHECK(quantity between 1 and 1000000000),
	CONSTRAINT "movements_sides" CHECK(from_item_id is not null or to_item_id is not null),
	CONSTRAINT "movements_balances" CHECK(from_balance >= 0 and to_balance >= 0)
) STRICT;--> statement-breakpoint
CREATE INDEX `movements_product` ON `movements` (`product_id`,`id`);--> statement-breakpoint
CREATE INDEX `movements_from` ON `movements` (`from_item_id`);--> statement-breakpoint
CREATE INDEX `movements_to` ON `movements` (`to_item_id`);--> statement-breakpoint
CREATE INDEX `movements_reference` ON `movements` (`reference_type`,`reference_id`);--> statement-breakpoint
CREATE INDEX `movements_cost` ON `movements` (`product_id`,`id`) WHERE unit_cost_cents is not null;--> statement-breakpoint
CREATE INDEX `movements_lot` ON `movements` (`lot_id`,`id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE INDEX `movements_reason` ON `movements` (`reason`,`id`) WHERE reason not in ('shipped', 'picked', 'received');--> statement-breakpoint
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
	`replaced_by` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`merchant_id` integer REFERENCES `merchants`(`id`),
	CONSTRAINT "api_keys_permission" CHECK(permission = 'read' or permission = 'read_write' or permission = 'full'),
	CONSTRAINT "api_keys_ip_mode" CHECK(ip_mode = 'off' or ip_mode = 'observe' or ip_mode = 'enforce')
) STRICT;--> statement-breakpoint
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
	CONSTRAINT "lot_changes_from_status" CHECK(from_status = 'available' or from_status = 'on_hold' or from_status = 'quarantined' or from_status = 'recalled' or from_status = 'expired' or from_status = 'damaged'),
	CONSTRAINT "lot_changes_to_status" CHECK(to_status = 'available' or to_status = 'on_hold' or to_status = 'quarantined' or to_status = 'recalled' or to_status = 'expired' or to_status = 'damaged')
) STRICT;--> statement-breakpoint
CREATE INDEX `lot_changes_lot` ON `lot_changes` (`lot_id`,`id`);--> statement-breakpoint
CREATE TABLE `manifest_labels` (
	`label_id` integer PRIMARY KEY NOT NULL,
	`manifest_id` integer NOT NULL,
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`manifest_id`) REFERENCES `manifests`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
CREATE TABLE `order_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`number` integer DEFAULT 1 NOT NULL,
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
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `order_history_number` ON `order_history` (`order_id`,`number`);--> statement-breakpoint
CREATE TABLE `order_holds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`reason` text NOT NULL,
	`note` text,
	`hold_until` integer,
	`reserve_inventory` integer NOT NULL,
	`created_at` integer NOT NULL,
	`released_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `order_holds_order` ON `order_holds` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_holds_reason` ON `order_holds` (`reason`,`order_id`) WHERE released_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX `order_holds_open` ON `order_holds` (`order_id`,`reason`) WHERE released_at is null;--> statement-breakpoint
CREATE INDEX `order_holds_recalled` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'recalled_lot';--> statement-breakpoint
CREATE INDEX `order_holds_unknown_sku` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'unknown_sku';--> statement-breakpoint
CREATE INDEX `order_holds_bad_address` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'bad_address';--> statement-breakpoint
CREATE INDEX `order_holds_until` ON `order_holds` (`hold_until`) WHERE released_at is null and hold_until is not null;--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`body` blob NOT NULL,
	`previous` text,
	`created_at` integer NOT NULL,
	`position` integer,
	`fanned_out_at` integer,
	`merchant_id` integer DEFAULT 1 NOT NULL REFERENCES `merchants`(`id`)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `events_id` ON `events` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_position` ON `events` (`position`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`seq`) WHERE fanned_out_at is null;--> statement-breakpoint
CREATE INDEX `events_kept` ON `events` (`created_at`) WHERE length(body) > 0;--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`hash` text NOT NULL,
	`invited_by_id` text NOT NULL,
	`invited_by_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`revoked_at` integer,
	`user_id` integer,
	`mail_link` text,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	`merchant_id` integer REFERENCES `merchants`(`id`),
	`needs_proof` integer DEFAULT false NOT NULL,
	`proof_hash` text,
	FOREIGN KEY (`role`) REFERENCES `roles`(`name`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "invitations_mail_status" CHECK(mail_status = 'none' or mail_status = 'waiting' or mail_status = 'sent' or mail_status = 'failed'),
	CONSTRAINT "invitations_ended" CHECK(accepted_at is null or revoked_at is null),
	CONSTRAINT "invitations_accepted" CHECK((accepted_at is null) = (user_id is null)),
	CONSTRAINT "invitations_mailed" CHECK((mail_status = 'waiting') = (mail_next_at is not null))
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_time` ON `invitations` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_mail` ON `invitations` (`mail_next_at`) WHERE mail_status = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_open_merchant` ON `invitations` (`email_key`,`merchant_id`) WHERE accepted_at is null and revoked_at is null and merchant_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_open` ON `invitations` (`email_key`) WHERE accepted_at is null and revoked_at is null and merchant_id is null;--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_hash` ON `recovery_codes` (`user_id`,`hash`);--> statement-breakpoint
CREATE TABLE `second_factors` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`secret` text NOT NULL,
	`confirmed_at` integer,
	`last_period` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
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
	`error_code` text,
	`error_message` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`reported_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_reports_status" CHECK(status = 'queued' or status = 'reported' or status = 'skipped' or status = 'failed')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `platform_reports_shipment` ON `platform_reports` (`shipment_id`);--> statement-breakpoint
CREATE INDEX `platform_reports_order` ON `platform_reports` (`order_id`,`id`);--> statement-breakpoint
CREATE INDEX `platform_reports_connection` ON `platform_reports` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_reports_due` ON `platform_reports` (`connection_id`,`next_at`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `platform_reports_failed` ON `platform_reports` (`updated_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE TABLE `platform_connections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`platform` text NOT NULL,
	`name` text NOT NULL,
	`store_id` text NOT NULL,
	`api_url` text NOT NULL,
	`api_key` text,
	`api_token` text,
	`client_secret` text,
	`previous_client_secret` text,
	`previous_client_secret_expires_at` integer,
	`order_prefix` text NOT NULL,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	`is_operator_address` integer DEFAULT false NOT NULL,
	CONSTRAINT "platform_connections_status" CHECK(status = 'active' or status = 'paused')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `platform_connections_key` ON `platform_connections` (`key`);--> statement-breakpoint
CREATE INDEX `platform_connections_created` ON `platform_connections` (`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `platform_connections_store` ON `platform_connections` (`platform`,`store_id`,`merchant_id`);--> statement-breakpoint
CREATE TABLE `platform_imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`revision` integer NOT NULL,
	`payload` text,
	`external_updated_at` integer,
	`seen` text,
	`lines` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_at` integer,
	`leased_until` integer,
	`give_up_at` integer NOT NULL,
	`error_code` text,
	`error_message` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`imported_at` integer,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_imports_status" CHECK(status = 'queued' or status = 'imported' or status = 'waiting' or status = 'ignored' or status = 'failed')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `platform_imports_external` ON `platform_imports` (`connection_id`,`external_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `platform_imports_order` ON `platform_imports` (`order_id`);--> statement-breakpoint
CREATE INDEX `platform_imports_list` ON `platform_imports` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_imports_queued` ON `platform_imports` (`connection_id`,`next_at`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `platform_imports_failed` ON `platform_imports` (`updated_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `platform_imports_unfinished` ON `platform_imports` (`updated_at`) WHERE payload is not null and status in ('waiting', 'ignored', 'failed');--> statement-breakpoint
CREATE TABLE `platform_notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`dedupe_key` text NOT NULL,
	`topic` text NOT NULL,
	`import_id` integer,
	`answer` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `platform_notifications_repeat` ON `platform_notifications` (`connection_id`,`dedupe_key`);--> statement-breakpoint
CREATE INDEX `platform_notifications_created` ON `platform_notifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `address_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`edition` integer NOT NULL,
	`next` integer,
	`asks_carrier` integer NOT NULL,
	CONSTRAINT "address_settings_one" CHECK(id = 1)
) STRICT;--> statement-breakpoint
CREATE TABLE `postal_codes` (
	`zip` integer PRIMARY KEY NOT NULL,
	`city` text NOT NULL,
	`state` text NOT NULL,
	`latitude_e3` integer NOT NULL,
	`longitude_e3` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `product_barcodes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`value` text NOT NULL,
	`type` text NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE INDEX `product_barcodes_product` ON `product_barcodes` (`product_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `product_barcodes_value` ON `product_barcodes` (`value`,`merchant_id`);--> statement-breakpoint
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
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	CONSTRAINT "products_weight_unit" CHECK(weight_unit = 'lb' or weight_unit = 'oz' or weight_unit = 'kg' or weight_unit = 'g'),
	CONSTRAINT "products_temperature_zone" CHECK(temperature_zone = 'ambient' or temperature_zone = 'refrigerated' or temperature_zone = 'frozen'),
	CONSTRAINT "products_status" CHECK(status = 'active' or status = 'inactive'),
	CONSTRAINT "products_reorder_point" CHECK(reorder_point between 0 and 1000000000),
	CONSTRAINT "products_price" CHECK(price_cents >= 0)
) STRICT;--> statement-breakpoint
CREATE INDEX `products_sku_folded` ON `products` (lower("sku"));--> statement-breakpoint
CREATE INDEX `products_name_folded` ON `products` (lower("name"));--> statement-breakpoint
CREATE INDEX `products_created` ON `products` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `products_updated` ON `products` (`updated_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `products_owned` ON `products` (`merchant_id`,`id`);--> statement-breakpoint
CREATE INDEX `products_merchant` ON `products` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `products_sku` ON `products` (`sku`,`merchant_id`);--> statement-breakpoint
CREATE TABLE `holiday_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`carrier` text NOT NULL,
	`rules` text NOT NULL,
	`days` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `holiday_sets_carrier` ON `holiday_sets` (`carrier`);--> statement-breakpoint
CREATE TABLE `rate_card_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`card_id` integer NOT NULL,
	`version` integer NOT NULL,
	`content` blob NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`card_id`) REFERENCES `rate_cards`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `rate_card_versions_of` ON `rate_card_versions` (`card_id`,`version`);--> statement-breakpoint
CREATE TABLE `rate_cards` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`service` text NOT NULL,
	`active` integer NOT NULL,
	`effective_from` integer,
	`effective_to` integer,
	`zone_system` text NOT NULL,
	`holidays` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "rate_cards_effective" CHECK(effective_from < effective_to),
	CONSTRAINT "rate_cards_named" CHECK(service <> '')
) STRICT;--> statement-breakpoint
CREATE INDEX `rate_cards_service` ON `rate_cards` (`service`);--> statement-breakpoint
CREATE TABLE `zone_charts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`country` text NOT NULL,
	`origin` text NOT NULL,
	`ranges` blob NOT NULL,
	`range_count` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `zone_systems`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `zone_charts_origin` ON `zone_charts` (`system_id`,`country`,`origin`);--> statement-breakpoint
CREATE TABLE `zone_systems` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`overrides` blob NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `zone_systems_name` ON `zone_systems` (`name`);--> statement-breakpoint
CREATE TABLE `receipt_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`receipt_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`lot_number` text,
	`quantity` integer NOT NULL,
	`received` integer NOT NULL,
	`set_aside` integer NOT NULL,
	`outstanding` integer NOT NULL,
	`expires_on` integer,
	FOREIGN KEY (`receipt_id`) REFERENCES `receipts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "receipt_lines_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "receipt_lines_received" CHECK(set_aside between 0 and received),
	CONSTRAINT "receipt_lines_outstanding" CHECK(outstanding between 0 and quantity)
) STRICT;--> statement-breakpoint
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
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "receipts_status" CHECK(status = 'expected' or status = 'receiving' or status = 'closed' or status = 'cancelled')
) STRICT;--> statement-breakpoint
CREATE INDEX `receipts_created` ON `receipts` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `receipts_reference` ON `receipts` (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX `receipts_supplier` ON `receipts` (lower("supplier")) WHERE supplier is not null;--> statement-breakpoint
CREATE INDEX `receipts_awaited` ON `receipts` (`expected_at`) WHERE status in ('expected', 'receiving');--> statement-breakpoint
CREATE INDEX `receipts_merchant` ON `receipts` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `key_observations` (
	`key_id` integer PRIMARY KEY NOT NULL,
	`denied` integer NOT NULL,
	`last_at` integer NOT NULL,
	`addresses` text NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `request_blocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`count` integer NOT NULL,
	`classes` integer NOT NULL,
	`lines` blob NOT NULL
) STRICT;--> statement-breakpoint
CREATE INDEX `request_blocks_time` ON `request_blocks` (`to_at`);--> statement-breakpoint
CREATE TABLE `claim_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`kind` text NOT NULL,
	`quantity` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claim_news_quantity" CHECK(quantity between 1 and 1000000000)
) STRICT;--> statement-breakpoint
CREATE INDEX `claim_news_order` ON `claim_news` (`order_id`);--> statement-breakpoint
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
	`avoids` text,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	CONSTRAINT "reservations_status" CHECK(status = 'reserved' or status = 'released' or status = 'expired' or status = 'committed')
) STRICT;--> statement-breakpoint
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
	CONSTRAINT "refunds_status" CHECK(status = 'pending' or status = 'processing' or status = 'refunded' or status = 'partially_refunded' or status = 'failed'),
	CONSTRAINT "refunds_amount" CHECK(amount_cents >= 0)
) STRICT;--> statement-breakpoint
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
	CONSTRAINT "return_inspections_quantity" CHECK(quantity between 1 and 1000000)
) STRICT;--> statement-breakpoint
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
	CONSTRAINT "return_items_quantity" CHECK(quantity between 1 and 1000000),
	CONSTRAINT "return_items_received" CHECK(quantity_received between 0 and quantity)
) STRICT;--> statement-breakpoint
CREATE INDEX `return_items_return` ON `return_items` (`return_id`);--> statement-breakpoint
CREATE INDEX `return_items_order_line` ON `return_items` (`order_line_id`);--> statement-breakpoint
CREATE TABLE `returns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text NOT NULL,
	`refund_status` text NOT NULL,
	`return_shipping` text NOT NULL,
	`tracking_number` text,
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
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "returns_status" CHECK(status = 'initiated' or status = 'received' or status = 'inspected' or status = 'completed' or status = 'cancelled'),
	CONSTRAINT "returns_refund_status" CHECK(refund_status = 'pending' or refund_status = 'processing' or refund_status = 'refunded' or refund_status = 'partially_refunded' or refund_status = 'failed'),
	CONSTRAINT "returns_amounts" CHECK(refund_amount_cents >= 0 and restocking_fee_cents >= 0)
) STRICT;--> statement-breakpoint
CREATE INDEX `returns_created` ON `returns` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `returns_order` ON `returns` (`order_id`);--> statement-breakpoint
CREATE INDEX `returns_tracking` ON `returns` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
CREATE INDEX `returns_merchant` ON `returns` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `returns_email` ON `returns` (lower("customer_email")) WHERE customer_email is not null;--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`key` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`open_until` integer
) STRICT;--> statement-breakpoint
CREATE INDEX `idempotency_keys_expiry` ON `idempotency_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`seal` text,
	`moving` text,
	CONSTRAINT "installation_id" CHECK(id = 1),
	CONSTRAINT "installation_mode" CHECK(mode = 'live' or mode = 'test')
) STRICT;--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`until` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `label_documents` (
	`label_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`content_type` text NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`label_id`, `position`),
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `labels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shipment_id` integer,
	`order_id` integer NOT NULL,
	`return_id` integer,
	`account_id` integer,
	`status` text NOT NULL,
	`carrier` text NOT NULL,
	`service` text NOT NULL,
	`tracking_number` text,
	`tracking_url` text,
	`cost_cents` integer NOT NULL,
	`carrier_cost_cents` integer DEFAULT 0 NOT NULL,
	`currency` text NOT NULL,
	`breakdown` text,
	`zone` text,
	`billable_pounds` integer,
	`delivery_date` integer,
	`quote_nonce` text,
	`offer_ref` text,
	`carrier_ref` text,
	`tracker_ref` text,
	`package` text NOT NULL,
	`value_cents` integer,
	`insurance` integer DEFAULT false NOT NULL,
	`from_address` text NOT NULL,
	`to_address` text NOT NULL,
	`drawing` blob,
	`warnings` text NOT NULL,
	`fingerprint` text NOT NULL,
	`asked_by` text,
	`claimed_until` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error_code` text,
	`error_message` text,
	`void_status` text,
	`created_at` integer NOT NULL,
	`voided_at` integer,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	`sample` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`return_id`) REFERENCES `returns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `carrier_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "labels_status" CHECK(status = 'processing' or status = 'completed' or status = 'error' or status = 'voided'),
	CONSTRAINT "labels_void_status" CHECK(void_status = 'asked' or void_status = 'submitted' or void_status = 'accepted'),
	CONSTRAINT "labels_cost" CHECK(cost_cents >= 0 and carrier_cost_cents >= 0),
	CONSTRAINT "labels_place" CHECK((shipment_id is null) <> (return_id is null)),
	CONSTRAINT "labels_bought" CHECK(tracking_number is not null or status in ('processing', 'error')),
	CONSTRAINT "labels_failed" CHECK((status = 'error') = (error_code is not null)),
	CONSTRAINT "labels_under_way" CHECK((status = 'processing' or coalesce(void_status, '') = 'asked') = (claimed_until is not null)),
	CONSTRAINT "labels_asked" CHECK(claimed_until is null or account_id is not null)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`) WHERE account_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_quote` ON `labels` (`quote_nonce`) WHERE quote_nonce is not null;--> statement-breakpoint
CREATE INDEX `labels_number` ON `labels` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
CREATE INDEX `labels_order` ON `labels` (`order_id`);--> statement-breakpoint
CREATE INDEX `labels_created` ON `labels` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `labels_shipment` ON `labels` (`shipment_id`);--> statement-breakpoint
CREATE INDEX `labels_return` ON `labels` (`return_id`) WHERE return_id is not null;--> statement-breakpoint
CREATE INDEX `labels_failed` ON `labels` (`created_at`) WHERE status = 'error';--> statement-breakpoint
CREATE INDEX `labels_claimed` ON `labels` (`claimed_until`) WHERE claimed_until is not null;--> statement-breakpoint
CREATE INDEX `labels_merchant` ON `labels` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `shipment_lines` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shipment_id` integer NOT NULL,
	`order_line_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_line_id`) REFERENCES `order_lines`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "shipment_lines_quantity" CHECK(quantity between 1 and 1000000)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `shipment_lines_line` ON `shipment_lines` (`shipment_id`,`order_line_id`);--> statement-breakpoint
CREATE INDEX `shipment_lines_order_line` ON `shipment_lines` (`order_line_id`);--> statement-breakpoint
CREATE TABLE `shipments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`status` text NOT NULL,
	`carrier` text,
	`service` text,
	`tracking_number` text,
	`told_url` text,
	`created_at` integer NOT NULL,
	`shipped_at` integer,
	`delivered_at` integer,
	`untold` integer DEFAULT false NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "shipments_status" CHECK(status = 'pending' or status = 'shipped' or status = 'delivered' or status = 'returned' or status = 'voided'),
	CONSTRAINT "shipments_tracking_number" CHECK(not (tracking_number glob '*[a-z -]*') and tracking_number <> '')
) STRICT;--> statement-breakpoint
CREATE INDEX `shipments_order` ON `shipments` (`order_id`);--> statement-breakpoint
CREATE INDEX `shipments_untold` ON `shipments` (`id`) WHERE untold;--> statement-breakpoint
CREATE INDEX `shipments_tracking` ON `shipments` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
CREATE TABLE `ssccs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`shipment_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `carrier_callbacks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`received_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `carrier_callbacks_event` ON `carrier_callbacks` (`account_id`,`event_id`);--> statement-breakpoint
CREATE INDEX `carrier_callbacks_account` ON `carrier_callbacks` (`account_id`,`received_at`);--> statement-breakpoint
CREATE INDEX `carrier_callbacks_received` ON `carrier_callbacks` (`received_at`);--> statement-breakpoint
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
	CONSTRAINT "tracking_events_status" CHECK(status = 'pending' or status = 'accepted' or status = 'picked_up' or status = 'in_transit' or status = 'out_for_delivery' or status = 'exception' or status = 'delivered' or status = 'returned')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_events_hash` ON `tracking_events` (`record_id`,`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_events_source` ON `tracking_events` (`source`,`source_event_id`) WHERE source_event_id is not null;--> statement-breakpoint
CREATE INDEX `tracking_events_record` ON `tracking_events` (`record_id`,`occurred_at`);--> statement-breakpoint
CREATE TABLE `tracking_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tracking_number` text NOT NULL,
	`carrier` text NOT NULL,
	`service_type` text,
	`shipment_id` integer,
	`order_id` integer,
	`account_id` integer,
	`tracking_url` text,
	`status` text NOT NULL,
	`status_detail` text,
	`message` text,
	`occurred_at` integer,
	`event_status` text,
	`event_hash` text,
	`estimated_delivery` integer,
	`estimated_at` integer,
	`current_location` text,
	`signed_by` text,
	`weight` text,
	`weight_unit` text,
	`dimensions` text,
	`followed` integer DEFAULT false NOT NULL,
	`taken_up` integer DEFAULT false NOT NULL,
	`look_at` integer,
	`look_failures` integer DEFAULT 0 NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	CONSTRAINT "tracking_records_status" CHECK(status = 'pending' or status = 'picked_up' or status = 'in_transit' or status = 'out_for_delivery' or status = 'delivered' or status = 'exception' or status = 'returned')
) STRICT;--> statement-breakpoint
CREATE INDEX `tracking_records_number` ON `tracking_records` (`tracking_number`);--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_shipment` ON `tracking_records` (`shipment_id`);--> statement-breakpoint
CREATE INDEX `tracking_records_order` ON `tracking_records` (`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `tracking_records_look` ON `tracking_records` (`account_id`,`look_at`) WHERE look_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `tracking_records_followed` ON `tracking_records` (`tracking_number`,`merchant_id`) WHERE followed;--> statement-breakpoint
CREATE TABLE `waiting_updates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` integer NOT NULL,
	`tracking_number` text NOT NULL,
	`told` blob NOT NULL,
	`received_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE INDEX `waiting_updates_number` ON `waiting_updates` (`tracking_number`);--> statement-breakpoint
CREATE INDEX `waiting_updates_received` ON `waiting_updates` (`received_at`);--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
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
	`merchant_id` integer NOT NULL REFERENCES `merchants`(`id`),
	FOREIGN KEY (`from_warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transfers_status" CHECK(status = 'pending' or status = 'in_transit' or status = 'received' or status = 'cancelled'),
	CONSTRAINT "transfers_warehouses" CHECK(from_warehouse_id <> to_warehouse_id)
) STRICT;--> statement-breakpoint
CREATE INDEX `transfers_created` ON `transfers` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `transfers_reference` ON `transfers` (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE TABLE `one_time_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`user_id` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE TABLE `roles` (
	`name` text PRIMARY KEY NOT NULL,
	`permissions` text NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ip` text,
	`user_agent` text,
	`acts_for` integer REFERENCES `merchants`(`id`),
	`views_as` integer REFERENCES `merchants`(`id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text,
	`status` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_sign_in_at` integer,
	CONSTRAINT "users_status" CHECK(status = 'active' or status = 'disabled')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email_key`);--> statement-breakpoint
CREATE TABLE `bins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`zone_id` integer,
	`code` text NOT NULL,
	`kind` text NOT NULL,
	`pick_order` integer NOT NULL,
	`capacity` integer,
	`dedicated_merchant_id` integer REFERENCES `merchants`(`id`),
	`mix_merchants` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`zone_id`) REFERENCES `zones`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `bins_code` ON `bins` (`warehouse_id`,`code`);--> statement-breakpoint
CREATE INDEX `bins_code_folded` ON `bins` (lower("code")) WHERE kind <> 'staging';--> statement-breakpoint
CREATE INDEX `bins_zone` ON `bins` (`zone_id`,`kind`,`pick_order`,`id`) WHERE zone_id is not null;--> statement-breakpoint
CREATE INDEX `bins_lasting` ON `bins` (`warehouse_id`,`kind`,`pick_order`,`id`) WHERE kind <> 'staging';--> statement-breakpoint
CREATE INDEX `bins_dedicated` ON `bins` (`dedicated_merchant_id`,`zone_id`,`pick_order`,`id`) WHERE dedicated_merchant_id is not null;--> statement-breakpoint
CREATE TABLE `warehouses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`address` text NOT NULL,
	`timezone` text NOT NULL,
	`working_days` text DEFAULT '["mon","tue","wed","thu","fri"]' NOT NULL,
	`holidays` text DEFAULT '[]' NOT NULL,
	`cutoff_time` text DEFAULT '14:00' NOT NULL,
	`priority` integer NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `warehouses_name` ON `warehouses` (`name`);--> statement-breakpoint
CREATE TABLE `zones` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`zone_id` text NOT NULL,
	`temperature_zone` text NOT NULL,
	`temperature_range` text,
	`capacity` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "zones_temperature_zone" CHECK(temperature_zone = 'ambient' or temperature_zone = 'refrigerated' or temperature_zone = 'frozen'),
	CONSTRAINT "zones_capacity" CHECK(capacity >= 0)
) STRICT;--> statement-breakpoint
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
	`form` text DEFAULT 'v1' NOT NULL,
	`body` text,
	`trigger` text DEFAULT 'scheduled' NOT NULL,
	`recovery_id` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`merchant_id` integer REFERENCES `merchants`(`id`),
	`restored` text,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "deliveries_status" CHECK(status = 'pending' or status = 'delivered' or status = 'exhausted' or status = 'skipped' or status = 'cancelled')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_sequence` ON `deliveries` (`subscription_id`,`sequence`) WHERE sequence > 0;--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_event` ON `deliveries` (`event_id`,`subscription_id`);--> statement-breakpoint
CREATE INDEX `deliveries_first` ON `deliveries` (`subscription_id`,`next_at`,`id`) WHERE status = 'pending' and trigger = 'scheduled' and attempts < 2;--> statement-breakpoint
CREATE INDEX `deliveries_late` ON `deliveries` (`subscription_id`,`next_at`,`id`) WHERE status = 'pending' and (trigger <> 'scheduled' or attempts >= 2);--> statement-breakpoint
CREATE INDEX `deliveries_missed` ON `deliveries` (`subscription_id`,`created_at`,`id`) WHERE status in ('exhausted', 'skipped');--> statement-breakpoint
CREATE INDEX `deliveries_recovery` ON `deliveries` (`recovery_id`,`status`) WHERE recovery_id is not null;--> statement-breakpoint
CREATE INDEX `deliveries_tests` ON `deliveries` (`subscription_id`,`created_at`) WHERE sequence = 0;--> statement-breakpoint
CREATE INDEX `deliveries_bodies` ON `deliveries` (`created_at`) WHERE body <> '';--> statement-breakpoint
CREATE INDEX `deliveries_restored` ON `deliveries` (`id`) WHERE restored = 'waiting';--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`subscription_id` integer NOT NULL,
	`attempt` integer NOT NULL,
	`max_attempts` integer NOT NULL,
	`trigger` text NOT NULL,
	`status` text NOT NULL,
	`url` text NOT NULL,
	`timestamp_s` integer NOT NULL,
	`signatures` text NOT NULL,
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
	CONSTRAINT "delivery_attempts_status" CHECK(status = 'success' or status = 'failed' or status = 'blocked')
) STRICT;--> statement-breakpoint
CREATE INDEX `delivery_attempts_subscription` ON `delivery_attempts` (`subscription_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_id`,`attempt`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_bodies` ON `delivery_attempts` (`started_at`) WHERE response_body <> '';--> statement-breakpoint
CREATE TABLE `recoveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subscription_id` integer NOT NULL,
	`status` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`statuses` text NOT NULL,
	`total` integer NOT NULL,
	`queued` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "recoveries_status" CHECK(status = 'queueing' or status = 'queued' or status = 'cancelled')
) STRICT;--> statement-breakpoint
CREATE INDEX `recoveries_queueing` ON `recoveries` (`id`) WHERE status = 'queueing';--> statement-breakpoint
CREATE INDEX `recoveries_subscription` ON `recoveries` (`subscription_id`,`id`);--> statement-breakpoint
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
	`begins_after` integer DEFAULT 0 NOT NULL,
	`sequence` integer NOT NULL,
	`consecutive_failures` integer NOT NULL,
	`first_failure_at` integer,
	`failing_since` integer,
	`paused_until` integer,
	`rate_limit_per_second` integer,
	`paced_until` integer,
	`circuit_wait_ms` integer,
	`next_probe_at` integer,
	`recent_attempts` text DEFAULT '[]' NOT NULL,
	`is_ending` integer DEFAULT false NOT NULL,
	`backlog_skipped` integer DEFAULT 0 NOT NULL,
	`backlog_skipped_at` integer,
	`revision` integer DEFAULT 1 NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`merchant_id` integer REFERENCES `merchants`(`id`),
	`merchants` text,
	CONSTRAINT "subscriptions_status" CHECK(status = 'active' or status = 'failing' or status = 'paused' or status = 'disabled'),
	CONSTRAINT "subscriptions_version" CHECK(version = 'v1' or version = 'v2'),
	CONSTRAINT "subscriptions_payload" CHECK(payload = 'full' or payload = 'thin'),
	CONSTRAINT "subscriptions_retry_limit" CHECK(retry_limit in (3, 5, 10))
) STRICT;--> statement-breakpoint
CREATE INDEX `subscriptions_created` ON `subscriptions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `subscriptions_ending` ON `subscriptions` (`id`) WHERE is_ending;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `merchants_code` ON `merchants` (`code`);--> statement-breakpoint
CREATE TABLE `stock_items` (
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
	`turns_on` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bin_id`) REFERENCES `bins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`lot_id`) REFERENCES `lots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`product_id`) REFERENCES `products`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "stock_items_on_hand" CHECK(on_hand between 0 and 1000000000),
	CONSTRAINT "stock_items_reserved" CHECK(reserved between 0 and on_hand)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_owned` ON `stock_items` (`merchant_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place` ON `stock_items` (`product_id`,`bin_id`,`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `stock_items_place_no_lot` ON `stock_items` (`product_id`,`bin_id`) WHERE lot_id is null;--> statement-breakpoint
CREATE INDEX `stock_items_held` ON `stock_items` (`product_id`) WHERE on_hand > 0;--> statement-breakpoint
CREATE INDEX `stock_items_bin` ON `stock_items` (`bin_id`);--> statement-breakpoint
CREATE INDEX `stock_items_lot` ON `stock_items` (`lot_id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE INDEX `stock_items_turning` ON `stock_items` (`warehouse_id`,`turns_on`) WHERE turns_on is not null;--> statement-breakpoint
CREATE TABLE `order_lines` (
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
) STRICT;--> statement-breakpoint
CREATE INDEX `order_lines_order` ON `order_lines` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_lines_product_time` ON `order_lines` (`product_id`,`ordered_at`,`order_id`);--> statement-breakpoint
CREATE TABLE `orders` (
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
) STRICT;--> statement-breakpoint
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
CREATE TABLE `allocations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`reservation_line_id` integer NOT NULL,
	`stock_item_id` integer NOT NULL,
	`quantity` integer NOT NULL,
	FOREIGN KEY (`reservation_line_id`) REFERENCES `reservation_lines`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`stock_item_id`) REFERENCES `stock_items`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "allocations_quantity" CHECK(quantity between 1 and 1000000000)
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `allocations_line_item` ON `allocations` (`reservation_line_id`,`stock_item_id`);--> statement-breakpoint
CREATE INDEX `allocations_item` ON `allocations` (`stock_item_id`);--> statement-breakpoint
CREATE TABLE `reservation_lines` (
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
) STRICT;--> statement-breakpoint
CREATE INDEX `reservation_lines_reservation` ON `reservation_lines` (`reservation_id`);--> statement-breakpoint
CREATE INDEX `reservation_lines_waiting` ON `reservation_lines` (`product_id`) WHERE reserved < wanted;--> statement-breakpoint
CREATE TABLE `order_counts` (
	`merchant_id` integer NOT NULL,
	`status` text NOT NULL,
	`held` integer NOT NULL,
	`part` integer NOT NULL,
	`number` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `status`, `held`, `part`)
) STRICT;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `billable_events_source` ON `billable_events` (`source_id`,`act`,`source_line`,`source_version`,`warehouse_id`,`merchant_id`) WHERE reversal_of is null;--> statement-breakpoint
CREATE UNIQUE INDEX `billable_events_reversal` ON `billable_events` (`reversal_of`) WHERE reversal_of is not null;--> statement-breakpoint
CREATE INDEX `billable_events_day` ON `billable_events` (`business_date`,`id`,`merchant_id`);--> statement-breakpoint
CREATE TABLE `billing_start` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`began_at` integer NOT NULL
) STRICT;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
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
) STRICT;--> statement-breakpoint
CREATE INDEX `storage_days_merchant` ON `storage_days` (`merchant_id`,`business_date`,`stock_item_id`);--> statement-breakpoint
CREATE INDEX `storage_days_warehouse` ON `storage_days` (`warehouse_id`,`business_date`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` integer NOT NULL,
	`covers` text NOT NULL,
	`merchant_id` integer,
	`role` text NOT NULL,
	`status` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`role`) REFERENCES `roles`(`name`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "memberships_whole" CHECK((covers = 'house') = (merchant_id is null)),
	CONSTRAINT "memberships_status" CHECK(status = 'active' or status = 'disabled')
) STRICT;--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_house` ON `memberships` (`user_id`) WHERE merchant_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_merchant` ON `memberships` (`user_id`,`merchant_id`) WHERE merchant_id is not null;--> statement-breakpoint
CREATE INDEX `memberships_of_merchant` ON `memberships` (`merchant_id`);--> statement-breakpoint
CREATE TABLE `held_claims` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`server_id` integer NOT NULL,
	`kind` text NOT NULL,
	`ids` text NOT NULL,
	`until` integer NOT NULL,
	`rest_ms` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE INDEX `held_claims_server` ON `held_claims` (`server_id`);--> statement-breakpoint
CREATE INDEX `held_claims_until` ON `held_claims` (`until`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`version` text NOT NULL,
	`schema` text NOT NULL,
	`host` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`beats` integer NOT NULL,
	`draining` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE TABLE `restoration_gaps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`restoration_id` integer NOT NULL,
	`subscription_id` integer,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	FOREIGN KEY (`restoration_id`) REFERENCES `restorations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "restoration_gaps_order" CHECK(first <= last)
) STRICT;--> statement-breakpoint
CREATE INDEX `restoration_gaps_subscription` ON `restoration_gaps` (`subscription_id`);--> statement-breakpoint
CREATE TABLE `restorations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`archive` text NOT NULL,
	`as_of` integer NOT NULL,
	`restored_at` integer NOT NULL,
	`advanced_by` integer NOT NULL,
	`waiting_deliveries` integer NOT NULL,
	`waiting_reports` integer NOT NULL,
	`waiting_purchases` integer NOT NULL,
	`withdrawn_mails` integer NOT NULL,
	`decision` text,
	`decided_at` integer,
	`decided_by` text,
	`settled_at` integer,
	CONSTRAINT "restorations_decision" CHECK(decision = 'send' or decision = 'drop'),
	CONSTRAINT "restorations_decided" CHECK((decision is null) = (decided_at is null))
) STRICT;--> statement-breakpoint
CREATE TABLE `erasures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`status` text NOT NULL,
	`customers` text NOT NULL,
	`terms` text,
	`email` text,
	`after_days` integer,
	`next_at` integer,
	`step` text,
	`place` text NOT NULL,
	`erased` text NOT NULL,
	`receivers` text NOT NULL,
	`asked_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`began_at` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "erasures_status" CHECK(status = 'waiting' or status = 'running' or status = 'done'),
	CONSTRAINT "erasures_finished" CHECK((status = 'done') = (finished_at is not null)),
	CONSTRAINT "erasures_next" CHECK((status = 'done') = (next_at is null)),
	CONSTRAINT "erasures_forgotten" CHECK(status <> 'done' or (terms is null and email is null))
) STRICT;--> statement-breakpoint
CREATE INDEX `erasures_created` ON `erasures` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `erasures_due` ON `erasures` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `retention_settings` (
	`kind` text PRIMARY KEY NOT NULL,
	`days` integer,
	`swept_until` integer,
	`round_at` integer,
	`round_id` integer
) STRICT;--> statement-breakpoint
CREATE TABLE `backup_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`cause` text NOT NULL,
	`place` text NOT NULL,
	`created_at` integer NOT NULL,
	`begun_at` integer,
	`ended_at` integer,
	`held_until` integer,
	`size_bytes` integer,
	`read_bytes` integer,
	`sha256` text,
	`live_at` integer,
	`live_commit` integer,
	`test_at` integer,
	`test_commit` integer,
	`error` text,
	CONSTRAINT "backup_runs_kind" CHECK(kind = 'backup' or kind = 'proof'),
	CONSTRAINT "backup_runs_status" CHECK(status = 'waiting' or status = 'running' or status = 'done' or status = 'failed'),
	CONSTRAINT "backup_runs_cause" CHECK(cause = 'schedule' or cause = 'request')
) STRICT;--> statement-breakpoint
CREATE INDEX `backup_runs_created` ON `backup_runs` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`kind` text NOT NULL,
	`subscription_id` integer,
	`message` text NOT NULL,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	`acknowledged_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notices_mail_status" CHECK(mail_status = 'none' or mail_status = 'waiting' or mail_status = 'sent' or mail_status = 'failed')
) STRICT;--> statement-breakpoint
CREATE INDEX `notices_created` ON `notices` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notices_mail` ON `notices` (`mail_next_at`) WHERE mail_status = 'waiting';--> statement-breakpoint
CREATE TABLE `rounded_amounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`noun` text NOT NULL,
	`record_id` integer NOT NULL,
	`field` text NOT NULL,
	`currency` text NOT NULL,
	`hundredths` integer NOT NULL,
	`minor_units` integer NOT NULL
) STRICT;--> statement-breakpoint
-- Events are counted on from here.
INSERT INTO `counters` (`name`, `number`) VALUES ('events', 0);--> statement-breakpoint
-- The merchant that every installation has. Its moments are none: the program sets them when it starts.
INSERT INTO `merchants` (`id`, `code`, `name`, `status`, `currency`, `timezone`, `created_at`, `updated_at`)
  VALUES (1, 'MAIN', 'Main', 'active', 'USD', 'America/New_York', 0, 0);--> statement-breakpoint
INSERT INTO `billing_start` (`id`, `began_at`) VALUES (1, 0);--> statement-breakpoint
CREATE TRIGGER `events_type_new` BEFORE INSERT ON `events` WHEN NEW.`type` <> 'order.created' AND NEW.`type` <> 'order.fulfilled' AND NEW.`type` <> 'order.shipped' AND NEW.`type` <> 'order.delivered' AND NEW.`type` <> 'order.cancelled' AND NEW.`type` <> 'inventory.updated' AND NEW.`type` <> 'inventory.low_stock' AND NEW.`type` <> 'inventory.received' AND NEW.`type` <> 'shipment.created' AND NEW.`type` <> 'shipment.tracking_updated' AND NEW.`type` <> 'shipment.in_transit' AND NEW.`type` <> 'shipment.delivered' AND NEW.`type` <> 'shipment.exception' AND NEW.`type` <> 'return.created' AND NEW.`type` <> 'return.received' AND NEW.`type` <> 'return.processed' BEGIN
  SELECT RAISE(ABORT, 'events_type');
END;--> statement-breakpoint
CREATE TRIGGER `events_type_changed` BEFORE UPDATE OF `type` ON `events` WHEN NEW.`type` <> 'order.created' AND NEW.`type` <> 'order.fulfilled' AND NEW.`type` <> 'order.shipped' AND NEW.`type` <> 'order.delivered' AND NEW.`type` <> 'order.cancelled' AND NEW.`type` <> 'inventory.updated' AND NEW.`type` <> 'inventory.low_stock' AND NEW.`type` <> 'inventory.received' AND NEW.`type` <> 'shipment.created' AND NEW.`type` <> 'shipment.tracking_updated' AND NEW.`type` <> 'shipment.in_transit' AND NEW.`type` <> 'shipment.delivered' AND NEW.`type` <> 'shipment.exception' AND NEW.`type` <> 'return.created' AND NEW.`type` <> 'return.received' AND NEW.`type` <> 'return.processed' BEGIN
  SELECT RAISE(ABORT, 'events_type');
END;--> statement-breakpoint
CREATE TRIGGER `movements_type_new` BEFORE INSERT ON `movements` WHEN NEW.`type` <> 'adjustment' AND NEW.`type` <> 'transfer' AND NEW.`type` <> 'sale' AND NEW.`type` <> 'return' AND NEW.`type` <> 'receipt' BEGIN
  SELECT RAISE(ABORT, 'movements_type');
END;--> statement-breakpoint
CREATE TRIGGER `movements_type_changed` BEFORE UPDATE OF `type` ON `movements` WHEN NEW.`type` <> 'adjustment' AND NEW.`type` <> 'transfer' AND NEW.`type` <> 'sale' AND NEW.`type` <> 'return' AND NEW.`type` <> 'receipt' BEGIN
  SELECT RAISE(ABORT, 'movements_type');
END;--> statement-breakpoint
CREATE TRIGGER `claim_news_kind_new` BEFORE INSERT ON `claim_news` WHEN NEW.`kind` <> 'filled' AND NEW.`kind` <> 'moved' AND NEW.`kind` <> 'lost' BEGIN
  SELECT RAISE(ABORT, 'claim_news_kind');
END;--> statement-breakpoint
CREATE TRIGGER `claim_news_kind_changed` BEFORE UPDATE OF `kind` ON `claim_news` WHEN NEW.`kind` <> 'filled' AND NEW.`kind` <> 'moved' AND NEW.`kind` <> 'lost' BEGIN
  SELECT RAISE(ABORT, 'claim_news_kind');
END;--> statement-breakpoint
CREATE TRIGGER `bins_kind_new` BEFORE INSERT ON `bins` WHEN NEW.`kind` <> 'storage' AND NEW.`kind` <> 'staging' AND NEW.`kind` <> 'returns' AND NEW.`kind` <> 'putback' AND NEW.`kind` <> 'quarantine' AND NEW.`kind` <> 'damage' BEGIN
  SELECT RAISE(ABORT, 'bins_kind');
END;--> statement-breakpoint
CREATE TRIGGER `bins_kind_changed` BEFORE UPDATE OF `kind` ON `bins` WHEN NEW.`kind` <> 'storage' AND NEW.`kind` <> 'staging' AND NEW.`kind` <> 'returns' AND NEW.`kind` <> 'putback' AND NEW.`kind` <> 'quarantine' AND NEW.`kind` <> 'damage' BEGIN
  SELECT RAISE(ABORT, 'bins_kind');
END;--> statement-breakpoint
CREATE TRIGGER `products_type_new` BEFORE INSERT ON `products` WHEN NEW.`type` <> 'simple' AND NEW.`type` <> 'bundle' BEGIN
  SELECT RAISE(ABORT, 'products_type');
END;--> statement-breakpoint
CREATE TRIGGER `products_type_changed` BEFORE UPDATE OF `type` ON `products` WHEN NEW.`type` <> 'simple' AND NEW.`type` <> 'bundle' BEGIN
  SELECT RAISE(ABORT, 'products_type');
END;--> statement-breakpoint
CREATE TRIGGER `product_barcodes_type_new` BEFORE INSERT ON `product_barcodes` WHEN NEW.`type` <> 'gtin' AND NEW.`type` <> 'ean' AND NEW.`type` <> 'upc' AND NEW.`type` <> 'code128' AND NEW.`type` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'product_barcodes_type');
END;--> statement-breakpoint
CREATE TRIGGER `product_barcodes_type_changed` BEFORE UPDATE OF `type` ON `product_barcodes` WHEN NEW.`type` <> 'gtin' AND NEW.`type` <> 'ean' AND NEW.`type` <> 'upc' AND NEW.`type` <> 'code128' AND NEW.`type` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'product_barcodes_type');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_kind_new` BEFORE INSERT ON `label_documents` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'customs' AND NEW.`kind` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'label_documents_kind');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_kind_changed` BEFORE UPDATE OF `kind` ON `label_documents` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'customs' AND NEW.`kind` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'label_documents_kind');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_content_type_new` BEFORE INSERT ON `label_documents` WHEN NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'label_documents_content_type');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_content_type_changed` BEFORE UPDATE OF `content_type` ON `label_documents` WHEN NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'label_documents_content_type');
END;--> statement-breakpoint
CREATE TRIGGER `returns_reason_new` BEFORE INSERT ON `returns` WHEN NEW.`reason` <> 'defective' AND NEW.`reason` <> 'wrong_item' AND NEW.`reason` <> 'not_as_described' AND NEW.`reason` <> 'customer_remorse' AND NEW.`reason` <> 'expired' AND NEW.`reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'returns_reason');
END;--> statement-breakpoint
CREATE TRIGGER `returns_reason_changed` BEFORE UPDATE OF `reason` ON `returns` WHEN NEW.`reason` <> 'defective' AND NEW.`reason` <> 'wrong_item' AND NEW.`reason` <> 'not_as_described' AND NEW.`reason` <> 'customer_remorse' AND NEW.`reason` <> 'expired' AND NEW.`reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'returns_reason');
END;--> statement-breakpoint
CREATE TRIGGER `return_items_condition_new` BEFORE INSERT ON `return_items` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_items_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_items_condition_changed` BEFORE UPDATE OF `condition` ON `return_items` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_items_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_condition_new` BEFORE INSERT ON `return_inspections` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_condition_changed` BEFORE UPDATE OF `condition` ON `return_inspections` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_disposition_new` BEFORE INSERT ON `return_inspections` WHEN NEW.`disposition` <> 'restock' AND NEW.`disposition` <> 'quarantine' AND NEW.`disposition` <> 'dispose' AND NEW.`disposition` <> 'return_to_sender' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_disposition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_disposition_changed` BEFORE UPDATE OF `disposition` ON `return_inspections` WHEN NEW.`disposition` <> 'restock' AND NEW.`disposition` <> 'quarantine' AND NEW.`disposition` <> 'dispose' AND NEW.`disposition` <> 'return_to_sender' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_disposition');
END;--> statement-breakpoint
CREATE TRIGGER `refunds_method_new` BEFORE INSERT ON `refunds` WHEN NEW.`method` <> 'original_payment' AND NEW.`method` <> 'store_credit' AND NEW.`method` <> 'manual' BEGIN
  SELECT RAISE(ABORT, 'refunds_method');
END;--> statement-breakpoint
CREATE TRIGGER `refunds_method_changed` BEFORE UPDATE OF `method` ON `refunds` WHEN NEW.`method` <> 'original_payment' AND NEW.`method` <> 'store_credit' AND NEW.`method` <> 'manual' BEGIN
  SELECT RAISE(ABORT, 'refunds_method');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_platform_new` BEFORE INSERT ON `platform_connections` WHEN NEW.`platform` <> 'bigcommerce' AND NEW.`platform` <> 'shopify' AND NEW.`platform` <> 'woocommerce' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_platform');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_platform_changed` BEFORE UPDATE OF `platform` ON `platform_connections` WHEN NEW.`platform` <> 'bigcommerce' AND NEW.`platform` <> 'shopify' AND NEW.`platform` <> 'woocommerce' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_platform');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_form_new` BEFORE INSERT ON `deliveries` WHEN NEW.`form` <> 'v1' AND NEW.`form` <> 'v2' AND NEW.`form` <> 'v2_thin' BEGIN
  SELECT RAISE(ABORT, 'deliveries_form');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_form_changed` BEFORE UPDATE OF `form` ON `deliveries` WHEN NEW.`form` <> 'v1' AND NEW.`form` <> 'v2' AND NEW.`form` <> 'v2_thin' BEGIN
  SELECT RAISE(ABORT, 'deliveries_form');
END;--> statement-breakpoint
CREATE TRIGGER `delivery_attempts_trigger_new` BEFORE INSERT ON `delivery_attempts` WHEN NEW.`trigger` <> 'scheduled' AND NEW.`trigger` <> 'manual' AND NEW.`trigger` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'delivery_attempts_trigger');
END;--> statement-breakpoint
CREATE TRIGGER `delivery_attempts_trigger_changed` BEFORE UPDATE OF `trigger` ON `delivery_attempts` WHEN NEW.`trigger` <> 'scheduled' AND NEW.`trigger` <> 'manual' AND NEW.`trigger` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'delivery_attempts_trigger');
END;--> statement-breakpoint
CREATE TRIGGER `one_time_links_purpose_new` BEFORE INSERT ON `one_time_links` WHEN NEW.`purpose` <> 'setup' AND NEW.`purpose` <> 'reset' BEGIN
  SELECT RAISE(ABORT, 'one_time_links_purpose');
END;--> statement-breakpoint
CREATE TRIGGER `one_time_links_purpose_changed` BEFORE UPDATE OF `purpose` ON `one_time_links` WHEN NEW.`purpose` <> 'setup' AND NEW.`purpose` <> 'reset' BEGIN
  SELECT RAISE(ABORT, 'one_time_links_purpose');
END;--> statement-breakpoint
CREATE TRIGGER `rate_cards_apart_new` BEFORE INSERT ON `rate_cards` WHEN NEW.active BEGIN
  SELECT RAISE(ABORT, 'rate_cards_apart') WHERE EXISTS (
    SELECT 1 FROM `rate_cards` AS other
    WHERE other.service = NEW.service AND other.active
      AND (other.effective_from IS NULL OR NEW.effective_to IS NULL OR other.effective_from < NEW.effective_to)
      AND (NEW.effective_from IS NULL OR other.effective_to IS NULL OR NEW.effective_from < other.effective_to)
  );
END;--> statement-breakpoint
CREATE TRIGGER `rate_cards_apart_changed` BEFORE UPDATE ON `rate_cards` WHEN NEW.active BEGIN
  SELECT RAISE(ABORT, 'rate_cards_apart') WHERE EXISTS (
    SELECT 1 FROM `rate_cards` AS other
    WHERE other.id <> NEW.id AND other.service = NEW.service AND other.active
      AND (other.effective_from IS NULL OR NEW.effective_to IS NULL OR other.effective_from < NEW.effective_to)
      AND (NEW.effective_from IS NULL OR other.effective_to IS NULL OR NEW.effective_from < other.effective_to)
  );
END;--> statement-breakpoint
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
END;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_new` BEFORE INSERT ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_changed` BEFORE UPDATE OF `reason` ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
CREATE TRIGGER `billable_events_act_new` BEFORE INSERT ON `billable_events` WHEN NEW.`act` <> 'stock.add' AND NEW.`act` <> 'receipt.close' AND NEW.`act` <> 'stock.move' AND NEW.`act` <> 'stock.put_away' AND NEW.`act` <> 'transfer.ship' AND NEW.`act` <> 'transfer.receive' AND NEW.`act` <> 'count.post' AND NEW.`act` <> 'order.pick' AND NEW.`act` <> 'order.pack' AND NEW.`act` <> 'order.give_up' AND NEW.`act` <> 'order.put_back' AND NEW.`act` <> 'label.buy' AND NEW.`act` <> 'label.void' AND NEW.`act` <> 'return.receive' AND NEW.`act` <> 'return.inspect' AND NEW.`act` <> 'project.add' BEGIN
  SELECT RAISE(ABORT, 'billable_events_act');
END;--> statement-breakpoint
CREATE TRIGGER `billable_events_act_changed` BEFORE UPDATE OF `act` ON `billable_events` WHEN NEW.`act` <> 'stock.add' AND NEW.`act` <> 'receipt.close' AND NEW.`act` <> 'stock.move' AND NEW.`act` <> 'stock.put_away' AND NEW.`act` <> 'transfer.ship' AND NEW.`act` <> 'transfer.receive' AND NEW.`act` <> 'count.post' AND NEW.`act` <> 'order.pick' AND NEW.`act` <> 'order.pack' AND NEW.`act` <> 'order.give_up' AND NEW.`act` <> 'order.put_back' AND NEW.`act` <> 'label.buy' AND NEW.`act` <> 'label.void' AND NEW.`act` <> 'return.receive' AND NEW.`act` <> 'return.inspect' AND NEW.`act` <> 'project.add' BEGIN
  SELECT RAISE(ABORT, 'billable_events_act');
END;--> statement-breakpoint
-- Billable events and storage days never change: a correction is a row of its own.
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
CREATE TRIGGER `memberships_covers_new` BEFORE INSERT ON `memberships` WHEN NEW.`covers` <> 'house' AND NEW.`covers` <> 'merchant' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END;--> statement-breakpoint
CREATE TRIGGER `memberships_covers_changed` BEFORE UPDATE OF `covers` ON `memberships` WHEN NEW.`covers` <> 'house' AND NEW.`covers` <> 'merchant' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_restored_new` BEFORE INSERT ON `deliveries` WHEN NEW.`restored` <> 'waiting' AND NEW.`restored` <> 'sent' AND NEW.`restored` <> 'dropped' BEGIN
  SELECT RAISE(ABORT, 'deliveries_restored');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_restored_changed` BEFORE UPDATE OF `restored` ON `deliveries` WHEN NEW.`restored` <> 'waiting' AND NEW.`restored` <> 'sent' AND NEW.`restored` <> 'dropped' BEGIN
  SELECT RAISE(ABORT, 'deliveries_restored');
END;--> statement-breakpoint
CREATE TRIGGER `notices_kind_new` BEFORE INSERT ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
CREATE TRIGGER `notices_kind_changed` BEFORE UPDATE OF `kind` ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;
