-- additive
CREATE TABLE `document_chunks` (
	`document_id` integer NOT NULL,
	`position` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`document_id`, `position`),
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `document_orders` (
	`document_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	PRIMARY KEY(`document_id`, `order_id`),
	FOREIGN KEY (`document_id`) REFERENCES `documents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `document_orders_order` ON `document_orders` (`order_id`);--> statement-breakpoint
CREATE TABLE `documents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`status` text NOT NULL,
	`format` text NOT NULL,
	`sections` text NOT NULL,
	`paper` text,
	`items` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL,
	`pages` integer,
	`size` integer,
	`printed` text NOT NULL,
	`skipped` text NOT NULL,
	`error_message` text,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`expires_at` integer NOT NULL,
	`claimed_until` integer,
	`attempts` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "documents_status" CHECK(status = 'processing' or status = 'completed' or status = 'failed'),
	CONSTRAINT "documents_under_way" CHECK((status = 'processing') = (claimed_until is not null)),
	CONSTRAINT "documents_done" CHECK((status = 'completed') = (pages is not null and size is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `documents_created` ON `documents` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `documents_expired` ON `documents` (`expires_at`);--> statement-breakpoint
CREATE INDEX `documents_claimed` ON `documents` (`claimed_until`) WHERE claimed_until is not null;--> statement-breakpoint
ALTER TABLE `orders` ADD `slip_printed_at` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `slip_prints` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `pick_list_printed_at` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `pick_list_prints` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `labels` ADD `printed_at` integer;--> statement-breakpoint
ALTER TABLE `labels` ADD `prints` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `labels_unprinted` ON `labels` (`order_id`) WHERE status = 'completed' and return_id is null and printed_at is null;--> statement-breakpoint
ALTER TABLE `shipments` ADD `label_printed_at` integer;--> statement-breakpoint
ALTER TABLE `shipments` ADD `slip_prints` integer DEFAULT 0 NOT NULL;