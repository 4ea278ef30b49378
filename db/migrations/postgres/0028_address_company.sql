ALTER TABLE "addresses" ADD COLUMN "company" text collate "C";--> statement-breakpoint
-- Addresses of before get their customer's company, as new ones do, unless the name on them says it already.
UPDATE "addresses" a SET "company" = trim(c.company) FROM "customers" c
WHERE c.id = a.customer_id AND trim(c.company) <> '' AND strpos(a.name, trim(c.company)) = 0;
