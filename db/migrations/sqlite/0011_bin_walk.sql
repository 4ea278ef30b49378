DROP INDEX `bins_zone`;--> statement-breakpoint
DROP INDEX `bins_lasting`;--> statement-breakpoint
CREATE INDEX `bins_zone` ON `bins` (`zone_id`,`kind`,`pick_order`,`id`) WHERE zone_id is not null;--> statement-breakpoint
CREATE INDEX `bins_lasting` ON `bins` (`warehouse_id`,`kind`,`pick_order`,`id`) WHERE kind <> 'staging';