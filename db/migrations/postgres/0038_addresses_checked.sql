CREATE TABLE "address_settings" (
	"id" bigint PRIMARY KEY NOT NULL,
	"edition" bigint NOT NULL,
	"next" bigint,
	"asks_carrier" boolean NOT NULL,
	CONSTRAINT "address_settings_one" CHECK (id = 1)
);
--> statement-breakpoint
CREATE TABLE "postal_codes" (
	"zip" bigint PRIMARY KEY NOT NULL,
	"city" text collate "C" NOT NULL,
	"state" text collate "C" NOT NULL,
	"latitude_e3" bigint NOT NULL,
	"longitude_e3" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "addresses" ADD COLUMN "verification" json;--> statement-breakpoint
ALTER TABLE "addresses" ADD COLUMN "ask_at" bigint;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "address_verification" json;--> statement-breakpoint
CREATE INDEX "addresses_to_ask" ON "addresses" USING btree ("ask_at") WHERE ask_at is not null;