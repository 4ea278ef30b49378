DROP INDEX `movements_sold`;--> statement-breakpoint
CREATE INDEX `movements_lot` ON `movements` (`lot_id`,`id`) WHERE lot_id is not null;--> statement-breakpoint
CREATE INDEX `movements_reason` ON `movements` (`reason`,`id`) WHERE reason not in ('shipped', 'picked', 'received');--> statement-breakpoint
CREATE INDEX `lots_named` ON `lots` (`lot_number`);