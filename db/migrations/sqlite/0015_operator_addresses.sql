-- additive
ALTER TABLE `platform_connections` ADD `is_operator_address` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- Only the operator can have chosen the live addresses of merchants who never had a key or a user of their own.
UPDATE `platform_connections` SET `is_operator_address` = 1
WHERE `id` < 1000000000
  AND NOT EXISTS (SELECT 1 FROM `api_keys` k WHERE k.merchant_id = `platform_connections`.`merchant_id`)
  AND NOT EXISTS (SELECT 1 FROM `memberships` m WHERE m.merchant_id = `platform_connections`.`merchant_id`);
