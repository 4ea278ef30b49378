-- breaking: the version before would take yen for hundredths and fils for hundredths
CREATE TABLE `rounded_amounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`noun` text NOT NULL,
	`record_id` integer NOT NULL,
	`field` text NOT NULL,
	`currency` text NOT NULL,
	`hundredths` integer NOT NULL,
	`minor_units` integer NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `count_lines` ADD `unit_value_currency` text;--> statement-breakpoint
ALTER TABLE `movements` ADD `unit_cost_currency` text;--> statement-breakpoint
DROP TRIGGER `notices_kind_new`;--> statement-breakpoint
CREATE TRIGGER `notices_kind_new` BEFORE INSERT ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' AND NEW.`kind` <> 'amounts_rounded' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
DROP TRIGGER `notices_kind_changed`;--> statement-breakpoint
CREATE TRIGGER `notices_kind_changed` BEFORE UPDATE OF `kind` ON `notices` WHEN NEW.`kind` <> 'webhook_failing' AND NEW.`kind` <> 'webhook_disabled' AND NEW.`kind` <> 'webhook_backlog' AND NEW.`kind` <> 'backup_failed' AND NEW.`kind` <> 'backup_late' AND NEW.`kind` <> 'amounts_rounded' BEGIN
  SELECT RAISE(ABORT, 'notices_kind');
END;--> statement-breakpoint
UPDATE `movements` SET unit_cost_currency = (SELECT p.currency FROM `products` AS p WHERE p.id = product_id) WHERE unit_cost_cents IS NOT NULL;--> statement-breakpoint
UPDATE `count_lines` SET unit_value_currency = (SELECT p.currency FROM `products` AS p WHERE p.id = product_id) WHERE unit_value_cents IS NOT NULL;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'product', id, 'price', currency, price_cents, (price_cents + 50) / 100 FROM `products`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND price_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `products` SET price_cents = (price_cents + 50) / 100 WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `products` SET price_cents = price_cents * 10 WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'movement', id, 'unit_cost', unit_cost_currency, unit_cost_cents, (unit_cost_cents + 50) / 100 FROM `movements`
  WHERE unit_cost_currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND unit_cost_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `movements` SET unit_cost_cents = (unit_cost_cents + 50) / 100 WHERE unit_cost_currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `movements` SET unit_cost_cents = unit_cost_cents * 10 WHERE unit_cost_currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'count', count_id, 'unit_value', unit_value_currency, unit_value_cents, (unit_value_cents + 50) / 100 FROM `count_lines`
  WHERE unit_value_currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND unit_value_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `count_lines` SET unit_value_cents = (unit_value_cents + 50) / 100 WHERE unit_value_currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `count_lines` SET unit_value_cents = unit_value_cents * 10 WHERE unit_value_currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'return', id, 'refund_amount', currency, refund_amount_cents, (refund_amount_cents + 50) / 100 FROM `returns`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND refund_amount_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'return', id, 'restocking_fee', currency, restocking_fee_cents, (restocking_fee_cents + 50) / 100 FROM `returns`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND restocking_fee_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `returns` SET refund_amount_cents = (refund_amount_cents + 50) / 100, restocking_fee_cents = (restocking_fee_cents + 50) / 100 WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `returns` SET refund_amount_cents = refund_amount_cents * 10, restocking_fee_cents = restocking_fee_cents * 10 WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'order_line' AS noun, l.id AS record_id, 'unit_price' AS field, o.currency AS currency, l.unit_price_cents AS hundredths, max((l.unit_price_cents + 50) / 100, ((l.quantity * l.unit_price_cents - l.discount_cents + 50) / 100 + l.quantity - 1) / l.quantity) AS minor_units FROM `order_lines` AS l INNER JOIN `orders` AS o ON o.id = l.order_id
  WHERE o.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')) AS listed WHERE minor_units * 100 <> hundredths ORDER BY record_id;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'order_line' AS noun, l.id AS record_id, 'discount_amount' AS field, o.currency AS currency, l.discount_cents AS hundredths, l.quantity * max((l.unit_price_cents + 50) / 100, ((l.quantity * l.unit_price_cents - l.discount_cents + 50) / 100 + l.quantity - 1) / l.quantity) - (l.quantity * l.unit_price_cents - l.discount_cents + 50) / 100 AS minor_units FROM `order_lines` AS l INNER JOIN `orders` AS o ON o.id = l.order_id
  WHERE o.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')) AS listed WHERE minor_units * 100 <> hundredths ORDER BY record_id;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'order_line', l.id, 'line_total', o.currency, (l.quantity * l.unit_price_cents - l.discount_cents), ((l.quantity * l.unit_price_cents - l.discount_cents) + 50) / 100 FROM `order_lines` AS l INNER JOIN `orders` AS o ON o.id = l.order_id
  WHERE o.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND (l.quantity * l.unit_price_cents - l.discount_cents) % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `order_lines` SET unit_price_cents = max((unit_price_cents + 50) / 100, ((quantity * unit_price_cents - discount_cents + 50) / 100 + quantity - 1) / quantity),
  discount_cents = quantity * max((unit_price_cents + 50) / 100, ((quantity * unit_price_cents - discount_cents + 50) / 100 + quantity - 1) / quantity) - (quantity * unit_price_cents - discount_cents + 50) / 100
  WHERE order_id IN (SELECT o.id FROM `orders` AS o WHERE o.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'));--> statement-breakpoint
UPDATE `order_lines` SET unit_price_cents = unit_price_cents * 10, discount_cents = discount_cents * 10 WHERE order_id IN (SELECT o.id FROM `orders` AS o WHERE o.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'));--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'order' AS noun, id AS record_id, 'subtotal' AS field, currency AS currency, subtotal_cents AS hundredths, (SELECT coalesce(sum((l.quantity * l.unit_price_cents - l.discount_cents) / l.quantity * (l.quantity - l.quantity_cancelled) + (2 * ((l.quantity * l.unit_price_cents - l.discount_cents) % l.quantity) * (l.quantity - l.quantity_cancelled) + l.quantity) / (2 * l.quantity)), 0)
    FROM `order_lines` AS l WHERE l.order_id = `orders`.id) AS minor_units FROM `orders`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')) AS listed WHERE minor_units * 100 <> hundredths ORDER BY record_id;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'order' AS noun, id AS record_id, 'subtotal' AS field, currency AS currency, subtotal_cents AS hundredths, (SELECT coalesce(sum((l.quantity * l.unit_price_cents - l.discount_cents) / l.quantity * (l.quantity - l.quantity_cancelled) + (2 * ((l.quantity * l.unit_price_cents - l.discount_cents) % l.quantity) * (l.quantity - l.quantity_cancelled) + l.quantity) / (2 * l.quantity)), 0)
    FROM `order_lines` AS l WHERE l.order_id = `orders`.id) AS minor_units FROM `orders`
  WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND')) AS listed WHERE minor_units <> hundredths * 10 ORDER BY record_id;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'order', id, 'shipping_amount', currency, shipping_amount_cents, (shipping_amount_cents + 50) / 100 FROM `orders`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND shipping_amount_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `orders` SET shipping_amount_cents = (shipping_amount_cents + 50) / 100,
  subtotal_cents = (SELECT coalesce(sum((l.quantity * l.unit_price_cents - l.discount_cents) / l.quantity * (l.quantity - l.quantity_cancelled) + (2 * ((l.quantity * l.unit_price_cents - l.discount_cents) % l.quantity) * (l.quantity - l.quantity_cancelled) + l.quantity) / (2 * l.quantity)), 0)
    FROM `order_lines` AS l WHERE l.order_id = `orders`.id)
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `orders` SET shipping_amount_cents = shipping_amount_cents * 10,
  subtotal_cents = (SELECT coalesce(sum((l.quantity * l.unit_price_cents - l.discount_cents) / l.quantity * (l.quantity - l.quantity_cancelled) + (2 * ((l.quantity * l.unit_price_cents - l.discount_cents) % l.quantity) * (l.quantity - l.quantity_cancelled) + l.quantity) / (2 * l.quantity)), 0)
    FROM `order_lines` AS l WHERE l.order_id = `orders`.id)
  WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'refund' AS noun, id AS record_id, 'amount' AS field, currency AS currency, amount_cents AS hundredths, (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100 - min((json_extract(breakdown, '$.restocking_fee_cents') + 50) / 100, (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100) AS minor_units FROM `refunds`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')) AS listed WHERE minor_units * 100 <> hundredths ORDER BY record_id;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'refund', id, 'breakdown.items', currency, json_extract(breakdown, '$.items_cents'), (json_extract(breakdown, '$.items_cents') + 50) / 100 FROM `refunds`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND json_extract(breakdown, '$.items_cents') % 100 <> 0 ORDER BY 2;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'refund', id, 'breakdown.shipping', currency, json_extract(breakdown, '$.shipping_cents'), (json_extract(breakdown, '$.shipping_cents') + 50) / 100 FROM `refunds`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND json_extract(breakdown, '$.shipping_cents') % 100 <> 0 ORDER BY 2;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT * FROM (SELECT 'refund' AS noun, id AS record_id, 'breakdown.restocking_fee' AS field, currency AS currency, json_extract(breakdown, '$.restocking_fee_cents') AS hundredths, min((json_extract(breakdown, '$.restocking_fee_cents') + 50) / 100, (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100) AS minor_units FROM `refunds`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')) AS listed WHERE minor_units * 100 <> hundredths ORDER BY record_id;--> statement-breakpoint
UPDATE `refunds` SET amount_cents = (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100 - min((json_extract(breakdown, '$.restocking_fee_cents') + 50) / 100, (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100),
  breakdown = json_object('items_cents', (json_extract(breakdown, '$.items_cents') + 50) / 100, 'shipping_cents', (json_extract(breakdown, '$.shipping_cents') + 50) / 100, 'restocking_fee_cents', min((json_extract(breakdown, '$.restocking_fee_cents') + 50) / 100, (json_extract(breakdown, '$.items_cents') + 50) / 100 + (json_extract(breakdown, '$.shipping_cents') + 50) / 100))
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `refunds` SET amount_cents = amount_cents * 10,
  breakdown = json_object('items_cents', json_extract(breakdown, '$.items_cents') * 10, 'shipping_cents', json_extract(breakdown, '$.shipping_cents') * 10, 'restocking_fee_cents', json_extract(breakdown, '$.restocking_fee_cents') * 10)
  WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'label', id, 'cost', currency, cost_cents, (cost_cents + 50) / 100 FROM `labels`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND cost_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
INSERT INTO `rounded_amounts` (noun, record_id, field, currency, hundredths, minor_units)
  SELECT 'label', id, 'carrier_cost', currency, carrier_cost_cents, (carrier_cost_cents + 50) / 100 FROM `labels`
  WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') AND carrier_cost_cents % 100 <> 0 ORDER BY 2;--> statement-breakpoint
UPDATE `labels` SET breakdown = (SELECT json_group_array(json_replace(each.value, '$.amount_cents', CAST(round(json_extract(each.value, '$.amount_cents') / 100.0) AS integer), '$.cost_cents', CAST(round(json_extract(each.value, '$.cost_cents') / 100.0) AS integer))) FROM json_each(breakdown) AS each)
  WHERE breakdown IS NOT NULL AND currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `labels` SET breakdown = (SELECT json_group_array(json_replace(each.value, '$.amount_cents', json_extract(each.value, '$.amount_cents') * 10, '$.cost_cents', json_extract(each.value, '$.cost_cents') * 10)) FROM json_each(breakdown) AS each)
  WHERE breakdown IS NOT NULL AND currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
UPDATE `labels` SET cost_cents = (cost_cents + 50) / 100, carrier_cost_cents = (carrier_cost_cents + 50) / 100 WHERE currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `labels` SET cost_cents = cost_cents * 10, carrier_cost_cents = carrier_cost_cents * 10 WHERE currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
UPDATE `platform_imports` SET payload = json_set(payload, '$.shipping_amount_cents', CAST(round(json_extract(payload, '$.shipping_amount_cents') / 100.0) AS integer),
  '$.lines', json((SELECT json_group_array(json_replace(each.value, '$.unit_price_cents', CAST(round(json_extract(each.value, '$.unit_price_cents') / 100.0) AS integer), '$.total_cents', CAST(round(json_extract(each.value, '$.total_cents') / 100.0) AS integer))) FROM json_each(payload, '$.lines') AS each)))
  WHERE payload IS NOT NULL AND json_extract(payload, '$.currency') IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF');--> statement-breakpoint
UPDATE `platform_imports` SET payload = json_set(payload, '$.shipping_amount_cents', json_extract(payload, '$.shipping_amount_cents') * 10,
  '$.lines', json((SELECT json_group_array(json_replace(each.value, '$.unit_price_cents', json_extract(each.value, '$.unit_price_cents') * 10, '$.total_cents', json_extract(each.value, '$.total_cents') * 10)) FROM json_each(payload, '$.lines') AS each)))
  WHERE payload IS NOT NULL AND json_extract(payload, '$.currency') IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND');--> statement-breakpoint
INSERT INTO `notices` (kind, message, mail_status, mail_attempts, created_at)
  SELECT 'amounts_rounded', CASE WHEN count(*) = 1 THEN '1 amount had too many decimals for its currency and was rounded half up.' ELSE count(*) || ' amounts had too many decimals for their currency and were rounded half up.' END || ' Run `packhouse verify` to see each amount before and after.', 'none', 0, CAST(unixepoch('subsec') * 1000 AS integer)
  FROM `rounded_amounts` HAVING count(*) > 0