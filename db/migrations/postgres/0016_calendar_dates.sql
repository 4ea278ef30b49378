-- breaking: the version before keeps an expiry as a moment, and this one as a date
DROP INDEX "lots_expiry";--> statement-breakpoint
ALTER TABLE "lots" ADD COLUMN "expires_on" bigint;--> statement-breakpoint
ALTER TABLE "receipt_lines" ADD COLUMN "expires_on" bigint;--> statement-breakpoint
UPDATE "lots" SET "expires_on" = "expiration_date" / 86400000 WHERE "expiration_date" % 86400000 IN (0, 86399000, 86399999);--> statement-breakpoint
UPDATE "receipt_lines" SET "expires_on" = "expiration_date" / 86400000 WHERE "expiration_date" % 86400000 IN (0, 86399000, 86399999);--> statement-breakpoint
WITH known AS MATERIALIZED (SELECT lower("name") AS "name" FROM pg_timezone_names),
placed AS (SELECT l."id", coalesce(
		(SELECT w."timezone" FROM "stock_items" i JOIN "warehouses" w ON w."id" = i."warehouse_id" WHERE i."lot_id" = l."id" AND i."lot_id" IS NOT NULL ORDER BY i."id" LIMIT 1),
		(SELECT "timezone" FROM "warehouses" ORDER BY "priority", "id" LIMIT 1)) AS "timezone" FROM "lots" l WHERE l."expiration_date" IS NOT NULL AND l."expires_on" IS NULL)
UPDATE "lots" SET "expires_on" = (to_timestamp("expiration_date" / 1000.0) AT TIME ZONE coalesce(known."name", 'utc'))::date - date '1970-01-01'
FROM placed LEFT JOIN known ON known."name" = lower(placed."timezone") WHERE "lots"."id" = placed."id";--> statement-breakpoint
WITH known AS MATERIALIZED (SELECT lower("name") AS "name" FROM pg_timezone_names),
placed AS (SELECT l."id", w."timezone" AS "timezone" FROM "receipt_lines" l JOIN "receipts" r ON r."id" = l."receipt_id" JOIN "warehouses" w ON w."id" = r."warehouse_id" WHERE l."expiration_date" IS NOT NULL AND l."expires_on" IS NULL)
UPDATE "receipt_lines" SET "expires_on" = (to_timestamp("expiration_date" / 1000.0) AT TIME ZONE coalesce(known."name", 'utc'))::date - date '1970-01-01'
FROM placed LEFT JOIN known ON known."name" = lower(placed."timezone") WHERE "receipt_lines"."id" = placed."id";--> statement-breakpoint
ALTER TABLE "lots" DROP COLUMN "expiration_date";--> statement-breakpoint
ALTER TABLE "receipt_lines" DROP COLUMN "expiration_date";--> statement-breakpoint
CREATE INDEX "lots_expiry" ON "lots" USING btree ("expires_on") WHERE status = 'available' and expires_on is not null;--> statement-breakpoint
ALTER TABLE "stock_items" ADD COLUMN "turns_on" bigint;--> statement-breakpoint
UPDATE "stock_items" SET "turns_on" = l."expires_on" + 1 - p."min_shelf_life_days"
FROM "lots" l JOIN "products" p ON p."id" = l."product_id", "bins" b
WHERE l."id" = "stock_items"."lot_id" AND l."status" <> 'expired' AND l."expires_on" IS NOT NULL
	AND b."id" = "stock_items"."bin_id" AND b."kind" = 'storage' AND "stock_items"."on_hand" > 0;--> statement-breakpoint
CREATE INDEX "stock_items_turning" ON "stock_items" USING btree ("warehouse_id","turns_on") WHERE turns_on is not null;