-- additive
CREATE INDEX "platform_reports_reported" ON "platform_reports" USING btree ("connection_id","reported_at") WHERE reported_at is not null;--> statement-breakpoint
CREATE INDEX "platform_notifications_connection" ON "platform_notifications" USING btree ("connection_id","created_at");