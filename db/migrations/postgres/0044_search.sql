CREATE INDEX "customers_phone" ON "customers" USING btree (replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', '')) WHERE phone is not null;--> statement-breakpoint
CREATE INDEX "customers_phone_end" ON "customers" USING btree (right(replace(replace(replace(replace(replace(replace(replace("phone", ' ', ''), '-', ''), '(', ''), ')', ''), '.', ''), '+', ''), '/', ''), 7)) WHERE phone is not null;--> statement-breakpoint
CREATE INDEX "lots_number_folded" ON "lots" USING btree (lower("lot_number"));--> statement-breakpoint
CREATE INDEX "order_holds_reason" ON "order_holds" USING btree ("reason","order_id") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "orders_external" ON "orders" USING btree (lower("source_external_id")) WHERE source_external_id is not null;--> statement-breakpoint
CREATE INDEX "products_name_folded" ON "products" USING btree (lower("name"));--> statement-breakpoint
CREATE INDEX "receipts_reference" ON "receipts" USING btree (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "receipts_supplier" ON "receipts" USING btree (lower("supplier")) WHERE supplier is not null;--> statement-breakpoint
CREATE INDEX "labels_number" ON "labels" USING btree ("tracking_number") WHERE tracking_number is not null;--> statement-breakpoint
CREATE INDEX "transfers_reference" ON "transfers" USING btree (lower("reference")) WHERE reference is not null;--> statement-breakpoint
CREATE INDEX "bins_code_folded" ON "bins" USING btree (lower("code")) WHERE kind <> 'staging';