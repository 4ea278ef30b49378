-- additive
CREATE TABLE `carton_choices` (
	`merchant_id` integer NOT NULL,
	`goods` text NOT NULL,
	`carton_id` integer NOT NULL,
	`chosen_at` integer NOT NULL,
	PRIMARY KEY(`merchant_id`, `goods`),
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`carton_id`) REFERENCES `cartons`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `carton_choices_carton` ON `carton_choices` (`carton_id`);--> statement-breakpoint
CREATE TABLE `cartons` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`code` text NOT NULL,
	`name` text,
	`described` text NOT NULL,
	`length_mm` integer NOT NULL,
	`width_mm` integer NOT NULL,
	`height_mm` integer NOT NULL,
	`tare_grams` integer NOT NULL,
	`max_weight_grams` integer,
	`cost_cents` integer,
	`currency` text,
	`active` integer DEFAULT true NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "cartons_size" CHECK(length_mm > 0 and width_mm > 0 and height_mm > 0 and tare_grams >= 0),
	CONSTRAINT "cartons_cost" CHECK((cost_cents is null) = (currency is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `cartons_code` ON `cartons` (lower("code"));--> statement-breakpoint
CREATE TABLE `packing_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`station_id` integer,
	`status` text NOT NULL,
	`units` text NOT NULL,
	`carton_id` integer,
	`weight` text,
	`weight_unit` text,
	`weight_reason` text,
	`carrier` text,
	`service` text,
	`shipment_id` integer,
	`label_id` integer,
	`label_due_at` integer,
	`label_error` text,
	`device` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`closed_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`carton_id`) REFERENCES `cartons`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "packing_sessions_status" CHECK(status = 'open' or status = 'closed' or status = 'cancelled'),
	CONSTRAINT "packing_sessions_weight_unit" CHECK(weight_unit = 'lb' or weight_unit = 'oz' or weight_unit = 'kg' or weight_unit = 'g'),
	CONSTRAINT "packing_sessions_weight" CHECK((weight is null) = (weight_unit is null)),
	CONSTRAINT "packing_sessions_label" CHECK(status = 'closed' or label_due_at is null)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `packing_sessions_open` ON `packing_sessions` (`order_id`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `packing_sessions_order` ON `packing_sessions` (`order_id`);--> statement-breakpoint
CREATE INDEX `packing_sessions_created` ON `packing_sessions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `packing_sessions_unlabelled` ON `packing_sessions` (`closed_at`,`id`) WHERE label_error is not null;--> statement-breakpoint
CREATE INDEX `packing_sessions_label_due` ON `packing_sessions` (`label_due_at`) WHERE label_due_at is not null;--> statement-breakpoint
CREATE TABLE `print_jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer,
	`printer_id` integer NOT NULL,
	`kind` text NOT NULL,
	`order_id` integer,
	`shipment_id` integer,
	`label_id` integer,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`due_at` integer,
	`error_code` text,
	`error` text,
	`reprint_of` integer,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`sent_at` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`printer_id`) REFERENCES `printers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "print_jobs_status" CHECK(status = 'queued' or status = 'sending' or status = 'sent' or status = 'failed' or status = 'cancelled'),
	CONSTRAINT "print_jobs_due" CHECK((status in ('queued', 'sending')) = (due_at is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `print_jobs_created` ON `print_jobs` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `print_jobs_due` ON `print_jobs` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `print_jobs_printer` ON `print_jobs` (`printer_id`,`id`);--> statement-breakpoint
CREATE INDEX `print_jobs_order` ON `print_jobs` (`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `print_jobs_failed` ON `print_jobs` (`updated_at`,`id`) WHERE status = 'failed';--> statement-breakpoint
CREATE TABLE `printers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`path` text,
	`media` text NOT NULL,
	`dpi` integer,
	`active` integer DEFAULT true NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "printers_port" CHECK(port between 1 and 65535)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `printers_name` ON `printers` (`warehouse_id`,lower("name"));--> statement-breakpoint
CREATE TABLE `stations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`name` text NOT NULL,
	`label_printer_id` integer,
	`document_printer_id` integer,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`label_printer_id`) REFERENCES `printers`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`document_printer_id`) REFERENCES `printers`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `stations_name` ON `stations` (`warehouse_id`,lower("name"));--> statement-breakpoint
CREATE INDEX `stations_label_printer` ON `stations` (`label_printer_id`);--> statement-breakpoint
CREATE INDEX `stations_document_printer` ON `stations` (`document_printer_id`);--> statement-breakpoint
CREATE TABLE `totes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`code` text NOT NULL,
	`order_id` integer,
	`wave_id` integer,
	`assigned_at` integer,
	`set_aside_at` integer,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`wave_id`) REFERENCES `waves`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "totes_assigned" CHECK((order_id is null) = (assigned_at is null)),
	CONSTRAINT "totes_empty" CHECK(order_id is not null or (wave_id is null and set_aside_at is null))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `totes_code` ON `totes` (`warehouse_id`,lower("code"));--> statement-breakpoint
CREATE INDEX `totes_order` ON `totes` (`order_id`) WHERE order_id is not null;--> statement-breakpoint
CREATE INDEX `totes_wave` ON `totes` (`wave_id`) WHERE wave_id is not null;--> statement-breakpoint
CREATE TABLE `wave_orders` (
	`wave_id` integer NOT NULL,
	`merchant_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`position` integer NOT NULL,
	`units` integer NOT NULL,
	`open` integer NOT NULL,
	PRIMARY KEY(`wave_id`, `order_id`),
	FOREIGN KEY (`wave_id`) REFERENCES `waves`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `wave_orders_open` ON `wave_orders` (`order_id`) WHERE open = true;--> statement-breakpoint
CREATE INDEX `wave_orders_order` ON `wave_orders` (`order_id`);--> statement-breakpoint
CREATE TABLE `waves` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`warehouse_id` integer NOT NULL,
	`mode` text NOT NULL,
	`status` text NOT NULL,
	`filters` text NOT NULL,
	`limits` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`revision` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`released_at` integer,
	`picked_at` integer,
	`closed_at` integer,
	`cancelled_at` integer,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "waves_status" CHECK(status = 'planned' or status = 'released' or status = 'picking' or status = 'picked' or status = 'closed' or status = 'cancelled')
) STRICT;
--> statement-breakpoint
CREATE INDEX `waves_created` ON `waves` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `waves_pickable` ON `waves` (`id`) WHERE status in ('released', 'picking', 'picked');--> statement-breakpoint
CREATE TABLE `work_claims` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`warehouse_id` integer NOT NULL,
	`device` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor_id` text NOT NULL,
	`actor_name` text NOT NULL,
	`claimed_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`warehouse_id`) REFERENCES `warehouses`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `work_claims_task` ON `work_claims` (`kind`,`subject_id`);--> statement-breakpoint
CREATE INDEX `work_claims_expiry` ON `work_claims` (`expires_at`);--> statement-breakpoint
CREATE INDEX `work_claims_actor` ON `work_claims` (`actor_type`,`actor_id`);--> statement-breakpoint
ALTER TABLE `stock_items` ADD `count_id` integer;--> statement-breakpoint
CREATE INDEX `stock_items_counted` ON `stock_items` (`count_id`) WHERE count_id is not null;--> statement-breakpoint
ALTER TABLE `merchants` ADD `shared_waves` integer DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX `order_holds_resolved_by_people` ON `order_holds` (`created_at`,`id`) WHERE released_at is null and hold_until is null;--> statement-breakpoint
CREATE INDEX `platform_listings_failing` ON `platform_listings` (`updated_at`,`id`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `returns_uninspected` ON `returns` (`received_at`,`id`) WHERE status = 'received';--> statement-breakpoint
CREATE TRIGGER `waves_mode_new` BEFORE INSERT ON `waves` WHEN NEW.`mode` <> 'cluster' AND NEW.`mode` <> 'batch' AND NEW.`mode` <> 'single' AND NEW.`mode` <> 'order' BEGIN
  SELECT RAISE(ABORT, 'waves_mode');
END;--> statement-breakpoint
CREATE TRIGGER `waves_mode_changed` BEFORE UPDATE OF `mode` ON `waves` WHEN NEW.`mode` <> 'cluster' AND NEW.`mode` <> 'batch' AND NEW.`mode` <> 'single' AND NEW.`mode` <> 'order' BEGIN
  SELECT RAISE(ABORT, 'waves_mode');
END;--> statement-breakpoint
CREATE TRIGGER `work_claims_kind_new` BEFORE INSERT ON `work_claims` WHEN NEW.`kind` <> 'pick' AND NEW.`kind` <> 'pack' AND NEW.`kind` <> 'put_back' BEGIN
  SELECT RAISE(ABORT, 'work_claims_kind');
END;--> statement-breakpoint
CREATE TRIGGER `work_claims_kind_changed` BEFORE UPDATE OF `kind` ON `work_claims` WHEN NEW.`kind` <> 'pick' AND NEW.`kind` <> 'pack' AND NEW.`kind` <> 'put_back' BEGIN
  SELECT RAISE(ABORT, 'work_claims_kind');
END;--> statement-breakpoint
CREATE TRIGGER `printers_kind_new` BEFORE INSERT ON `printers` WHEN NEW.`kind` <> 'zpl_tcp' AND NEW.`kind` <> 'ipp' BEGIN
  SELECT RAISE(ABORT, 'printers_kind');
END;--> statement-breakpoint
CREATE TRIGGER `printers_kind_changed` BEFORE UPDATE OF `kind` ON `printers` WHEN NEW.`kind` <> 'zpl_tcp' AND NEW.`kind` <> 'ipp' BEGIN
  SELECT RAISE(ABORT, 'printers_kind');
END;--> statement-breakpoint
CREATE TRIGGER `print_jobs_kind_new` BEFORE INSERT ON `print_jobs` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'packing_slip' AND NEW.`kind` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'print_jobs_kind');
END;--> statement-breakpoint
CREATE TRIGGER `print_jobs_kind_changed` BEFORE UPDATE OF `kind` ON `print_jobs` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'packing_slip' AND NEW.`kind` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'print_jobs_kind');
END