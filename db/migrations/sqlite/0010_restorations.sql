-- additive
CREATE TABLE `restoration_gaps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`restoration_id` integer NOT NULL,
	`subscription_id` integer,
	`first` integer NOT NULL,
	`last` integer NOT NULL,
	FOREIGN KEY (`restoration_id`) REFERENCES `restorations`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "restoration_gaps_order" CHECK(first <= last)
) STRICT;
--> statement-breakpoint
CREATE INDEX `restoration_gaps_subscription` ON `restoration_gaps` (`subscription_id`);--> statement-breakpoint
CREATE TABLE `restorations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`archive` text NOT NULL,
	`as_of` integer NOT NULL,
	`restored_at` integer NOT NULL,
	`advanced_by` integer NOT NULL,
	`waiting_deliveries` integer NOT NULL,
	`waiting_reports` integer NOT NULL,
	`waiting_purchases` integer NOT NULL,
	`withdrawn_mails` integer NOT NULL,
	`decision` text,
	`decided_at` integer,
	`decided_by` text,
	`settled_at` integer,
	CONSTRAINT "restorations_decision" CHECK(decision = 'send' or decision = 'drop'),
	CONSTRAINT "restorations_decided" CHECK((decision is null) = (decided_at is null))
) STRICT;
--> statement-breakpoint
ALTER TABLE `deliveries` ADD `restored` text;--> statement-breakpoint
CREATE INDEX `deliveries_restored` ON `deliveries` (`id`) WHERE restored = 'waiting';--> statement-breakpoint
CREATE TRIGGER `deliveries_restored_new` BEFORE INSERT ON `deliveries` WHEN NEW.`restored` <> 'waiting' AND NEW.`restored` <> 'sent' AND NEW.`restored` <> 'dropped' BEGIN
  SELECT RAISE(ABORT, 'deliveries_restored');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_restored_changed` BEFORE UPDATE OF `restored` ON `deliveries` WHEN NEW.`restored` <> 'waiting' AND NEW.`restored` <> 'sent' AND NEW.`restored` <> 'dropped' BEGIN
  SELECT RAISE(ABORT, 'deliveries_restored');
END