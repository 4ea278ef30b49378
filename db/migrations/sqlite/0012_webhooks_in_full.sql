CREATE TABLE `notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`subscription_id` integer NOT NULL,
	`message` text NOT NULL,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notices_kind" CHECK(kind in ('webhook_failing', 'webhook_disabled')),
	CONSTRAINT "notices_mail_status" CHECK(mail_status in ('none', 'waiting', 'sent', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `notices_created` ON `notices` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notices_mail` ON `notices` (`mail_next_at`) WHERE mail_status = 'waiting';--> statement-breakpoint
CREATE TABLE `recoveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subscription_id` integer NOT NULL,
	`status` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`statuses` text NOT NULL,
	`total` integer NOT NULL,
	`queued` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "recoveries_status" CHECK(status in ('queueing', 'queued', 'cancelled'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `recoveries_queueing` ON `recoveries` (`id`) WHERE status = 'queueing';--> statement-breakpoint
CREATE INDEX `recoveries_subscription` ON `recoveries` (`subscription_id`,`id`);--> statement-breakpoint
DROP INDEX `deliveries_due`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `trigger` text DEFAULT 'scheduled' NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `recovery_id` integer;--> statement-breakpoint
CREATE INDEX `deliveries_first` ON `deliveries` (`subscription_id`,`next_at`,`id`) WHERE status = 'pending' and trigger = 'scheduled' and attempts < 2;--> statement-breakpoint
CREATE INDEX `deliveries_late` ON `deliveries` (`subscription_id`,`next_at`,`id`) WHERE status = 'pending' and (trigger <> 'scheduled' or attempts >= 2);--> statement-breakpoint
CREATE INDEX `deliveries_missed` ON `deliveries` (`subscription_id`,`created_at`,`id`) WHERE status in ('exhausted', 'skipped');--> statement-breakpoint
CREATE INDEX `deliveries_recovery` ON `deliveries` (`recovery_id`,`status`) WHERE recovery_id is not null;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `rate_limit_per_second` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `paced_until` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `circuit_wait_ms` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `next_probe_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `window_started_at` integer;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `window_attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `window_failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `delivery_attempts_bodies` ON `delivery_attempts` (`started_at`) WHERE response_body <> '';