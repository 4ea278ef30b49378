-- additive
ALTER TABLE "orders" ADD COLUMN "fulfillment_type" text collate "C" DEFAULT 'ship' NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "shipping_method_code" text collate "C";--> statement-breakpoint
ALTER TABLE "platform_connections" ADD COLUMN "pickup_orders" text collate "C" DEFAULT 'ignore' NOT NULL;--> statement-breakpoint
CREATE OR REPLACE TRIGGER "orders_fulfillment_type" BEFORE INSERT OR UPDATE OF "fulfillment_type" ON "orders"
  FOR EACH ROW WHEN (NEW."fulfillment_type" <> ALL ('{"ship","pickup"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "platform_connections_pickup_orders" BEFORE INSERT OR UPDATE OF "pickup_orders" ON "platform_connections"
  FOR EACH ROW WHEN (NEW."pickup_orders" <> ALL ('{"import","ignore"}'::text[])) EXECUTE FUNCTION refuse_word()