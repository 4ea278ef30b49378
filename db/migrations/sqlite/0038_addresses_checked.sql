CREATE TABLE `address_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`edition` integer NOT NULL,
	`next` integer,
	`asks_carrier` integer NOT NULL,
	CONSTRAINT "address_settings_one" CHECK(id = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `postal_codes` (
	`zip` integer PRIMARY KEY NOT NULL,
	`city` text NOT NULL,
	`state` text NOT NULL,
	`latitude_e3` integer NOT NULL,
	`longitude_e3` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `addresses` ADD `verification` text;--> statement-breakpoint
ALTER TABLE `addresses` ADD `ask_at` integer;--> statement-breakpoint
CREATE INDEX `addresses_to_ask` ON `addresses` (`ask_at`) WHERE ask_at is not null;--> statement-breakpoint
ALTER TABLE `orders` ADD `address_verification` text;