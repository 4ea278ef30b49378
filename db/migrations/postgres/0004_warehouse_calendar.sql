ALTER TABLE "warehouses" ADD COLUMN "working_days" json DEFAULT '["mon","tue","wed","thu","fri"]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "warehouses" ADD COLUMN "holidays" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "warehouses" ADD COLUMN "cutoff_time" text collate "C" DEFAULT '14:00' NOT NULL;