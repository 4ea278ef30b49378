-- breaking: the version before would put goods into bins that are kept for others
ALTER TABLE "bins" ADD COLUMN "dedicated_merchant_id" bigint;--> statement-breakpoint
ALTER TABLE "bins" ADD COLUMN "mix_merchants" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "bins" ADD CONSTRAINT "bins_dedicated_merchant_id_merchants_id_fk" FOREIGN KEY ("dedicated_merchant_id") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "bins_dedicated" ON "bins" USING btree ("dedicated_merchant_id","zone_id","pick_order","id") WHERE dedicated_merchant_id is not null;