-- additive
DROP INDEX "order_lines_product_order";--> statement-breakpoint
DROP INDEX "orders_created";--> statement-breakpoint
ALTER TABLE "order_lines" ADD COLUMN "ordered_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "order_lines" SET "ordered_at" = "orders"."created_at" FROM "orders" WHERE "orders"."id" = "order_lines"."order_id";--> statement-breakpoint
CREATE INDEX "order_lines_product_time" ON "order_lines" USING btree ("product_id","ordered_at","order_id");--> statement-breakpoint
CREATE INDEX "orders_created" ON "orders" USING btree ("created_at","id","order_number");--> statement-breakpoint
-- Servers of the version before, which may run beside newer ones for a while, do not say when an order was created.
CREATE FUNCTION line_ordered_at() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.ordered_at := (SELECT created_at FROM orders WHERE id = NEW.order_id);
  RETURN NEW;
END
$$;--> statement-breakpoint
CREATE TRIGGER "order_lines_ordered_at" BEFORE INSERT ON "order_lines" FOR EACH ROW
  WHEN (NEW."ordered_at" = 0) EXECUTE FUNCTION line_ordered_at();
