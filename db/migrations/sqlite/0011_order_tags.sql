-- additive
CREATE TABLE `order_tags` (
	`merchant_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`key` text NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`order_id`, `key`),
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `order_tags_key` ON `order_tags` (`key`,`merchant_id`,`order_id`);--> statement-breakpoint
CREATE TABLE `order_words` (
	`order_id` integer NOT NULL,
	`note_id` integer NOT NULL,
	`word` text NOT NULL,
	`internal` integer NOT NULL,
	PRIMARY KEY(`order_id`, `note_id`, `word`),
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `order_words_word` ON `order_words` (`word`,`internal`,`order_id`);--> statement-breakpoint
CREATE TABLE `staff_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`text` text NOT NULL,
	`shared` integer NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `staff_notes_order` ON `staff_notes` (`order_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `orders` ADD `tags` text DEFAULT '[]' NOT NULL;