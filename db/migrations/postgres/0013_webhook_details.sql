ALTER TABLE "events" ADD COLUMN "previous" text collate "C";--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "acknowledged_at" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" DROP COLUMN "window_started_at";--> statement-breakpoint
ALTER TABLE "subscriptions" DROP COLUMN "window_attempts";--> statement-breakpoint
ALTER TABLE "subscriptions" DROP COLUMN "window_failures";