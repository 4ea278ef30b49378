ALTER TABLE `warehouses` ADD `working_days` text DEFAULT '["mon","tue","wed","thu","fri"]' NOT NULL;--> statement-breakpoint
ALTER TABLE `warehouses` ADD `holidays` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `warehouses` ADD `cutoff_time` text DEFAULT '14:00' NOT NULL;