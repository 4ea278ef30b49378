CREATE TABLE "label_documents" (
	"label_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"kind" text collate "C" NOT NULL,
	"content_type" text collate "C" NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "label_documents_label_id_position_pk" PRIMARY KEY("label_id","position"),
	CONSTRAINT "label_documents_kind" CHECK (kind in ('label', 'customs', 'other')),
	CONSTRAINT "label_documents_content_type" CHECK (content_type in ('application/pdf', 'image/png', 'application/zpl'))
);
--> statement-breakpoint
DROP INDEX "labels_tracking";--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "open_until" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "return_id" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "account_id" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "tracking_url" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "carrier_cost_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "breakdown" json;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "zone" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "billable_pounds" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "delivery_date" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "quote_nonce" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "offer_ref" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "carrier_ref" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "tracker_ref" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "value_cents" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "insurance" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "asked_by" json;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "claimed_until" bigint;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "attempts" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "error_code" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "error_message" text collate "C";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "void_status" text collate "C";--> statement-breakpoint
ALTER TABLE "label_documents" ADD CONSTRAINT "label_documents_label_id_labels_id_fk" FOREIGN KEY ("label_id") REFERENCES "labels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_return_id_returns_id_fk" FOREIGN KEY ("return_id") REFERENCES "returns"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "labels_quote" ON "labels" USING btree ("quote_nonce") WHERE quote_nonce is not null;--> statement-breakpoint
CREATE INDEX "labels_return" ON "labels" USING btree ("return_id") WHERE return_id is not null;--> statement-breakpoint
CREATE INDEX "labels_claimed" ON "labels" USING btree ("claimed_until") WHERE claimed_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "labels_tracking" ON "labels" USING btree ("carrier","tracking_number") WHERE account_id is null;--> statement-breakpoint
UPDATE "labels" SET "carrier_cost_cents" = "cost_cents";
