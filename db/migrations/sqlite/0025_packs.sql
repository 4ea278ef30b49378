-- additive
CREATE TABLE `product_packs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`level` text NOT NULL,
	`quantity` integer NOT NULL,
	`dimensions` text,
	`weight` text,
	`weight_unit` text,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "product_packs_level" CHECK(level = 'inner' or level = 'case' or level = 'pallet'),
	CONSTRAINT "product_packs_weight_unit" CHECK(weight_unit = 'lb' or weight_unit = 'oz' or weight_unit = 'kg' or weight_unit = 'g'),
	CONSTRAINT "product_packs_quantity" CHECK(quantity between 2 and 1000000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `product_packs_kind` ON `product_packs` (`product_id`,`level`,`quantity`);--> statement-breakpoint
ALTER TABLE `movements` ADD `pack_level` text;--> statement-breakpoint
ALTER TABLE `movements` ADD `pack_units` integer;--> statement-breakpoint
ALTER TABLE `product_barcodes` ADD `pack_id` integer REFERENCES product_packs(id);--> statement-breakpoint
CREATE INDEX `product_barcodes_pack` ON `product_barcodes` (`pack_id`) WHERE pack_id is not null