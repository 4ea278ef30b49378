ALTER TABLE `addresses` ADD `company` text;--> statement-breakpoint
-- Addresses of before get their customer's company, as new ones do, unless the name on them says it already.
UPDATE `addresses` SET `company` = (SELECT trim(c.company) FROM `customers` c WHERE c.id = `customer_id`)
WHERE EXISTS (
  SELECT 1 FROM `customers` c WHERE c.id = `customer_id` AND trim(c.company) <> '' AND instr(`name`, trim(c.company)) = 0
);
