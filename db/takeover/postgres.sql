-- What makes the schema of `0048_people` into that of `0001_base`: the lists of words, which were all CHECKs.
ALTER TABLE "count_lines" DROP CONSTRAINT "count_lines_value_source", ADD CONSTRAINT "count_lines_value_source" CHECK (value_source = any ('{cost,price}'::text[]));--> statement-breakpoint
ALTER TABLE "counts" DROP CONSTRAINT "counts_status", ADD CONSTRAINT "counts_status" CHECK (status = any ('{open,review,posted,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "lots" DROP CONSTRAINT "lots_status", ADD CONSTRAINT "lots_status" CHECK (status = any ('{available,on_hold,quarantined,recalled,expired,damaged}'::text[]));--> statement-breakpoint
ALTER TABLE "movements" DROP CONSTRAINT "movements_type";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_permission", ADD CONSTRAINT "api_keys_permission" CHECK (permission = any ('{read,read_write,full}'::text[]));--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_ip_mode", ADD CONSTRAINT "api_keys_ip_mode" CHECK (ip_mode = any ('{off,observe,enforce}'::text[]));--> statement-breakpoint
ALTER TABLE "lot_changes" DROP CONSTRAINT "lot_changes_from_status", ADD CONSTRAINT "lot_changes_from_status" CHECK (from_status = any ('{available,on_hold,quarantined,recalled,expired,damaged}'::text[]));--> statement-breakpoint
ALTER TABLE "lot_changes" DROP CONSTRAINT "lot_changes_to_status", ADD CONSTRAINT "lot_changes_to_status" CHECK (to_status = any ('{available,on_hold,quarantined,recalled,expired,damaged}'::text[]));--> statement-breakpoint
ALTER TABLE "orders" DROP CONSTRAINT "orders_status", ADD CONSTRAINT "orders_status" CHECK (status = any ('{pending,processing,fulfilled,shipped,delivered,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "orders" DROP CONSTRAINT "orders_cancel_reason";--> statement-breakpoint
ALTER TABLE "product_barcodes" DROP CONSTRAINT "product_barcodes_type";--> statement-breakpoint
ALTER TABLE "products" DROP CONSTRAINT "products_type";--> statement-breakpoint
ALTER TABLE "products" DROP CONSTRAINT "products_weight_unit", ADD CONSTRAINT "products_weight_unit" CHECK (weight_unit = any ('{lb,oz,kg,g}'::text[]));--> statement-breakpoint
ALTER TABLE "products" DROP CONSTRAINT "products_temperature_zone", ADD CONSTRAINT "products_temperature_zone" CHECK (temperature_zone = any ('{ambient,refrigerated,frozen}'::text[]));--> statement-breakpoint
ALTER TABLE "products" DROP CONSTRAINT "products_status", ADD CONSTRAINT "products_status" CHECK (status = any ('{active,inactive}'::text[]));--> statement-breakpoint
ALTER TABLE "receipts" DROP CONSTRAINT "receipts_status", ADD CONSTRAINT "receipts_status" CHECK (status = any ('{expected,receiving,closed,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "reservations" DROP CONSTRAINT "reservations_status", ADD CONSTRAINT "reservations_status" CHECK (status = any ('{reserved,released,expired,committed}'::text[]));--> statement-breakpoint
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_method";--> statement-breakpoint
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_status", ADD CONSTRAINT "refunds_status" CHECK (status = any ('{pending,processing,refunded,partially_refunded,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "return_inspections" DROP CONSTRAINT "return_inspections_condition";--> statement-breakpoint
ALTER TABLE "return_inspections" DROP CONSTRAINT "return_inspections_disposition";--> statement-breakpoint
ALTER TABLE "return_items" DROP CONSTRAINT "return_items_condition";--> statement-breakpoint
ALTER TABLE "returns" DROP CONSTRAINT "returns_status", ADD CONSTRAINT "returns_status" CHECK (status = any ('{initiated,received,inspected,completed,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "returns" DROP CONSTRAINT "returns_reason";--> statement-breakpoint
ALTER TABLE "returns" DROP CONSTRAINT "returns_refund_status", ADD CONSTRAINT "returns_refund_status" CHECK (refund_status = any ('{pending,processing,refunded,partially_refunded,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "tracking_events" DROP CONSTRAINT "tracking_events_status", ADD CONSTRAINT "tracking_events_status" CHECK (status = any ('{pending,accepted,picked_up,in_transit,out_for_delivery,exception,delivered,returned}'::text[]));--> statement-breakpoint
ALTER TABLE "tracking_records" DROP CONSTRAINT "tracking_records_status", ADD CONSTRAINT "tracking_records_status" CHECK (status = any ('{pending,picked_up,in_transit,out_for_delivery,delivered,exception,returned}'::text[]));--> statement-breakpoint
ALTER TABLE "transfers" DROP CONSTRAINT "transfers_status", ADD CONSTRAINT "transfers_status" CHECK (status = any ('{pending,in_transit,received,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "bins" DROP CONSTRAINT "bins_kind";--> statement-breakpoint
ALTER TABLE "zones" DROP CONSTRAINT "zones_temperature_zone", ADD CONSTRAINT "zones_temperature_zone" CHECK (temperature_zone = any ('{ambient,refrigerated,frozen}'::text[]));--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_form";--> statement-breakpoint
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_status", ADD CONSTRAINT "deliveries_status" CHECK (status = any ('{pending,delivered,exhausted,skipped,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_status", ADD CONSTRAINT "subscriptions_status" CHECK (status = any ('{active,failing,paused,disabled}'::text[]));--> statement-breakpoint
ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_version", ADD CONSTRAINT "subscriptions_version" CHECK (version = any ('{v1,v2}'::text[]));--> statement-breakpoint
ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_payload", ADD CONSTRAINT "subscriptions_payload" CHECK (payload = any ('{full,thin}'::text[]));--> statement-breakpoint
ALTER TABLE "claim_news" DROP CONSTRAINT "claim_news_kind";--> statement-breakpoint
ALTER TABLE "recoveries" DROP CONSTRAINT "recoveries_status", ADD CONSTRAINT "recoveries_status" CHECK (status = any ('{queueing,queued,cancelled}'::text[]));--> statement-breakpoint
ALTER TABLE "order_holds" DROP CONSTRAINT "order_holds_reason";--> statement-breakpoint
ALTER TABLE "platform_reports" DROP CONSTRAINT "platform_reports_status", ADD CONSTRAINT "platform_reports_status" CHECK (status = any ('{queued,reported,skipped,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "platform_connections" DROP CONSTRAINT "platform_connections_platform";--> statement-breakpoint
ALTER TABLE "platform_connections" DROP CONSTRAINT "platform_connections_status", ADD CONSTRAINT "platform_connections_status" CHECK (status = any ('{active,paused}'::text[]));--> statement-breakpoint
ALTER TABLE "platform_imports" DROP CONSTRAINT "platform_imports_status", ADD CONSTRAINT "platform_imports_status" CHECK (status = any ('{queued,imported,waiting,ignored,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "shipments" DROP CONSTRAINT "shipments_status", ADD CONSTRAINT "shipments_status" CHECK (status = any ('{pending,shipped,delivered,returned,voided}'::text[]));--> statement-breakpoint
ALTER TABLE "events" DROP CONSTRAINT "events_type";--> statement-breakpoint
ALTER TABLE "delivery_attempts" DROP CONSTRAINT "delivery_attempts_status", ADD CONSTRAINT "delivery_attempts_status" CHECK (status = any ('{success,failed,blocked}'::text[]));--> statement-breakpoint
ALTER TABLE "delivery_attempts" DROP CONSTRAINT "delivery_attempts_trigger";--> statement-breakpoint
ALTER TABLE "installation" DROP CONSTRAINT "installation_mode", ADD CONSTRAINT "installation_mode" CHECK (mode = any ('{live,test}'::text[]));--> statement-breakpoint
ALTER TABLE "notices" DROP CONSTRAINT "notices_kind";--> statement-breakpoint
ALTER TABLE "notices" DROP CONSTRAINT "notices_mail_status", ADD CONSTRAINT "notices_mail_status" CHECK (mail_status = any ('{none,waiting,sent,failed}'::text[]));--> statement-breakpoint
ALTER TABLE "label_documents" DROP CONSTRAINT "label_documents_kind";--> statement-breakpoint
ALTER TABLE "label_documents" DROP CONSTRAINT "label_documents_content_type";--> statement-breakpoint
ALTER TABLE "carrier_accounts" DROP CONSTRAINT "carrier_accounts_status", ADD CONSTRAINT "carrier_accounts_status" CHECK (status = any ('{active,paused}'::text[]));--> statement-breakpoint
ALTER TABLE "labels" DROP CONSTRAINT "labels_status", ADD CONSTRAINT "labels_status" CHECK (status = any ('{processing,completed,error,voided}'::text[]));--> statement-breakpoint
ALTER TABLE "labels" DROP CONSTRAINT "labels_void_status", ADD CONSTRAINT "labels_void_status" CHECK (void_status = any ('{asked,submitted,accepted}'::text[]));--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_world", ADD CONSTRAINT "audit_entries_world" CHECK (world = any ('{live,test}'::text[]));--> statement-breakpoint
ALTER TABLE "memberships" DROP CONSTRAINT "memberships_covers";--> statement-breakpoint
ALTER TABLE "one_time_links" DROP CONSTRAINT "one_time_links_purpose";--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_status", ADD CONSTRAINT "users_status" CHECK (status = any ('{active,disabled}'::text[]));--> statement-breakpoint
ALTER TABLE "invitations" DROP CONSTRAINT "invitations_mail_status", ADD CONSTRAINT "invitations_mail_status" CHECK (mail_status = any ('{none,waiting,sent,failed}'::text[]));--> statement-breakpoint
CREATE FUNCTION refuse_word() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% has no such word', TG_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END
$$;--> statement-breakpoint
CREATE OR REPLACE TRIGGER "events_type" BEFORE INSERT OR UPDATE OF "type" ON "events"
  FOR EACH ROW WHEN (NEW."type" <> ALL ('{"order.created","order.fulfilled","order.shipped","order.delivered","order.cancelled","inventory.updated","inventory.low_stock","inventory.received","shipment.created","shipment.tracking_updated","shipment.in_transit","shipment.delivered","shipment.exception","return.created","return.received","return.processed"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "orders_cancel_reason" BEFORE INSERT OR UPDATE OF "cancel_reason" ON "orders"
  FOR EACH ROW WHEN (NEW."cancel_reason" <> ALL ('{"customer","declined","fraud","inventory","staff","expired","other"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "order_holds_reason" BEFORE INSERT OR UPDATE OF "reason" ON "order_holds"
  FOR EACH ROW WHEN (NEW."reason" <> ALL ('{"manual","address","payment","fraud","inventory","customer_request","compliance","other","bad_address","carrier_discrepancy","recalled_lot","short_pick","unknown_sku"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "movements_type" BEFORE INSERT OR UPDATE OF "type" ON "movements"
  FOR EACH ROW WHEN (NEW."type" <> ALL ('{"adjustment","transfer","sale","return","receipt"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "claim_news_kind" BEFORE INSERT OR UPDATE OF "kind" ON "claim_news"
  FOR EACH ROW WHEN (NEW."kind" <> ALL ('{"filled","moved","lost"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "bins_kind" BEFORE INSERT OR UPDATE OF "kind" ON "bins"
  FOR EACH ROW WHEN (NEW."kind" <> ALL ('{"storage","staging","returns","putback","quarantine","damage"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "products_type" BEFORE INSERT OR UPDATE OF "type" ON "products"
  FOR EACH ROW WHEN (NEW."type" <> ALL ('{"simple","bundle"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "product_barcodes_type" BEFORE INSERT OR UPDATE OF "type" ON "product_barcodes"
  FOR EACH ROW WHEN (NEW."type" <> ALL ('{"gtin","ean","upc","code128","other"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "label_documents_kind" BEFORE INSERT OR UPDATE OF "kind" ON "label_documents"
  FOR EACH ROW WHEN (NEW."kind" <> ALL ('{"label","customs","other"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "label_documents_content_type" BEFORE INSERT OR UPDATE OF "content_type" ON "label_documents"
  FOR EACH ROW WHEN (NEW."content_type" <> ALL ('{"application/pdf","image/png","application/zpl"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "returns_reason" BEFORE INSERT OR UPDATE OF "reason" ON "returns"
  FOR EACH ROW WHEN (NEW."reason" <> ALL ('{"defective","wrong_item","not_as_described","customer_remorse","expired","other"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "return_items_condition" BEFORE INSERT OR UPDATE OF "condition" ON "return_items"
  FOR EACH ROW WHEN (NEW."condition" <> ALL ('{"unopened","opened","damaged","defective","expired","missing_parts","wrong_item"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "return_inspections_condition" BEFORE INSERT OR UPDATE OF "condition" ON "return_inspections"
  FOR EACH ROW WHEN (NEW."condition" <> ALL ('{"unopened","opened","damaged","defective","expired","missing_parts","wrong_item"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "return_inspections_disposition" BEFORE INSERT OR UPDATE OF "disposition" ON "return_inspections"
  FOR EACH ROW WHEN (NEW."disposition" <> ALL ('{"restock","quarantine","dispose","return_to_sender"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "refunds_method" BEFORE INSERT OR UPDATE OF "method" ON "refunds"
  FOR EACH ROW WHEN (NEW."method" <> ALL ('{"original_payment","store_credit","manual"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "platform_connections_platform" BEFORE INSERT OR UPDATE OF "platform" ON "platform_connections"
  FOR EACH ROW WHEN (NEW."platform" <> ALL ('{"bigcommerce","shopify","woocommerce"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "deliveries_form" BEFORE INSERT OR UPDATE OF "form" ON "deliveries"
  FOR EACH ROW WHEN (NEW."form" <> ALL ('{"v1","v2","v2_thin"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "delivery_attempts_trigger" BEFORE INSERT OR UPDATE OF "trigger" ON "delivery_attempts"
  FOR EACH ROW WHEN (NEW."trigger" <> ALL ('{"scheduled","manual","test"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "notices_kind" BEFORE INSERT OR UPDATE OF "kind" ON "notices"
  FOR EACH ROW WHEN (NEW."kind" <> ALL ('{"webhook_failing","webhook_disabled","webhook_backlog"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "memberships_covers" BEFORE INSERT OR UPDATE OF "covers" ON "memberships"
  FOR EACH ROW WHEN (NEW."covers" <> ALL ('{"house"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "one_time_links_purpose" BEFORE INSERT OR UPDATE OF "purpose" ON "one_time_links"
  FOR EACH ROW WHEN (NEW."purpose" <> ALL ('{"setup","reset"}'::text[])) EXECUTE FUNCTION refuse_word();
