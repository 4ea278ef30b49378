-- additive
DROP INDEX `labels_tracking`;--> statement-breakpoint
ALTER TABLE `labels` ADD `external` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `labels_tracking` ON `labels` (`carrier`,`tracking_number`) WHERE account_id is null and not external;--> statement-breakpoint
DROP TRIGGER `files_kind_new`;--> statement-breakpoint
CREATE TRIGGER `files_kind_new` BEFORE INSERT ON `files` WHEN NEW.`kind` <> 'logo' AND NEW.`kind` <> 'label' BEGIN
  SELECT RAISE(ABORT, 'files_kind');
END;--> statement-breakpoint
DROP TRIGGER `files_kind_changed`;--> statement-breakpoint
CREATE TRIGGER `files_kind_changed` BEFORE UPDATE OF `kind` ON `files` WHEN NEW.`kind` <> 'logo' AND NEW.`kind` <> 'label' BEGIN
  SELECT RAISE(ABORT, 'files_kind');
END;--> statement-breakpoint
DROP TRIGGER `files_content_type_new`;--> statement-breakpoint
CREATE TRIGGER `files_content_type_new` BEFORE INSERT ON `files` WHEN NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'image/jpeg' AND NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'files_content_type');
END;--> statement-breakpoint
DROP TRIGGER `files_content_type_changed`;--> statement-breakpoint
CREATE TRIGGER `files_content_type_changed` BEFORE UPDATE OF `content_type` ON `files` WHEN NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'image/jpeg' AND NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'files_content_type');
END