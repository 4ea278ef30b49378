-- additive
ALTER TABLE "erasures" ADD COLUMN "began_at" bigint;--> statement-breakpoint
ALTER TABLE "erasures" ADD COLUMN "began_after" bigint;--> statement-breakpoint
ALTER TABLE "retention_settings" ADD COLUMN "round_at" bigint;--> statement-breakpoint
ALTER TABLE "retention_settings" ADD COLUMN "round_id" bigint;--> statement-breakpoint
CREATE INDEX "returns_email" ON "returns" USING btree (lower("customer_email")) WHERE customer_email is not null;