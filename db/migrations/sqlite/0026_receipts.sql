-- additive
ALTER TABLE `receipt_lines` ADD `unit_cost_cents` integer;--> statement-breakpoint
ALTER TABLE `receipt_lines` ADD `unit_cost_currency` text;--> statement-breakpoint
ALTER TABLE `receipts` ADD `purchase_order_number` text;--> statement-breakpoint
ALTER TABLE `receipts` ADD `carrier` text;--> statement-breakpoint
ALTER TABLE `receipts` ADD `tracking_number` text;--> statement-breakpoint
ALTER TABLE `receipts` ADD `freight_cents` integer;--> statement-breakpoint
ALTER TABLE `receipts` ADD `freight_currency` text;--> statement-breakpoint
CREATE INDEX `receipts_purchase_order` ON `receipts` (lower("purchase_order_number")) WHERE purchase_order_number is not null