ALTER TABLE "labels" DROP COLUMN "tracking_url";--> statement-breakpoint
ALTER TABLE "shipments" DROP COLUMN "tracking_url";