DROP INDEX `order_lines_product`;--> statement-breakpoint
CREATE INDEX `order_lines_product_order` ON `order_lines` (`product_id`,`order_id`);--> statement-breakpoint
CREATE INDEX `orders_queue` ON `orders` (`status`,`held`,"priority" desc,`id`);