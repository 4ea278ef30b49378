ALTER TABLE `platform_reports` ADD `error_code` text;--> statement-breakpoint
ALTER TABLE `platform_reports` ADD `error_message` text;