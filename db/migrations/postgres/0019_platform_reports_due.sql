DROP INDEX "platform_reports_queued";--> statement-breakpoint
CREATE INDEX "platform_reports_due" ON "platform_reports" USING btree ("connection_id","next_at") WHERE status = 'queued';--> statement-breakpoint
ALTER TABLE "platform_reports" DROP COLUMN "last_error";