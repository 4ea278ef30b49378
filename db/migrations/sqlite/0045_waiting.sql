CREATE INDEX `count_lines_count` ON `count_lines` (`count_id`);--> statement-breakpoint
CREATE INDEX `counts_reviewed` ON `counts` (`reviewed_at`) WHERE status = 'review';--> statement-breakpoint
CREATE INDEX `platform_reports_failed` ON `platform_reports` (`updated_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `platform_imports_failed` ON `platform_imports` (`updated_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `receipts_awaited` ON `receipts` (`expected_at`) WHERE status in ('expected', 'receiving');--> statement-breakpoint
CREATE INDEX `labels_failed` ON `labels` (`created_at`) WHERE status = 'error';