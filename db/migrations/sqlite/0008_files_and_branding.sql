-- additive
CREATE TABLE `merchant_branding` (
	`merchant_id` integer PRIMARY KEY NOT NULL,
	`logo_file_id` integer,
	`accent_color` text,
	`display_name` text,
	`support_email` text,
	`support_phone` text,
	`website` text,
	`message` text,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`,`logo_file_id`) REFERENCES `files`(`merchant_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`content_type` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`name` text,
	`width` integer,
	`height` integer,
	`key` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer NOT NULL,
	`stored_at` integer,
	`deleted_at` integer,
	`remove_at` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "files_removed" CHECK(remove_at is not null or (stored_at is not null and deleted_at is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `files_owner` ON `files` (`merchant_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `files_key` ON `files` (`key`);--> statement-breakpoint
CREATE UNIQUE INDEX `files_content` ON `files` (`merchant_id`,`kind`,`sha256`) WHERE stored_at is not null and deleted_at is null;--> statement-breakpoint
CREATE INDEX `files_created` ON `files` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `files_removal` ON `files` (`remove_at`) WHERE remove_at is not null;--> statement-breakpoint
CREATE TRIGGER `files_kind_new` BEFORE INSERT ON `files` WHEN NEW.`kind` <> 'logo' BEGIN
  SELECT RAISE(ABORT, 'files_kind');
END;--> statement-breakpoint
CREATE TRIGGER `files_kind_changed` BEFORE UPDATE OF `kind` ON `files` WHEN NEW.`kind` <> 'logo' BEGIN
  SELECT RAISE(ABORT, 'files_kind');
END;--> statement-breakpoint
CREATE TRIGGER `files_content_type_new` BEFORE INSERT ON `files` WHEN NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'image/jpeg' BEGIN
  SELECT RAISE(ABORT, 'files_content_type');
END;--> statement-breakpoint
CREATE TRIGGER `files_content_type_changed` BEFORE UPDATE OF `content_type` ON `files` WHEN NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'image/jpeg' BEGIN
  SELECT RAISE(ABORT, 'files_content_type');
END