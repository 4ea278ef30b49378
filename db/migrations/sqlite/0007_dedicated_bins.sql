-- breaking: the version before would put goods into bins that are kept for others
ALTER TABLE `bins` ADD `dedicated_merchant_id` integer REFERENCES merchants(id);--> statement-breakpoint
ALTER TABLE `bins` ADD `mix_merchants` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `bins_dedicated` ON `bins` (`dedicated_merchant_id`,`zone_id`,`pick_order`,`id`) WHERE dedicated_merchant_id is not null;