DROP INDEX `order_history_order`;--> statement-breakpoint
ALTER TABLE `order_history` ADD `number` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `history_rows` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
UPDATE `order_history` SET `number` = numbered.n
FROM (SELECT id, row_number() OVER (PARTITION BY order_id ORDER BY id) AS n FROM `order_history`) AS numbered
WHERE numbered.id = `order_history`.id;--> statement-breakpoint
UPDATE `orders` SET `history_rows` = counted.n
FROM (SELECT order_id, count(*) AS n FROM `order_history` GROUP BY order_id) AS counted
WHERE counted.order_id = `orders`.id;--> statement-breakpoint
CREATE UNIQUE INDEX `order_history_number` ON `order_history` (`order_id`,`number`);--> statement-breakpoint
CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`number` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `counters` (`name`, `number`) SELECT 'events', coalesce(max(`position`), 0) FROM `events`;
