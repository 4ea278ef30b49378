ALTER TABLE "orders" ADD COLUMN "imported" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "orders_imported" ON "orders" USING btree ("created_at","id") WHERE imported = true;