ALTER TABLE "labels" DROP CONSTRAINT "labels_cost";--> statement-breakpoint
ALTER TABLE "labels" ALTER COLUMN "shipment_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_account_id_carrier_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "carrier_accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_void_status" CHECK (void_status in ('asked', 'submitted', 'accepted'));--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_place" CHECK ((shipment_id is null) <> (return_id is null));--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_bought" CHECK (tracking_number is not null or status in ('processing', 'error'));--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_failed" CHECK ((status = 'error') = (error_code is not null));--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_under_way" CHECK ((status = 'processing' or coalesce(void_status, '') = 'asked') = (claimed_until is not null));--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_asked" CHECK (claimed_until is null or account_id is not null);--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_cost" CHECK (cost_cents >= 0 and carrier_cost_cents >= 0);