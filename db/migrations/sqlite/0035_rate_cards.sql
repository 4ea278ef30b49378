CREATE TABLE `holiday_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`carrier` text NOT NULL,
	`rules` text NOT NULL,
	`days` text NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `holiday_sets_carrier` ON `holiday_sets` (`carrier`);--> statement-breakpoint
CREATE TABLE `rate_card_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`card_id` integer NOT NULL,
	`version` integer NOT NULL,
	`content` blob NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`card_id`) REFERENCES `rate_cards`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `rate_card_versions_of` ON `rate_card_versions` (`card_id`,`version`);--> statement-breakpoint
CREATE TABLE `rate_cards` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`service` text NOT NULL,
	`active` integer NOT NULL,
	`effective_from` integer,
	`effective_to` integer,
	`zone_system` text NOT NULL,
	`holidays` text,
	`version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "rate_cards_effective" CHECK(effective_from < effective_to),
	CONSTRAINT "rate_cards_named" CHECK(service <> '')
) STRICT;
--> statement-breakpoint
CREATE INDEX `rate_cards_service` ON `rate_cards` (`service`);--> statement-breakpoint
CREATE TABLE `zone_charts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`system_id` integer NOT NULL,
	`country` text NOT NULL,
	`origin` text NOT NULL,
	`ranges` blob NOT NULL,
	`range_count` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`system_id`) REFERENCES `zone_systems`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `zone_charts_origin` ON `zone_charts` (`system_id`,`country`,`origin`);--> statement-breakpoint
CREATE TABLE `zone_systems` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`overrides` blob NOT NULL,
	`version` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `zone_systems_name` ON `zone_systems` (`name`);--> statement-breakpoint
CREATE TRIGGER `rate_cards_apart_new` BEFORE INSERT ON `rate_cards` WHEN NEW.active BEGIN
  SELECT RAISE(ABORT, 'rate_cards_apart') WHERE EXISTS (
    SELECT 1 FROM `rate_cards` AS other
    WHERE other.service = NEW.service AND other.active
      AND (other.effective_from IS NULL OR NEW.effective_to IS NULL OR other.effective_from < NEW.effective_to)
      AND (NEW.effective_from IS NULL OR other.effective_to IS NULL OR NEW.effective_from < other.effective_to)
  );
END;
--> statement-breakpoint
CREATE TRIGGER `rate_cards_apart_changed` BEFORE UPDATE ON `rate_cards` WHEN NEW.active BEGIN
  SELECT RAISE(ABORT, 'rate_cards_apart') WHERE EXISTS (
    SELECT 1 FROM `rate_cards` AS other
    WHERE other.id <> NEW.id AND other.service = NEW.service AND other.active
      AND (other.effective_from IS NULL OR NEW.effective_to IS NULL OR other.effective_from < NEW.effective_to)
      AND (NEW.effective_from IS NULL OR other.effective_to IS NULL OR NEW.effective_from < other.effective_to)
  );
END;
