CREATE INDEX "count_lines_count" ON "count_lines" USING btree ("count_id");--> statement-breakpoint
CREATE INDEX "counts_reviewed" ON "counts" USING btree ("reviewed_at") WHERE status = 'review';--> statement-breakpoint
CREATE INDEX "platform_reports_failed" ON "platform_reports" USING btree ("updated_at") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "platform_imports_failed" ON "platform_imports" USING btree ("updated_at") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "receipts_awaited" ON "receipts" USING btree ("expected_at") WHERE status in ('expected', 'receiving');--> statement-breakpoint
CREATE INDEX "labels_failed" ON "labels" USING btree ("created_at") WHERE status = 'error';