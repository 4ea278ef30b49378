PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_labels` (
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
	FOREIGN KEY (`shipment_id`) REFERENCES `shipments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`return_id`) REFERENCES `returns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_id`) REFERENCES `carrier_accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "labels_status" CHECK(status in ('processing', 'completed', 'error', 'voided')),
	CONSTRAINT "labels_void_status" CHECK(void_status in ('asked', 'submitted', 'accepted')),
	CONSTRAINT "labels_cost" CHECK(cost_cents >= 0 and carrier_cost_cents >= 0),
	CONSTRAINT "labels_place" CHECK((shipment_id is null) <> (return_id is null)),
	CONSTRAINT "labels_bought" CHECK(tracking_number is not null or status in ('processing', 'error')),
	CONSTRAINT "labels_failed" CHECK((status = 'error') = (error_code is not null)),
	CONSTRAINT "labels_under_way" CHECK((status = 'processing' or coalesce(void_status, '') = 'asked') = (claimed_until is not null)),
	CONSTRAINT "labels_asked" CHECK(claimed_until is null or account_id is not null)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_labels`("id", "shipment_id", "order_id", "return_id", "account_id", "status", "carrier", "service", "tracking_number", "tracking_url", "cost_cents", "carrier_cost_cents", "currency", "breakdown", "zone", "billable_pounds", "delivery_date", "quote_nonce", "offer_ref", "carrier_ref", "tracker_ref", "package", "value_cents", "insurance", "from_address", "to_address", "drawing", "warnings", "fingerprint", "asked_by", "claimed_until", "attempts", "error_code", "error_message", "void_status", "created_at", "voided_at") SELECT "id", "shipment_id", "order_id", "return_id", "account_id", "status", "carrier", "service", "tracking_number", "tracking_url", "cost_cents", "carrier_cost_cents", "currency", "breakdown", "zone", "billable_pounds", "delivery_date", "quote_nonce", "offer_ref", "carrier_ref", "tracker_ref", "package", "value_cents", "insurance", "from_address", "to_address", "drawing", "warnings", "fingerprint", "asked_by", "claimed_until", "attempts", "error_code", "error_message", "void_status", "created_at", "voided_at" FROM `labels`;--> statement-breakpoint
DROP TABLE `labels`;--> statement-breakpoint
ALTER TABLE `__new_labels` RENAME TO `labels`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`) WHERE account_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_quote` ON `labels` (`quote_nonce`) WHERE quote_nonce is not null;--> statement-breakpoint
CREATE INDEX `labels_order` ON `labels` (`order_id`);--> statement-breakpoint
CREATE INDEX `labels_shipment` ON `labels` (`shipment_id`);--> statement-breakpoint
CREATE INDEX `labels_return` ON `labels` (`return_id`) WHERE return_id is not null;--> statement-breakpoint
CREATE INDEX `labels_claimed` ON `labels` (`claimed_until`) WHERE claimed_until is not null;