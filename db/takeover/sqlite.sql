-- What makes the schema of `0048_people` into that of `0001_base`: the lists of words, which were all CHECKs.
ALTER TABLE `count_lines` DROP CONSTRAINT "count_lines_value_source";--> statement-breakpoint
ALTER TABLE `count_lines` ADD CONSTRAINT "count_lines_value_source" CHECK(value_source = 'cost' or value_source = 'price');--> statement-breakpoint
ALTER TABLE `counts` DROP CONSTRAINT "counts_status";--> statement-breakpoint
ALTER TABLE `counts` ADD CONSTRAINT "counts_status" CHECK(status = 'open' or status = 'review' or status = 'posted' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `lots` DROP CONSTRAINT "lots_status";--> statement-breakpoint
ALTER TABLE `lots` ADD CONSTRAINT "lots_status" CHECK(status = 'available' or status = 'on_hold' or status = 'quarantined' or status = 'recalled' or status = 'expired' or status = 'damaged');--> statement-breakpoint
ALTER TABLE `movements` DROP CONSTRAINT "movements_type";--> statement-breakpoint
ALTER TABLE `api_keys` DROP CONSTRAINT "api_keys_permission";--> statement-breakpoint
ALTER TABLE `api_keys` ADD CONSTRAINT "api_keys_permission" CHECK(permission = 'read' or permission = 'read_write' or permission = 'full');--> statement-breakpoint
ALTER TABLE `api_keys` DROP CONSTRAINT "api_keys_ip_mode";--> statement-breakpoint
ALTER TABLE `api_keys` ADD CONSTRAINT "api_keys_ip_mode" CHECK(ip_mode = 'off' or ip_mode = 'observe' or ip_mode = 'enforce');--> statement-breakpoint
ALTER TABLE `lot_changes` DROP CONSTRAINT "lot_changes_from_status";--> statement-breakpoint
ALTER TABLE `lot_changes` ADD CONSTRAINT "lot_changes_from_status" CHECK(from_status = 'available' or from_status = 'on_hold' or from_status = 'quarantined' or from_status = 'recalled' or from_status = 'expired' or from_status = 'damaged');--> statement-breakpoint
ALTER TABLE `lot_changes` DROP CONSTRAINT "lot_changes_to_status";--> statement-breakpoint
ALTER TABLE `lot_changes` ADD CONSTRAINT "lot_changes_to_status" CHECK(to_status = 'available' or to_status = 'on_hold' or to_status = 'quarantined' or to_status = 'recalled' or to_status = 'expired' or to_status = 'damaged');--> statement-breakpoint
ALTER TABLE `orders` DROP CONSTRAINT "orders_status";--> statement-breakpoint
ALTER TABLE `orders` ADD CONSTRAINT "orders_status" CHECK(status = 'pending' or status = 'processing' or status = 'fulfilled' or status = 'shipped' or status = 'delivered' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `orders` DROP CONSTRAINT "orders_cancel_reason";--> statement-breakpoint
ALTER TABLE `product_barcodes` DROP CONSTRAINT "product_barcodes_type";--> statement-breakpoint
ALTER TABLE `products` DROP CONSTRAINT "products_type";--> statement-breakpoint
ALTER TABLE `products` DROP CONSTRAINT "products_weight_unit";--> statement-breakpoint
ALTER TABLE `products` ADD CONSTRAINT "products_weight_unit" CHECK(weight_unit = 'lb' or weight_unit = 'oz' or weight_unit = 'kg' or weight_unit = 'g');--> statement-breakpoint
ALTER TABLE `products` DROP CONSTRAINT "products_temperature_zone";--> statement-breakpoint
ALTER TABLE `products` ADD CONSTRAINT "products_temperature_zone" CHECK(temperature_zone = 'ambient' or temperature_zone = 'refrigerated' or temperature_zone = 'frozen');--> statement-breakpoint
ALTER TABLE `products` DROP CONSTRAINT "products_status";--> statement-breakpoint
ALTER TABLE `products` ADD CONSTRAINT "products_status" CHECK(status = 'active' or status = 'inactive');--> statement-breakpoint
ALTER TABLE `receipts` DROP CONSTRAINT "receipts_status";--> statement-breakpoint
ALTER TABLE `receipts` ADD CONSTRAINT "receipts_status" CHECK(status = 'expected' or status = 'receiving' or status = 'closed' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `reservations` DROP CONSTRAINT "reservations_status";--> statement-breakpoint
ALTER TABLE `reservations` ADD CONSTRAINT "reservations_status" CHECK(status = 'reserved' or status = 'released' or status = 'expired' or status = 'committed');--> statement-breakpoint
ALTER TABLE `refunds` DROP CONSTRAINT "refunds_method";--> statement-breakpoint
ALTER TABLE `refunds` DROP CONSTRAINT "refunds_status";--> statement-breakpoint
ALTER TABLE `refunds` ADD CONSTRAINT "refunds_status" CHECK(status = 'pending' or status = 'processing' or status = 'refunded' or status = 'partially_refunded' or status = 'failed');--> statement-breakpoint
ALTER TABLE `return_inspections` DROP CONSTRAINT "return_inspections_condition";--> statement-breakpoint
ALTER TABLE `return_inspections` DROP CONSTRAINT "return_inspections_disposition";--> statement-breakpoint
ALTER TABLE `return_items` DROP CONSTRAINT "return_items_condition";--> statement-breakpoint
ALTER TABLE `returns` DROP CONSTRAINT "returns_status";--> statement-breakpoint
ALTER TABLE `returns` ADD CONSTRAINT "returns_status" CHECK(status = 'initiated' or status = 'received' or status = 'inspected' or status = 'completed' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `returns` DROP CONSTRAINT "returns_reason";--> statement-breakpoint
ALTER TABLE `returns` DROP CONSTRAINT "returns_refund_status";--> statement-breakpoint
ALTER TABLE `returns` ADD CONSTRAINT "returns_refund_status" CHECK(refund_status = 'pending' or refund_status = 'processing' or refund_status = 'refunded' or refund_status = 'partially_refunded' or refund_status = 'failed');--> statement-breakpoint
ALTER TABLE `tracking_events` DROP CONSTRAINT "tracking_events_status";--> statement-breakpoint
ALTER TABLE `tracking_events` ADD CONSTRAINT "tracking_events_status" CHECK(status = 'pending' or status = 'accepted' or status = 'picked_up' or status = 'in_transit' or status = 'out_for_delivery' or status = 'exception' or status = 'delivered' or status = 'returned');--> statement-breakpoint
ALTER TABLE `tracking_records` DROP CONSTRAINT "tracking_records_status";--> statement-breakpoint
ALTER TABLE `tracking_records` ADD CONSTRAINT "tracking_records_status" CHECK(status = 'pending' or status = 'picked_up' or status = 'in_transit' or status = 'out_for_delivery' or status = 'delivered' or status = 'exception' or status = 'returned');--> statement-breakpoint
ALTER TABLE `transfers` DROP CONSTRAINT "transfers_status";--> statement-breakpoint
ALTER TABLE `transfers` ADD CONSTRAINT "transfers_status" CHECK(status = 'pending' or status = 'in_transit' or status = 'received' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `bins` DROP CONSTRAINT "bins_kind";--> statement-breakpoint
ALTER TABLE `zones` DROP CONSTRAINT "zones_temperature_zone";--> statement-breakpoint
ALTER TABLE `zones` ADD CONSTRAINT "zones_temperature_zone" CHECK(temperature_zone = 'ambient' or temperature_zone = 'refrigerated' or temperature_zone = 'frozen');--> statement-breakpoint
ALTER TABLE `deliveries` DROP CONSTRAINT "deliveries_form";--> statement-breakpoint
ALTER TABLE `deliveries` DROP CONSTRAINT "deliveries_status";--> statement-breakpoint
ALTER TABLE `deliveries` ADD CONSTRAINT "deliveries_status" CHECK(status = 'pending' or status = 'delivered' or status = 'exhausted' or status = 'skipped' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `subscriptions` DROP CONSTRAINT "subscriptions_status";--> statement-breakpoint
ALTER TABLE `subscriptions` ADD CONSTRAINT "subscriptions_status" CHECK(status = 'active' or status = 'failing' or status = 'paused' or status = 'disabled');--> statement-breakpoint
ALTER TABLE `subscriptions` DROP CONSTRAINT "subscriptions_version";--> statement-breakpoint
ALTER TABLE `subscriptions` ADD CONSTRAINT "subscriptions_version" CHECK(version = 'v1' or version = 'v2');--> statement-breakpoint
ALTER TABLE `subscriptions` DROP CONSTRAINT "subscriptions_payload";--> statement-breakpoint
ALTER TABLE `subscriptions` ADD CONSTRAINT "subscriptions_payload" CHECK(payload = 'full' or payload = 'thin');--> statement-breakpoint
ALTER TABLE `claim_news` DROP CONSTRAINT "claim_news_kind";--> statement-breakpoint
ALTER TABLE `recoveries` DROP CONSTRAINT "recoveries_status";--> statement-breakpoint
ALTER TABLE `recoveries` ADD CONSTRAINT "recoveries_status" CHECK(status = 'queueing' or status = 'queued' or status = 'cancelled');--> statement-breakpoint
ALTER TABLE `order_holds` DROP CONSTRAINT "order_holds_reason";--> statement-breakpoint
ALTER TABLE `platform_reports` DROP CONSTRAINT "platform_reports_status";--> statement-breakpoint
ALTER TABLE `platform_reports` ADD CONSTRAINT "platform_reports_status" CHECK(status = 'queued' or status = 'reported' or status = 'skipped' or status = 'failed');--> statement-breakpoint
ALTER TABLE `platform_connections` DROP CONSTRAINT "platform_connections_platform";--> statement-breakpoint
ALTER TABLE `platform_connections` DROP CONSTRAINT "platform_connections_status";--> statement-breakpoint
ALTER TABLE `platform_connections` ADD CONSTRAINT "platform_connections_status" CHECK(status = 'active' or status = 'paused');--> statement-breakpoint
ALTER TABLE `platform_imports` DROP CONSTRAINT "platform_imports_status";--> statement-breakpoint
ALTER TABLE `platform_imports` ADD CONSTRAINT "platform_imports_status" CHECK(status = 'queued' or status = 'imported' or status = 'waiting' or status = 'ignored' or status = 'failed');--> statement-breakpoint
ALTER TABLE `shipments` DROP CONSTRAINT "shipments_status";--> statement-breakpoint
ALTER TABLE `shipments` ADD CONSTRAINT "shipments_status" CHECK(status = 'pending' or status = 'shipped' or status = 'delivered' or status = 'returned' or status = 'voided');--> statement-breakpoint
ALTER TABLE `events` DROP CONSTRAINT "events_type";--> statement-breakpoint
ALTER TABLE `delivery_attempts` DROP CONSTRAINT "delivery_attempts_status";--> statement-breakpoint
ALTER TABLE `delivery_attempts` ADD CONSTRAINT "delivery_attempts_status" CHECK(status = 'success' or status = 'failed' or status = 'blocked');--> statement-breakpoint
ALTER TABLE `delivery_attempts` DROP CONSTRAINT "delivery_attempts_trigger";--> statement-breakpoint
ALTER TABLE `installation` DROP CONSTRAINT "installation_mode";--> statement-breakpoint
ALTER TABLE `installation` ADD CONSTRAINT "installation_mode" CHECK(mode = 'live' or mode = 'test');--> statement-breakpoint
ALTER TABLE `notices` DROP CONSTRAINT "notices_kind";--> statement-breakpoint
ALTER TABLE `notices` DROP CONSTRAINT "notices_mail_status";--> statement-breakpoint
ALTER TABLE `notices` ADD CONSTRAINT "notices_mail_status" CHECK(mail_status = 'none' or mail_status = 'waiting' or mail_status = 'sent' or mail_status = 'failed');--> statement-breakpoint
ALTER TABLE `label_documents` DROP CONSTRAINT "label_documents_kind";--> statement-breakpoint
ALTER TABLE `label_documents` DROP CONSTRAINT "label_documents_content_type";--> statement-breakpoint
ALTER TABLE `carrier_accounts` DROP CONSTRAINT "carrier_accounts_status";--> statement-breakpoint
ALTER TABLE `carrier_accounts` ADD CONSTRAINT "carrier_accounts_status" CHECK(status = 'active' or status = 'paused');--> statement-breakpoint
ALTER TABLE `labels` DROP CONSTRAINT "labels_status";--> statement-breakpoint
ALTER TABLE `labels` ADD CONSTRAINT "labels_status" CHECK(status = 'processing' or status = 'completed' or status = 'error' or status = 'voided');--> statement-breakpoint
ALTER TABLE `labels` DROP CONSTRAINT "labels_void_status";--> statement-breakpoint
ALTER TABLE `labels` ADD CONSTRAINT "labels_void_status" CHECK(void_status = 'asked' or void_status = 'submitted' or void_status = 'accepted');--> statement-breakpoint
ALTER TABLE `audit_entries` DROP CONSTRAINT "audit_entries_world";--> statement-breakpoint
ALTER TABLE `audit_entries` ADD CONSTRAINT "audit_entries_world" CHECK(world = 'live' or world = 'test');--> statement-breakpoint
ALTER TABLE `memberships` DROP CONSTRAINT "memberships_covers";--> statement-breakpoint
ALTER TABLE `one_time_links` DROP CONSTRAINT "one_time_links_purpose";--> statement-breakpoint
ALTER TABLE `users` DROP CONSTRAINT "users_status";--> statement-breakpoint
ALTER TABLE `users` ADD CONSTRAINT "users_status" CHECK(status = 'active' or status = 'disabled');--> statement-breakpoint
ALTER TABLE `invitations` DROP CONSTRAINT "invitations_mail_status";--> statement-breakpoint
ALTER TABLE `invitations` ADD CONSTRAINT "invitations_mail_status" CHECK(mail_status = 'none' or mail_status = 'waiting' or mail_status = 'sent' or mail_status = 'failed');--> statement-breakpoint
CREATE TRIGGER `events_type_new` BEFORE INSERT ON `events` WHEN NEW.`type` <> 'order.created' AND NEW.`type` <> 'order.fulfilled' AND NEW.`type` <> 'order.shipped' AND NEW.`type` <> 'order.delivered' AND NEW.`type` <> 'order.cancelled' AND NEW.`type` <> 'inventory.updated' AND NEW.`type` <> 'inventory.low_stock' AND NEW.`type` <> 'inventory.received' AND NEW.`type` <> 'shipment.created' AND NEW.`type` <> 'shipment.tracking_updated' AND NEW.`type` <> 'shipment.in_transit' AND NEW.`type` <> 'shipment.delivered' AND NEW.`type` <> 'shipment.exception' AND NEW.`type` <> 'return.created' AND NEW.`type` <> 'return.received' AND NEW.`type` <> 'return.processed' BEGIN
  SELECT RAISE(ABORT, 'events_type');
END;--> statement-breakpoint
CREATE TRIGGER `events_type_changed` BEFORE UPDATE OF `type` ON `events` WHEN NEW.`type` <> 'order.created' AND NEW.`type` <> 'order.fulfilled' AND NEW.`type` <> 'order.shipped' AND NEW.`type` <> 'order.delivered' AND NEW.`type` <> 'order.cancelled' AND NEW.`type` <> 'inventory.updated' AND NEW.`type` <> 'inventory.low_stock' AND NEW.`type` <> 'inventory.received' AND NEW.`type` <> 'shipment.created' AND NEW.`type` <> 'shipment.tracking_updated' AND NEW.`type` <> 'shipment.in_transit' AND NEW.`type` <> 'shipment.delivered' AND NEW.`type` <> 'shipment.exception' AND NEW.`type` <> 'return.created' AND NEW.`type` <> 'return.received' AND NEW.`type` <> 'return.processed' BEGIN
  SELECT RAISE(ABORT, 'events_type');
END;--> statement-breakpoint
CREATE TRIGGER `orders_cancel_reason_new` BEFORE INSERT ON `orders` WHEN NEW.`cancel_reason` <> 'customer' AND NEW.`cancel_reason` <> 'declined' AND NEW.`cancel_reason` <> 'fraud' AND NEW.`cancel_reason` <> 'inventory' AND NEW.`cancel_reason` <> 'staff' AND NEW.`cancel_reason` <> 'expired' AND NEW.`cancel_reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'orders_cancel_reason');
END;--> statement-breakpoint
CREATE TRIGGER `orders_cancel_reason_changed` BEFORE UPDATE OF `cancel_reason` ON `orders` WHEN NEW.`cancel_reason` <> 'customer' AND NEW.`cancel_reason` <> 'declined' AND NEW.`cancel_reason` <> 'fraud' AND NEW.`cancel_reason` <> 'inventory' AND NEW.`cancel_reason` <> 'staff' AND NEW.`cancel_reason` <> 'expired' AND NEW.`cancel_reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'orders_cancel_reason');
END;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_new` BEFORE INSERT ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_changed` BEFORE UPDATE OF `reason` ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
CREATE TRIGGER `movements_type_new` BEFORE INSERT ON `movements` WHEN NEW.`type` <> 'adjustment' AND NEW.`type` <> 'transfer' AND NEW.`type` <> 'sale' AND NEW.`type` <> 'return' AND NEW.`type` <> 'receipt' BEGIN
  SELECT RAISE(ABORT, 'movements_type');
END;--> statement-breakpoint
CREATE TRIGGER `movements_type_changed` BEFORE UPDATE OF `type` ON `movements` WHEN NEW.`type` <> 'adjustment' AND NEW.`type` <> 'transfer' AND NEW.`type` <> 'sale' AND NEW.`type` <> 'return' AND NEW.`type` <> 'receipt' BEGIN
  SELECT RAISE(ABORT, 'movements_type');
END;--> statement-breakpoint
CREATE TRIGGER `claim_news_kind_new` BEFORE INSERT ON `claim_news` WHEN NEW.`kind` <> 'filled' AND NEW.`kind` <> 'moved' AND NEW.`kind` <> 'lost' BEGIN
  SELECT RAISE(ABORT, 'claim_news_kind');
END;--> statement-breakpoint
CREATE TRIGGER `claim_news_kind_changed` BEFORE UPDATE OF `kind` ON `claim_news` WHEN NEW.`kind` <> 'filled' AND NEW.`kind` <> 'moved' AND NEW.`kind` <> 'lost' BEGIN
  SELECT RAISE(ABORT, 'claim_news_kind');
END;--> statement-breakpoint
CREATE TRIGGER `bins_kind_new` BEFORE INSERT ON `bins` WHEN NEW.`kind` <> 'storage' AND NEW.`kind` <> 'staging' AND NEW.`kind` <> 'returns' AND NEW.`kind` <> 'putback' AND NEW.`kind` <> 'quarantine' AND NEW.`kind` <> 'damage' BEGIN
  SELECT RAISE(ABORT, 'bins_kind');
END;--> statement-breakpoint
CREATE TRIGGER `bins_kind_changed` BEFORE UPDATE OF `kind` ON `bins` WHEN NEW.`kind` <> 'storage' AND NEW.`kind` <> 'staging' AND NEW.`kind` <> 'returns' AND NEW.`kind` <> 'putback' AND NEW.`kind` <> 'quarantine' AND NEW.`kind` <> 'damage' BEGIN
  SELECT RAISE(ABORT, 'bins_kind');
END;--> statement-breakpoint
CREATE TRIGGER `products_type_new` BEFORE INSERT ON `products` WHEN NEW.`type` <> 'simple' AND NEW.`type` <> 'bundle' BEGIN
  SELECT RAISE(ABORT, 'products_type');
END;--> statement-breakpoint
CREATE TRIGGER `products_type_changed` BEFORE UPDATE OF `type` ON `products` WHEN NEW.`type` <> 'simple' AND NEW.`type` <> 'bundle' BEGIN
  SELECT RAISE(ABORT, 'products_type');
END;--> statement-breakpoint
CREATE TRIGGER `product_barcodes_type_new` BEFORE INSERT ON `product_barcodes` WHEN NEW.`type` <> 'gtin' AND NEW.`type` <> 'ean' AND NEW.`type` <> 'upc' AND NEW.`type` <> 'code128' AND NEW.`type` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'product_barcodes_type');
END;--> statement-breakpoint
CREATE TRIGGER `product_barcodes_type_changed` BEFORE UPDATE OF `type` ON `product_barcodes` WHEN NEW.`type` <> 'gtin' AND NEW.`type` <> 'ean' AND NEW.`type` <> 'upc' AND NEW.`type` <> 'code128' AND NEW.`type` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'product_barcodes_type');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_kind_new` BEFORE INSERT ON `label_documents` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'customs' AND NEW.`kind` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'label_documents_kind');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_kind_changed` BEFORE UPDATE OF `kind` ON `label_documents` WHEN NEW.`kind` <> 'label' AND NEW.`kind` <> 'customs' AND NEW.`kind` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'label_documents_kind');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_content_type_new` BEFORE INSERT ON `label_documents` WHEN NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'label_documents_content_type');
END;--> statement-breakpoint
CREATE TRIGGER `label_documents_content_type_changed` BEFORE UPDATE OF `content_type` ON `label_documents` WHEN NEW.`content_type` <> 'application/pdf' AND NEW.`content_type` <> 'image/png' AND NEW.`content_type` <> 'application/zpl' BEGIN
  SELECT RAISE(ABORT, 'label_documents_content_type');
END;--> statement-breakpoint
CREATE TRIGGER `returns_reason_new` BEFORE INSERT ON `returns` WHEN NEW.`reason` <> 'defective' AND NEW.`reason` <> 'wrong_item' AND NEW.`reason` <> 'not_as_described' AND NEW.`reason` <> 'customer_remorse' AND NEW.`reason` <> 'expired' AND NEW.`reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'returns_reason');
END;--> statement-breakpoint
CREATE TRIGGER `returns_reason_changed` BEFORE UPDATE OF `reason` ON `returns` WHEN NEW.`reason` <> 'defective' AND NEW.`reason` <> 'wrong_item' AND NEW.`reason` <> 'not_as_described' AND NEW.`reason` <> 'customer_remorse' AND NEW.`reason` <> 'expired' AND NEW.`reason` <> 'other' BEGIN
  SELECT RAISE(ABORT, 'returns_reason');
END;--> statement-breakpoint
CREATE TRIGGER `return_items_condition_new` BEFORE INSERT ON `return_items` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_items_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_items_condition_changed` BEFORE UPDATE OF `condition` ON `return_items` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_items_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_condition_new` BEFORE INSERT ON `return_inspections` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_condition_changed` BEFORE UPDATE OF `condition` ON `return_inspections` WHEN NEW.`condition` <> 'unopened' AND NEW.`condition` <> 'opened' AND NEW.`condition` <> 'damaged' AND NEW.`condition` <> 'defective' AND NEW.`condition` <> 'expired' AND NEW.`condition` <> 'missing_parts' AND NEW.`condition` <> 'wrong_item' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_condition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_disposition_new` BEFORE INSERT ON `return_inspections` WHEN NEW.`disposition` <> 'restock' AND NEW.`disposition` <> 'quarantine' AND NEW.`disposition` <> 'dispose' AND NEW.`disposition` <> 'return_to_sender' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_disposition');
END;--> statement-breakpoint
CREATE TRIGGER `return_inspections_disposition_changed` BEFORE UPDATE OF `disposition` ON `return_inspections` WHEN NEW.`disposition` <> 'restock' AND NEW.`disposition` <> 'quarantine' AND NEW.`disposition` <> 'dispose' AND NEW.`disposition` <> 'return_to_sender' BEGIN
  SELECT RAISE(ABORT, 'return_inspections_disposition');
END;--> statement-breakpoint
CREATE TRIGGER `refunds_method_new` BEFORE INSERT ON `refunds` WHEN NEW.`method` <> 'original_payment' AND NEW.`method` <> 'store_credit' AND NEW.`method` <> 'manual' BEGIN
  SELECT RAISE(ABORT, 'refunds_method');
END;--> statement-breakpoint
CREATE TRIGGER `refunds_method_changed` BEFORE UPDATE OF `method` ON `refunds` WHEN NEW.`method` <> 'original_payment' AND NEW.`method` <> 'store_credit' AND NEW.`method` <> 'manual' BEGIN
  SELECT RAISE(ABORT, 'refunds_method');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_platform_new` BEFORE INSERT ON `platform_connections` WHEN NEW.`platform` <> 'bigcommerce' AND NEW.`platform` <> 'shopify' AND NEW.`platform` <> 'woocommerce' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_platform');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_platform_changed` BEFORE UPDATE OF `platform` ON `platform_connections` WHEN NEW.`platform` <> 'bigcommerce' AND NEW.`platform` <> 'shopify' AND NEW.`platform` <> 'woocommerce' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_platform');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_form_new` BEFORE INSERT ON `deliveries` WHEN NEW.`form` <> 'v1' AND NEW.`form` <> 'v2' AND NEW.`form` <> 'v2_thin' BEGIN
  SELECT RAISE(ABORT, 'deliveries_form');
END;--> statement-breakpoint
CREATE TRIGGER `deliveries_form_changed` BEFORE UPDATE OF `form` ON `deliveries` WHEN NEW.`form` <> 'v1' AND NEW.`form` <> 'v2' AND NEW.`form` <> 'v2_thin' BEGIN
  SELECT RAISE(ABORT, 'deliveries_form');
END;--> statement-breakpoint
CREATE TRIGGER `delivery_attempts_trigger_new` BEFORE INSERT ON `delivery_attempts` WHEN NEW.`trigger` <> 'scheduled' AND NEW.`trigger` <> 'manual' AND NEW.`trigger` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'delivery_attempts_trigger');
END;--> statement-breakpoint
CREATE TRIGGER `delivery_attempts_trigger_changed` BEFORE UPDATE OF `trigger` ON `delivery_attempts` WHEN NEW.`trigger` <> 'scheduled' AND NEW.`trigger` <> 'manual' AND NEW.`trigger` <> 'test' BEGIN
  SELECT RAISE(ABORT, 'delivery_attempts_trigger');
END;--> statement-breakpoint
CREATE TRIGGER `notices_kind_new` BEFORE INSERT ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
CREATE TRIGGER `notices_kind_changed` BEFORE UPDATE OF `kind` ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
CREATE TRIGGER `memberships_covers_new` BEFORE INSERT ON `memberships` WHEN NEW.`covers` <> 'house' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END;--> statement-breakpoint
CREATE TRIGGER `memberships_covers_changed` BEFORE UPDATE OF `covers` ON `memberships` WHEN NEW.`covers` <> 'house' BEGIN
  SELECT RAISE(ABORT, 'memberships_covers');
END;--> statement-breakpoint
CREATE TRIGGER `one_time_links_purpose_new` BEFORE INSERT ON `one_time_links` WHEN NEW.`purpose` <> 'setup' AND NEW.`purpose` <> 'reset' BEGIN
  SELECT RAISE(ABORT, 'one_time_links_purpose');
END;--> statement-breakpoint
CREATE TRIGGER `one_time_links_purpose_changed` BEFORE UPDATE OF `purpose` ON `one_time_links` WHEN NEW.`purpose` <> 'setup' AND NEW.`purpose` <> 'reset' BEGIN
  SELECT RAISE(ABORT, 'one_time_links_purpose');
END;
