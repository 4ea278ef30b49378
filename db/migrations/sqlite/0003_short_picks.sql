CREATE TABLE `claim_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`kind` text NOT NULL,
	`quantity` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claim_news_kind" CHECK(kind in ('filled', 'moved', 'lost')),
	CONSTRAINT "claim_news_quantity" CHECK(quantity between 1 and 1000000000)
) STRICT;
--> statement-breakpoint
CREATE INDEX `claim_news_order` ON `claim_news` (`order_id`);--> statement-breakpoint
ALTER TABLE `reservations` ADD `avoids` text;