-- breaking: the version before would not say in order lines when their order was created
DROP INDEX `order_lines_product_order`;--> statement-breakpoint
ALTER TABLE `order_lines` ADD `ordered_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `order_lines` SET `ordered_at` = (SELECT `created_at` FROM `orders` WHERE `orders`.`id` = `order_lines`.`order_id`);--> statement-breakpoint
CREATE INDEX `order_lines_product_time` ON `order_lines` (`product_id`,`ordered_at`,`order_id`);--> statement-breakpoint
DROP INDEX `orders_created`;--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`,`order_number`);
