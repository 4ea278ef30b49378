ALTER TABLE "order_lines" ADD COLUMN "discount_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "order_lines" ADD CONSTRAINT "order_lines_discount" CHECK (discount_cents between 0 and quantity * unit_price_cents);--> statement-breakpoint
UPDATE "orders" SET subtotal_cents = (
  SELECT coalesce(sum((l.quantity - l.quantity_cancelled) * l.unit_price_cents), 0) FROM "order_lines" AS l WHERE l.order_id = "orders".id
) WHERE status = 'cancelled';