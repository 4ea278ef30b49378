-- additive
CREATE TABLE `backup_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`cause` text NOT NULL,
	`place` text NOT NULL,
	`created_at` integer NOT NULL,
	`begun_at` integer,
	`ended_at` integer,
	`held_until` integer,
	`size_bytes` integer,
	`read_bytes` integer,
	`sha256` text,
	`live_at` integer,
	`live_commit` integer,
	`test_at` integer,
	`test_commit` integer,
	`error` text,
	CONSTRAINT "backup_runs_kind" CHECK(kind = 'backup' or kind = 'proof'),
	CONSTRAINT "backup_runs_status" CHECK(status = 'waiting' or status = 'running' or status = 'done' or status = 'failed'),
	CONSTRAINT "backup_runs_cause" CHECK(cause = 'schedule' or cause = 'request')
) STRICT;
--> statement-breakpoint
CREATE INDEX `backup_runs_created` ON `backup_runs` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `__new_notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`kind` text NOT NULL,
	`subscription_id` integer,
	`message` text NOT NULL,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	`acknowledged_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notices_mail_status" CHECK(mail_status = 'none' or mail_status = 'waiting' or mail_status = 'sent' or mail_status = 'failed')
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_notices`("id", "merchant_id", "kind", "subscription_id", "message", "mail_status", "mail_attempts", "mail_next_at", "acknowledged_at", "created_at") SELECT "id", "merchant_id", "kind", "subscription_id", "message", "mail_status", "mail_attempts", "mail_next_at", "acknowledged_at", "created_at" FROM `notices`;--> statement-breakpoint
DROP TABLE `notices`;--> statement-breakpoint
ALTER TABLE `__new_notices` RENAME TO `notices`;--> statement-breakpoint
CREATE INDEX `notices_created` ON `notices` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notices_mail` ON `notices` (`mail_next_at`) WHERE mail_status = 'waiting';--> statement-breakpoint
CREATE TRIGGER `notices_kind_new` BEFORE INSERT ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
CREATE TRIGGER `notices_kind_changed` BEFORE UPDATE OF `kind` ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END