PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_order_holds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`reason` text NOT NULL,
	`note` text,
	`hold_until` integer,
	`reserve_inventory` integer NOT NULL,
	`created_at` integer NOT NULL,
	`released_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "order_holds_reason" CHECK(reason in ('manual', 'address', 'payment', 'fraud', 'inventory', 'customer_request', 'compliance', 'other', 'bad_address', 'carrier_discrepancy', 'recalled_lot', 'short_pick', 'unknown_sku'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_order_holds`("id", "order_id", "reason", "note", "hold_until", "reserve_inventory", "created_at", "released_at") SELECT "id", "order_id", "reason", "note", "hold_until", "reserve_inventory", "created_at", "released_at" FROM `order_holds`;--> statement-breakpoint
DROP TABLE `order_holds`;--> statement-breakpoint
ALTER TABLE `__new_order_holds` RENAME TO `order_holds`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `order_holds_order` ON `order_holds` (`order_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `order_holds_open` ON `order_holds` (`order_id`,`reason`) WHERE released_at is null;--> statement-breakpoint
CREATE INDEX `order_holds_recalled` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'recalled_lot';--> statement-breakpoint
CREATE INDEX `order_holds_unknown_sku` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'unknown_sku';--> statement-breakpoint
CREATE INDEX `order_holds_bad_address` ON `order_holds` (`order_id`) WHERE released_at is null and reason = 'bad_address';--> statement-breakpoint
CREATE INDEX `order_holds_until` ON `order_holds` (`hold_until`) WHERE released_at is null and hold_until is not null;