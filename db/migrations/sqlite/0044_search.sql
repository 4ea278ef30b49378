CREATE INDEX `customers_phone` ON `customers` (replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', '')) WHERE phone is not null;--> statement-breakpoint
CREATE INDEX `customers_phone_end` ON `customers` (substr(replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', ''), -7)) WHERE phone is not null;--> statement-breakpoint
CREATE INDEX `lots_number_folded` ON `lots` (lower("lot_number"));--> statement-breakpoint
CREATE INDEX `order_holds_reason` ON `order_holds` (`reason`,`order_id`) WHERE released_at is null;--> statement-breakpoint
CREATE INDEX `orders_external` ON `orders` (lower("source_external_id")) WHERE source_external_id is not null;--> statement-breakpoint
CREATE INDEX `products_name_folded` ON `products` (lower("name"));--> statement-breakpoint
CREATE INDEX `receipts_reference` ON `receipts` (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX `receipts_supplier` ON `receipts` (lower("supplier")) WHERE supplier is not null;--> statement-breakpoint
CREATE INDEX `labels_number` ON `labels` (`tracking_number`) WHERE tracking_number is not null;--> statement-breakpoint
CREATE INDEX `transfers_reference` ON `transfers` (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX `bins_code_folded` ON `bins` (lower("code")) WHERE kind <> 'staging';