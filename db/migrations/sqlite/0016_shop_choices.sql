-- additive
DROP INDEX `order_holds_bad_address`;--> statement-breakpoint
CREATE INDEX `order_holds_addresses` ON `order_holds` (`order_id`) WHERE released_at is null and reason in ('bad_address', 'address_hidden');--> statement-breakpoint
ALTER TABLE `platform_connections` ADD `pending_orders` text DEFAULT 'wait' NOT NULL;--> statement-breakpoint
ALTER TABLE `platform_connections` ADD `test_orders` text DEFAULT 'ignore' NOT NULL;--> statement-breakpoint
DROP TRIGGER `order_holds_reason_new`;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_new` BEFORE INSERT ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'address_hidden' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' AND NEW.`reason` <> 'platform_change' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
DROP TRIGGER `order_holds_reason_changed`;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_changed` BEFORE UPDATE OF `reason` ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'address_hidden' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' AND NEW.`reason` <> 'platform_change' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_pending_orders_new` BEFORE INSERT ON `platform_connections` WHEN NEW.`pending_orders` <> 'wait' AND NEW.`pending_orders` <> 'import' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_pending_orders');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_pending_orders_changed` BEFORE UPDATE OF `pending_orders` ON `platform_connections` WHEN NEW.`pending_orders` <> 'wait' AND NEW.`pending_orders` <> 'import' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_pending_orders');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_test_orders_new` BEFORE INSERT ON `platform_connections` WHEN NEW.`test_orders` <> 'ignore' AND NEW.`test_orders` <> 'import' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_test_orders');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_test_orders_changed` BEFORE UPDATE OF `test_orders` ON `platform_connections` WHEN NEW.`test_orders` <> 'ignore' AND NEW.`test_orders` <> 'import' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_test_orders');
END