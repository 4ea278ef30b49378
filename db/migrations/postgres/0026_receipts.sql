-- additive
ALTER TABLE "receipt_lines" ADD COLUMN "unit_cost_cents" bigint;--> statement-breakpoint
ALTER TABLE "receipt_lines" ADD COLUMN "unit_cost_currency" text collate "C";--> statement-breakpoint
ALTER TABLE "receipts" ADD COLUMN "purchase_order_number" text collate "C";--> statement-breakpoint
ALTER TABLE "receipts" ADD COLUMN "carrier" text collate "C";--> statement-breakpoint
ALTER TABLE "receipts" ADD COLUMN "tracking_number" text collate "C";--> statement-breakpoint
ALTER TABLE "receipts" ADD COLUMN "freight_cents" bigint;--> statement-breakpoint
ALTER TABLE "receipts" ADD COLUMN "freight_currency" text collate "C";--> statement-breakpoint
CREATE INDEX "receipts_purchase_order" ON "receipts" USING btree (lower("purchase_order_number")) WHERE purchase_order_number is not null