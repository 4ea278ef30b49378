-- additive
ALTER TABLE `orders` ADD `packing_note` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `shipping_choice` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `decided_by` text;