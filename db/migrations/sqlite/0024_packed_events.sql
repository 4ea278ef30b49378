PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`body` blob NOT NULL,
	`previous` text,
	`created_at` integer NOT NULL,
	`position` integer,
	`fanned_out_at` integer,
	CONSTRAINT "events_type" CHECK(type in ('order.created', 'order.fulfilled', 'order.shipped', 'order.delivered', 'order.cancelled', 'inventory.updated', 'inventory.low_stock', 'inventory.received', 'shipment.created', 'shipment.tracking_updated', 'shipment.in_transit', 'shipment.delivered', 'shipment.exception', 'return.created', 'return.received', 'return.processed'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_events`("seq", "id", "type", "body", "previous", "created_at", "position", "fanned_out_at") SELECT "seq", "id", "type", cast("body" as blob), "previous", "created_at", "position", "fanned_out_at" FROM `events`;--> statement-breakpoint
DROP TABLE `events`;--> statement-breakpoint
ALTER TABLE `__new_events` RENAME TO `events`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `events_id` ON `events` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_position` ON `events` (`position`);--> statement-breakpoint
CREATE INDEX `events_waiting` ON `events` (`seq`) WHERE fanned_out_at is null;--> statement-breakpoint
CREATE INDEX `events_kept` ON `events` (`created_at`) WHERE length(body) > 0;--> statement-breakpoint
CREATE TABLE `__new_labels` (
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
	`drawing` blob,
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
INSERT INTO `__new_labels`("id", "shipment_id", "order_id", "status", "carrier", "service", "tracking_number", "tracking_url", "cost_cents", "currency", "package", "from_address", "to_address", "drawing", "warnings", "fingerprint", "created_at", "voided_at") SELECT "id", "shipment_id", "order_id", "status", "carrier", "service", "tracking_number", "tracking_url", "cost_cents", "currency", "package", "from_address", "to_address", cast("drawing" as blob), "warnings", "fingerprint", "created_at", "voided_at" FROM `labels`;--> statement-breakpoint
DROP TABLE `labels`;--> statement-breakpoint
ALTER TABLE `__new_labels` RENAME TO `labels`;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`);--> statement-breakpoint
CREATE INDEX `labels_order` ON `labels` (`order_id`);--> statement-breakpoint
CREATE INDEX `labels_shipment` ON `labels` (`shipment_id`);--> statement-breakpoint
CREATE TABLE `__new_delivery_attempts` (
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
	CONSTRAINT "delivery_attempts_status" CHECK(status in ('success', 'failed', 'blocked')),
	CONSTRAINT "delivery_attempts_trigger" CHECK(trigger in ('scheduled', 'manual', 'test'))
) STRICT;
--> statement-breakpoint
-- What the headers said beside the signatures follows from the delivery. During a rotation two of the second kind stand
-- in one header: 47 characters each.
INSERT INTO __new_delivery_attempts
SELECT id, delivery_id, subscription_id, attempt, max_attempts, trigger, status, url,
	cast(coalesce(request_headers ->> 'webhook-timestamp', '0') as integer),
	coalesce(request_headers ->> 'X-Webhook-Signature', '') || ' ' || substr(coalesce(request_headers ->> 'webhook-signature', ''), 1, 47)
		|| coalesce(' ' || (request_headers ->> 'X-Webhook-Signature-Previous') || substr(request_headers ->> 'webhook-signature', 48), ''),
	status_code, response_headers, response_body, truncated, error_code, error_message, ip_address, duration_ms, started_at, next_attempt_at
FROM delivery_attempts;--> statement-breakpoint
DROP TABLE `delivery_attempts`;--> statement-breakpoint
ALTER TABLE `__new_delivery_attempts` RENAME TO `delivery_attempts`;--> statement-breakpoint
CREATE INDEX `delivery_attempts_subscription` ON `delivery_attempts` (`subscription_id`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_delivery` ON `delivery_attempts` (`delivery_id`,`attempt`);--> statement-breakpoint
CREATE INDEX `delivery_attempts_bodies` ON `delivery_attempts` (`started_at`) WHERE response_body <> '';
