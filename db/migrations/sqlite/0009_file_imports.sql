-- additive
CREATE TABLE `file_import_parts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`bytes` blob NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `file_imports`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `file_import_parts_seq` ON `file_import_parts` (`import_id`,`seq`);--> statement-breakpoint
CREATE TABLE `file_import_rows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`is_checked` integer NOT NULL,
	`line` integer NOT NULL,
	`change` text NOT NULL,
	`row` text NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `file_imports`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `file_import_rows_line` ON `file_import_rows` (`import_id`,`is_checked`,`line`);--> statement-breakpoint
CREATE TABLE `file_imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`file_name` text,
	`encoding` text NOT NULL,
	`separator` text NOT NULL,
	`columns` text NOT NULL,
	`columns_key` text NOT NULL,
	`map` text,
	`decimal` text,
	`is_remembered` integer NOT NULL,
	`asked_by` text NOT NULL,
	`rows` integer,
	`rows_done` integer NOT NULL,
	`records_done` integer NOT NULL,
	`created` integer NOT NULL,
	`updated` integer NOT NULL,
	`unchanged` integer NOT NULL,
	`failed` integer NOT NULL,
	`problem` text,
	`next_at` integer,
	`claims` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "file_imports_status" CHECK(status = 'mapping' or status = 'checking' or status = 'checked' or status = 'importing' or status = 'done' or status = 'failed' or status = 'cancelled'),
	CONSTRAINT "file_imports_next" CHECK((status in ('checking', 'importing')) = (next_at is not null))
) STRICT;
--> statement-breakpoint
CREATE INDEX `file_imports_created` ON `file_imports` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `file_imports_merchant` ON `file_imports` (`merchant_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `file_imports_due` ON `file_imports` (`next_at`) WHERE next_at is not null;--> statement-breakpoint
CREATE TABLE `import_mappings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`merchant_id` integer NOT NULL,
	`kind` text NOT NULL,
	`columns_key` text NOT NULL,
	`map` text,
	`decimal` text,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`merchant_id`) REFERENCES `merchants`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `import_mappings_columns` ON `import_mappings` (`merchant_id`,`kind`,`columns_key`);