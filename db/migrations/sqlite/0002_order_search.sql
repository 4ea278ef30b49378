CREATE TABLE `customer_words` (
	`customer_id` integer NOT NULL,
	`word` text NOT NULL,
	PRIMARY KEY(`customer_id`, `word`),
	FOREIGN KEY (`customer_id`) REFERENCES `customers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `customer_words_word` ON `customer_words` (`word`,`customer_id`);--> statement-breakpoint
CREATE INDEX `orders_number_folded` ON `orders` (lower("order_number"));--> statement-breakpoint
CREATE INDEX `orders_number_digits` ON `orders` (substr("order_number", length(rtrim("order_number", '0123456789')) + 1));--> statement-breakpoint
CREATE INDEX `products_sku_folded` ON `products` (lower("sku"));--> statement-breakpoint
CREATE INDEX `shipments_tracking_bare` ON `shipments` (replace(replace(lower("tracking_number"), ' ', ''), '-', '')) WHERE tracking_number is not null;;--> statement-breakpoint
INSERT INTO `customer_words` (`customer_id`, `word`)
WITH RECURSIVE
	texts(customer_id, text) AS (
		SELECT `id`, lower(`email`) FROM `customers`
		UNION ALL SELECT `id`, lower(`first_name`) FROM `customers` WHERE `first_name` <> ''
		UNION ALL SELECT `id`, lower(`last_name`) FROM `customers` WHERE `last_name` <> ''
		UNION ALL SELECT `id`, lower(`company`) FROM `customers` WHERE `company` <> ''
	),
	steps(customer_id, before, rest) AS (
		SELECT customer_id, ' ', text || ' ' FROM texts
		UNION ALL SELECT customer_id, substr(rest, 1, 1), substr(rest, 2) FROM steps WHERE length(rest) > 1
	)
SELECT DISTINCT customer_id, substr(rest, 1, instr(rest, ' ') - 1) FROM steps
WHERE instr(rest, ' ') > 1 AND (before = ' ' OR before GLOB '[!-/:-@[-`{-~]' AND rest GLOB '[^!-/:-@[-`{-~]*');
