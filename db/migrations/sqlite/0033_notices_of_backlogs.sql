PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`subscription_id` integer NOT NULL,
	`message` text NOT NULL,
	`mail_status` text NOT NULL,
	`mail_attempts` integer NOT NULL,
	`mail_next_at` integer,
	`acknowledged_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`subscription_id`) REFERENCES `subscriptions`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notices_kind" CHECK(kind in ('webhook_failing', 'webhook_disabled', 'webhook_backlog')),
	CONSTRAINT "notices_mail_status" CHECK(mail_status in ('none', 'waiting', 'sent', 'failed'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_notices`("id", "kind", "subscription_id", "message", "mail_status", "mail_attempts", "mail_next_at", "acknowledged_at", "created_at") SELECT "id", "kind", "subscription_id", "message", "mail_status", "mail_attempts", "mail_next_at", "acknowledged_at", "created_at" FROM `notices`;--> statement-breakpoint
DROP TABLE `notices`;--> statement-breakpoint
ALTER TABLE `__new_notices` RENAME TO `notices`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `notices_created` ON `notices` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `notices_mail` ON `notices` (`mail_next_at`) WHERE mail_status = 'waiting';