ALTER TABLE "deliveries" ADD COLUMN "form" text collate "C" DEFAULT 'v1' NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_form" CHECK (form in ('v1', 'v2', 'v2_thin'));
