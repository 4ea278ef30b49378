-- breaking: the version before would make memberships without a status
DROP INDEX `invitations_open`;--> statement-breakpoint
ALTER TABLE `invitations` ADD `merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_open_merchant` ON `invitations` (`email_key`,`merchant_id`) WHERE accepted_at is null and revoked_at is null and merchant_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_open` ON `invitations` (`email_key`) WHERE accepted_at is null and revoked_at is null and merchant_id is null;--> statement-breakpoint
CREATE TABLE `__new_memberships` (
	`user_id` integer NOT NULL,
	`covers` text NOT NULL,
	`merchant_id` integer,
	`role` text NOT NULL,
	`status` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`role`) REFERENCES `roles`(`name`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "memberships_whole" CHECK((covers = 'house') = (merchant_id is null)),
	CONSTRAINT "memberships_status" CHECK(status = 'active' or status = 'disabled')
) STRICT;
--> statement-breakpoint
-- Everybody until now is a member of the house.
INSERT INTO `__new_memberships`("user_id", "covers", "merchant_id", "role", "status") SELECT "user_id", "covers", NULL, "role", 'active' FROM `memberships`;--> statement-breakpoint
DROP TABLE `memberships`;--> statement-breakpoint
ALTER TABLE `__new_memberships` RENAME TO `memberships`;--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_house` ON `memberships` (`user_id`) WHERE merchant_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `memberships_merchant` ON `memberships` (`user_id`,`merchant_id`) WHERE merchant_id is not null;--> statement-breakpoint
CREATE INDEX `memberships_of_merchant` ON `memberships` (`merchant_id`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `acts_for` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `sessions` ADD `views_as` integer REFERENCES merchants(id);--> statement-breakpoint
CREATE TRIGGER `memberships_covers_new` BEFORE INSERT ON `memberships` WHEN NEW.`covers` <> 'house' AND NEW.`covers` <> 'merchant' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END;--> statement-breakpoint
CREATE TRIGGER `memberships_covers_changed` BEFORE UPDATE OF `covers` ON `memberships` WHEN NEW.`covers` <> 'house' AND NEW.`covers` <> 'merchant' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END