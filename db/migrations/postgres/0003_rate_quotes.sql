-- additive
CREATE TABLE "rate_quotes" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"merchant_id" bigint,
	"content" "bytea" NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rate_quotes" ADD CONSTRAINT "rate_quotes_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rate_quotes_expiry" ON "rate_quotes" USING btree ("expires_at");