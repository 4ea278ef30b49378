CREATE TABLE "customer_words" (
	"customer_id" bigint NOT NULL,
	"word" text collate "C" NOT NULL,
	CONSTRAINT "customer_words_customer_id_word_pk" PRIMARY KEY("customer_id","word")
);
--> statement-breakpoint
ALTER TABLE "customer_words" ADD CONSTRAINT "customer_words_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "customer_words_word" ON "customer_words" USING btree ("word","customer_id");--> statement-breakpoint
CREATE INDEX "orders_number_folded" ON "orders" USING btree (lower("order_number"));--> statement-breakpoint
CREATE INDEX "orders_number_digits" ON "orders" USING btree (substr("order_number", length(rtrim("order_number", '0123456789')) + 1));--> statement-breakpoint
CREATE INDEX "products_sku_folded" ON "products" USING btree (lower("sku"));--> statement-breakpoint
CREATE INDEX "shipments_tracking_bare" ON "shipments" USING btree (replace(replace(lower("tracking_number"), ' ', ''), '-', '')) WHERE tracking_number is not null;--> statement-breakpoint
INSERT INTO "customer_words" ("customer_id", "word")
SELECT DISTINCT "customers"."id", substr(pieces.piece, starts.start) FROM "customers",
	LATERAL (VALUES ("email"), ("first_name"), ("last_name"), ("company")) AS texts(text),
	LATERAL regexp_split_to_table(lower(texts.text), '\s+') AS pieces(piece),
	LATERAL generate_series(1, length(pieces.piece)) AS starts(start)
WHERE pieces.piece <> '' AND (starts.start = 1
	OR substr(pieces.piece, starts.start - 1, 1) ~ '[!-/:-@[-`{-~]' AND substr(pieces.piece, starts.start, 1) ~ '[^!-/:-@[-`{-~]');
