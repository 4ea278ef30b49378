-- additive
CREATE TABLE `shipping_rule_versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`position` integer NOT NULL,
	`content` blob NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `shipping_rule_versions_of` ON `shipping_rule_versions` (`rule_id`,`revision`);--> statement-breakpoint
CREATE TABLE `shipping_rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`for_merchant_id` integer,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`active` integer NOT NULL,
	`conditions` text NOT NULL,
	`actions` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`for_merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `shipping_rules_order` ON `shipping_rules` (`for_merchant_id`,`position`,`id`);