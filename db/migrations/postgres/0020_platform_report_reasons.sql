ALTER TABLE "platform_reports" ADD COLUMN "error_code" text collate "C";--> statement-breakpoint
ALTER TABLE "platform_reports" ADD COLUMN "error_message" text collate "C";