-- breaking: the version before keeps an expiry as a moment, and this one as a date
DROP INDEX `lots_expiry`;--> statement-breakpoint
ALTER TABLE `lots` ADD `expires_on` integer;--> statement-breakpoint
ALTER TABLE `receipt_lines` ADD `expires_on` integer;--> statement-breakpoint
CREATE TABLE `local_days` (`timezone` text NOT NULL, `at` integer NOT NULL, `day` integer, PRIMARY KEY (`timezone`, `at`)) STRICT;--> statement-breakpoint
INSERT INTO `local_days` (`timezone`, `at`)
SELECT coalesce(
	(SELECT w.`timezone` FROM `stock_items` i JOIN `warehouses` w ON w.`id` = i.`warehouse_id` WHERE i.`lot_id` = `lots`.`id` AND i.`lot_id` IS NOT NULL ORDER BY i.`id` LIMIT 1),
	(SELECT `timezone` FROM `warehouses` ORDER BY `priority`, `id` LIMIT 1),
	'UTC'), `expiration_date` FROM `lots` WHERE `expiration_date` IS NOT NULL AND NOT (`expiration_date` % 86400000 IN (0, 86399000, 86399999))
UNION SELECT (SELECT w.`timezone` FROM `receipts` r JOIN `warehouses` w ON w.`id` = r.`warehouse_id` WHERE r.`id` = `receipt_lines`.`receipt_id`), `expiration_date` FROM `receipt_lines` WHERE `expiration_date` IS NOT NULL AND NOT (`expiration_date` % 86400000 IN (0, 86399000, 86399999));--> statement-breakpoint
UPDATE `lots` SET `expires_on` = CASE WHEN `expiration_date` % 86400000 IN (0, 86399000, 86399999) THEN `expiration_date` / 86400000
	ELSE (SELECT `day` FROM `local_days` WHERE `local_days`.`at` = `expiration_date` AND `local_days`.`timezone` = coalesce(
	(SELECT w.`timezone` FROM `stock_items` i JOIN `warehouses` w ON w.`id` = i.`warehouse_id` WHERE i.`lot_id` = `lots`.`id` AND i.`lot_id` IS NOT NULL ORDER BY i.`id` LIMIT 1),
	(SELECT `timezone` FROM `warehouses` ORDER BY `priority`, `id` LIMIT 1),
	'UTC')) END
WHERE `expiration_date` IS NOT NULL;--> statement-breakpoint
UPDATE `receipt_lines` SET `expires_on` = CASE WHEN `expiration_date` % 86400000 IN (0, 86399000, 86399999) THEN `expiration_date` / 86400000
	ELSE (SELECT `day` FROM `local_days` WHERE `local_days`.`at` = `expiration_date` AND `local_days`.`timezone` = (SELECT w.`timezone` FROM `receipts` r JOIN `warehouses` w ON w.`id` = r.`warehouse_id` WHERE r.`id` = `receipt_lines`.`receipt_id`)) END
WHERE `expiration_date` IS NOT NULL;--> statement-breakpoint
DROP TABLE `local_days`;--> statement-breakpoint
ALTER TABLE `lots` DROP COLUMN `expiration_date`;--> statement-breakpoint
ALTER TABLE `receipt_lines` DROP COLUMN `expiration_date`;--> statement-breakpoint
CREATE INDEX `lots_expiry` ON `lots` (`expires_on`) WHERE status = 'available' and expires_on is not null;--> statement-breakpoint
ALTER TABLE `stock_items` ADD `turns_on` integer;--> statement-breakpoint
UPDATE `stock_items` SET `turns_on` = (
	SELECT l.`expires_on` + 1 - p.`min_shelf_life_days` FROM `lots` l JOIN `products` p ON p.`id` = l.`product_id`
	WHERE l.`id` = `stock_items`.`lot_id` AND l.`status` <> 'expired'
) WHERE `lot_id` IS NOT NULL AND `on_hand` > 0 AND `bin_id` IN (SELECT `id` FROM `bins` WHERE `kind` = 'storage');--> statement-breakpoint
CREATE INDEX `stock_items_turning` ON `stock_items` (`warehouse_id`,`turns_on`) WHERE turns_on is not null;