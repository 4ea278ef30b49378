-- additive
ALTER TABLE "orders" ADD COLUMN "packing_note" text collate "C";--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "shipping_choice" json;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "decided_by" json;