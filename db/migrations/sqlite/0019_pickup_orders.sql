-- additive
ALTER TABLE `orders` ADD `fulfillment_type` text DEFAULT 'ship' NOT NULL;--> statement-breakpoint
ALTER TABLE `orders` ADD `shipping_method_code` text;--> statement-breakpoint
ALTER TABLE `platform_connections` ADD `pickup_orders` text DEFAULT 'ignore' NOT NULL;--> statement-breakpoint
CREATE TRIGGER `orders_fulfillment_type_new` BEFORE INSERT ON `orders` WHEN NEW.`fulfillment_type` <> 'ship' AND NEW.`fulfillment_type` <> 'pickup' BEGIN
  SELECT RAISE(ABORT, 'orders_fulfillment_type');
END;--> statement-breakpoint
CREATE TRIGGER `orders_fulfillment_type_changed` BEFORE UPDATE OF `fulfillment_type` ON `orders` WHEN NEW.`fulfillment_type` <> 'ship' AND NEW.`fulfillment_type` <> 'pickup' BEGIN
  SELECT RAISE(ABORT, 'orders_fulfillment_type');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_pickup_orders_new` BEFORE INSERT ON `platform_connections` WHEN NEW.`pickup_orders` <> 'import' AND NEW.`pickup_orders` <> 'ignore' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_pickup_orders');
END;--> statement-breakpoint
CREATE TRIGGER `platform_connections_pickup_orders_changed` BEFORE UPDATE OF `pickup_orders` ON `platform_connections` WHEN NEW.`pickup_orders` <> 'import' AND NEW.`pickup_orders` <> 'ignore' BEGIN
  SELECT RAISE(ABORT, 'platform_connections_pickup_orders');
END