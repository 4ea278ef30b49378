CREATE TABLE `label_documents` (
	`label_id` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`content_type` text NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`label_id`, `position`),
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "label_documents_kind" CHECK(kind in ('label', 'customs', 'other')),
	CONSTRAINT "label_documents_content_type" CHECK(content_type in ('application/pdf', 'image/png', 'application/zpl'))
) STRICT;
--> statement-breakpoint
DROP INDEX `labels_tracking`;--> statement-breakpoint
ALTER TABLE `labels` ADD `return_id` integer REFERENCES returns(id);--> statement-breakpoint
ALTER TABLE `labels` ADD `account_id` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `tracking_url` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `carrier_cost_cents` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `labels` ADD `breakdown` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `zone` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `billable_pounds` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `delivery_date` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `quote_nonce` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `offer_ref` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `carrier_ref` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `tracker_ref` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `value_cents` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `insurance` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `labels` ADD `asked_by` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `claimed_until` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `labels` ADD `error_code` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `error_message` text;--> statement-breakpoint
ALTER TABLE `labels` ADD `void_status` text;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_quote` ON `labels` (`quote_nonce`) WHERE quote_nonce is not null;--> statement-breakpoint
CREATE INDEX `labels_return` ON `labels` (`return_id`) WHERE return_id is not null;--> statement-breakpoint
CREATE INDEX `labels_claimed` ON `labels` (`claimed_until`) WHERE claimed_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`) WHERE account_id is null;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `open_until` integer;--> statement-breakpoint
UPDATE `labels` SET `carrier_cost_cents` = `cost_cents`;
