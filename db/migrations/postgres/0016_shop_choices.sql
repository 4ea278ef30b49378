-- additive
DROP INDEX "order_holds_bad_address";--> statement-breakpoint
ALTER TABLE "platform_connections" ADD COLUMN "pending_orders" text collate "C" DEFAULT 'wait' NOT NULL;--> statement-breakpoint
ALTER TABLE "platform_connections" ADD COLUMN "test_orders" text collate "C" DEFAULT 'ignore' NOT NULL;--> statement-breakpoint
CREATE INDEX "order_holds_addresses" ON "order_holds" USING btree ("order_id") WHERE released_at is null and reason in ('bad_address', 'address_hidden');--> statement-breakpoint
CREATE OR REPLACE TRIGGER "order_holds_reason" BEFORE INSERT OR UPDATE OF "reason" ON "order_holds"
  FOR EACH ROW WHEN (NEW."reason" <> ALL ('{"manual","address","payment","fraud","inventory","customer_request","compliance","other","bad_address","address_hidden","carrier_discrepancy","merchant_suspended","recalled_lot","short_pick","unknown_sku","platform_change"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "platform_connections_pending_orders" BEFORE INSERT OR UPDATE OF "pending_orders" ON "platform_connections"
  FOR EACH ROW WHEN (NEW."pending_orders" <> ALL ('{"wait","import"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "platform_connections_test_orders" BEFORE INSERT OR UPDATE OF "test_orders" ON "platform_connections"
  FOR EACH ROW WHEN (NEW."test_orders" <> ALL ('{"ignore","import"}'::text[])) EXECUTE FUNCTION refuse_word()