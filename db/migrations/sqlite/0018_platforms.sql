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
	CONSTRAINT "platform_connections_platform" CHECK(platform in ('bigcommerce', 'shopify', 'woocommerce')),
	CONSTRAINT "platform_connections_status" CHECK(status in ('active', 'paused'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_connections_key` ON `platform_connections` (`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `platform_connections_store` ON `platform_connections` (`platform`,`store_id`);--> statement-breakpoint
CREATE INDEX `platform_connections_created` ON `platform_connections` (`created_at`,`id`);--> statement-breakpoint
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
	FOREIGN KEY (`connection_id`) REFERENCES `platform_connections`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "platform_imports_status" CHECK(status in ('queued', 'imported', 'waiting', 'ignored', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_imports_external` ON `platform_imports` (`connection_id`,`external_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `platform_imports_order` ON `platform_imports` (`order_id`);--> statement-breakpoint
CREATE INDEX `platform_imports_list` ON `platform_imports` (`connection_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `platform_imports_queued` ON `platform_imports` (`connection_id`,`next_at`) WHERE status = 'queued';--> statement-breakpoint
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
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `platform_notifications_repeat` ON `platform_notifications` (`connection_id`,`dedupe_key`);--> statement-breakpoint
CREATE INDEX `platform_notifications_created` ON `platform_notifications` (`created_at`);