-- additive
DROP TRIGGER `order_holds_reason_new`;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_new` BEFORE INSERT ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' AND NEW.`reason` <> 'platform_change' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END;--> statement-breakpoint
DROP TRIGGER `order_holds_reason_changed`;--> statement-breakpoint
CREATE TRIGGER `order_holds_reason_changed` BEFORE UPDATE OF `reason` ON `order_holds` WHEN NEW.`reason` <> 'manual' AND NEW.`reason` <> 'address' AND NEW.`reason` <> 'payment' AND NEW.`reason` <> 'fraud' AND NEW.`reason` <> 'inventory' AND NEW.`reason` <> 'customer_request' AND NEW.`reason` <> 'compliance' AND NEW.`reason` <> 'other' AND NEW.`reason` <> 'bad_address' AND NEW.`reason` <> 'carrier_discrepancy' AND NEW.`reason` <> 'merchant_suspended' AND NEW.`reason` <> 'recalled_lot' AND NEW.`reason` <> 'short_pick' AND NEW.`reason` <> 'unknown_sku' AND NEW.`reason` <> 'platform_change' BEGIN
  SELECT RAISE(ABORT, 'order_holds_reason');
END