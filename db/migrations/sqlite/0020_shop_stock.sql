-- additive
CREATE TABLE `platform_listing_variants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`variant_id` text NOT NULL,
	`external_id` text NOT NULL,
	`reading` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_listing_variants_variant` ON `platform_listing_variants` (`connection_id`,`variant_id`);--> statement-breakpoint
CREATE TABLE `platform_listings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`location_id` text NOT NULL,
	`sku` text,
	`barcode` text,
	`name` text NOT NULL,
	`unsettable` text,
	`product_id` integer,
	`matched_by` text,
	`buffer` integer,
	`cap` integer,
	`share_percent` integer,
	`is_paused` integer NOT NULL,
	`status` text NOT NULL,
	`revision` integer NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer,
	`needed_at` integer,
	`shop_quantity` integer,
	`in_step_at` integer,
	`error_code` text,
	`error_message` text,
	`reading` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_listings_status" CHECK(status = 'idle' or status = 'queued' or status = 'failed'),
	CONSTRAINT "platform_listings_matched_by" CHECK(matched_by = 'sku' or matched_by = 'barcode' or matched_by = 'hand'),
	CONSTRAINT "platform_listings_unsettable" CHECK(unsettable = 'bundle' or unsettable = 'untracked')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_listings_external` ON `platform_listings` (`connection_id`,`external_id`,`location_id`);--> statement-breakpoint
CREATE INDEX `platform_listings_list` ON `platform_listings` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_listings_sku` ON `platform_listings` (`connection_id`,lower("sku"));--> statement-breakpoint
CREATE INDEX `platform_listings_product` ON `platform_listings` (`product_id`);--> statement-breakpoint
CREATE INDEX `platform_listings_due` ON `platform_listings` (`connection_id`,`due_at`) WHERE status = 'queued';--> statement-breakpoint
CREATE TABLE `platform_stock` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`is_enabled` integer NOT NULL,
	`is_paused` integer NOT NULL,
	`buffer` integer NOT NULL,
	`cap` integer,
	`share_percent` integer NOT NULL,
	`places` text,
	`locations` text NOT NULL,
	`reading` integer NOT NULL,
	`reading_since` integer,
	`reading_location` integer NOT NULL,
	`reading_cursor` text,
	`read_listings` integer NOT NULL,
	`read_at` integer,
	`orders_seen_at` integer,
	`attempts` integer NOT NULL,
	`next_at` integer,
	`leased_until` integer,
	`error_code` text,
	`error_message` text,
	`last_push_at` integer,
	`oversells_prevented` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_stock_buffer" CHECK(buffer between 0 and 1000000000),
	CONSTRAINT "platform_stock_cap" CHECK(cap between 0 and 1000000000),
	CONSTRAINT "platform_stock_share" CHECK(share_percent between 0 and 100)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_stock_connection` ON `platform_stock` (`connection_id`);--> statement-breakpoint
CREATE INDEX `platform_stock_due` ON `platform_stock` (`connection_id`,`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX `platform_stock_enabled` ON `platform_stock` (`connection_id`) WHERE is_enabled;--> statement-breakpoint
CREATE TABLE `platform_stock_differences` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`listing_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`sku` text,
	`location_id` text NOT NULL,
	`shop_quantity` integer,
	`expected_quantity` integer NOT NULL,
	`cause` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`repaired_at` integer,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_stock_differences_cause" CHECK(cause = 'changed_at_shop' or cause = 'order_not_imported' or cause = 'push_failed' or cause = 'not_tracked')
) STRICT;
--> statement-breakpoint
CREATE INDEX `platform_stock_differences_list` ON `platform_stock_differences` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_stock_differences_open` ON `platform_stock_differences` (`listing_id`) WHERE repaired_at is null;--> statement-breakpoint
CREATE INDEX `platform_stock_differences_created` ON `platform_stock_differences` (`created_at`);--> statement-breakpoint
CREATE TABLE `platform_stock_pushes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`connection_id` integer NOT NULL,
	`listing_id` integer NOT NULL,
	`external_id` text NOT NULL,
	`sku` text,
	`location_id` text NOT NULL,
	`from_quantity` integer NOT NULL,
	`to_quantity` integer NOT NULL,
	`result` text NOT NULL,
	`shop_quantity` integer,
	`error_code` text,
	`error_message` text,
	`waited_ms` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_stock_pushes_result" CHECK(result = 'set' or result = 'stale' or result = 'refused' or result = 'failed')
) STRICT;
--> statement-breakpoint
CREATE INDEX `platform_stock_pushes_list` ON `platform_stock_pushes` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_stock_pushes_created` ON `platform_stock_pushes` (`created_at`);--> statement-breakpoint
CREATE INDEX `platform_imports_unimported` ON `platform_imports` (`connection_id`) WHERE status in ('queued', 'waiting', 'failed');