-- breaking: the previous version adds the units of a received return to stock again when it inspects them
-- Returns that were received and not inspected: their units are added to the returns bin of the warehouse that shipped
-- most of them, in their lot if only one was shipped.
CREATE TEMPORARY TABLE received_returns AS
WITH received AS (
  SELECT r.id AS return_id, r.merchant_id, i.order_line_id, i.quantity_received, o.id AS order_id, o.imported,
    'ord_' || o.id AS order_ref, o.warehouse_id
  FROM returns r JOIN orders o ON o.id = r.order_id JOIN return_items i ON i.return_id = r.id
  WHERE r.status = 'received' AND i.quantity_received > 0
), parts AS (
  SELECT l.id AS line, l.product_id, 1 AS each FROM order_lines l
  WHERE l.components IS NULL AND l.id IN (SELECT order_line_id FROM received)
  UNION ALL
  SELECT l.id, CAST(part.value ->> 'product_id' AS bigint), CAST(part.value ->> 'quantity' AS bigint)
  FROM order_lines l CROSS JOIN json_each(l.components) AS part
  WHERE l.components IS NOT NULL AND l.id IN (SELECT order_line_id FROM received)
), shipped AS (
  SELECT m.reference_id AS order_ref, m.product_id, s.warehouse_id, m.lot_id, sum(m.quantity) AS units
  FROM movements m JOIN stock_items s ON s.id = m.from_item_id
  WHERE m.reference_type = 'order' AND m.type = 'sale' AND m.reference_id IN (SELECT order_ref FROM received)
  GROUP BY m.reference_id, m.product_id, s.warehouse_id, m.lot_id
), shipped_lots AS (
  SELECT order_ref, product_id, CASE WHEN count(DISTINCT coalesce(lot_id, 0)) = 1 THEN max(lot_id) END AS lot_id
  FROM shipped GROUP BY order_ref, product_id
), shipped_from AS (
  SELECT order_ref, product_id, warehouse_id,
    row_number() OVER (PARTITION BY order_ref, product_id ORDER BY units DESC, warehouse_id) AS place
  FROM shipped
)
SELECT r.return_id, r.merchant_id, p.product_id,
  CASE WHEN r.imported THEN 'adjustment' ELSE 'return' END AS type,
  coalesce(f.warehouse_id, r.warehouse_id, (SELECT id FROM warehouses ORDER BY priority, id LIMIT 1)) AS warehouse_id,
  l.lot_id, CAST(sum(r.quantity_received * p.each) AS bigint) AS quantity
FROM received r JOIN parts p ON p.line = r.order_line_id
LEFT JOIN shipped_lots l ON l.order_ref = r.order_ref AND l.product_id = p.product_id
LEFT JOIN shipped_from f ON f.order_ref = r.order_ref AND f.product_id = p.product_id AND f.place = 1
GROUP BY r.return_id, r.merchant_id, p.product_id, r.imported, f.warehouse_id, r.warehouse_id, l.lot_id;--> statement-breakpoint
INSERT INTO bins (warehouse_id, zone_id, code, kind, pick_order, mix_merchants)
WITH RECURSIVE codes(n, code) AS (
  SELECT 1, 'RETURNS'
  UNION ALL
  SELECT n + 1, 'RETURNS-' || (n + 1) FROM codes WHERE n <= (SELECT count(*) FROM bins WHERE code LIKE 'RETURNS%')
)
SELECT w.warehouse_id, (SELECT min(z.id) FROM zones z WHERE z.warehouse_id = w.warehouse_id),
  (
    SELECT c.code FROM codes c
    WHERE NOT EXISTS (SELECT 1 FROM bins b WHERE b.warehouse_id = w.warehouse_id AND b.code = c.code)
    ORDER BY c.n LIMIT 1
  ), 'returns', 1000000, false
FROM (
  SELECT DISTINCT r.warehouse_id FROM received_returns r
  WHERE NOT EXISTS (
    SELECT 1 FROM bins b WHERE b.warehouse_id = r.warehouse_id AND b.kind = 'returns'
      AND coalesce(b.dedicated_merchant_id, r.merchant_id) = r.merchant_id
  )
) w;--> statement-breakpoint
CREATE TEMPORARY TABLE returns_to_book AS
SELECT r.return_id, r.merchant_id, r.product_id, r.type, r.warehouse_id, r.lot_id, r.quantity,
  (
    SELECT b.id FROM bins b
    WHERE b.warehouse_id = r.warehouse_id AND b.kind = 'returns'
      AND coalesce(b.dedicated_merchant_id, r.merchant_id) = r.merchant_id
    ORDER BY CASE WHEN b.dedicated_merchant_id IS NULL THEN 1 ELSE 0 END, b.pick_order, b.id LIMIT 1
  ) AS bin_id,
  max(CAST(unixepoch('subsec') * 1000 AS integer), coalesce((SELECT created_at FROM movements ORDER BY id DESC LIMIT 1), 0)) AS now
FROM received_returns r;--> statement-breakpoint
INSERT INTO stock_items (merchant_id, product_id, warehouse_id, bin_id, lot_id, on_hand, reserved, received_at, updated_at)
SELECT DISTINCT r.merchant_id, r.product_id, r.warehouse_id, r.bin_id, r.lot_id, 0, 0, r.now, r.now
FROM returns_to_book r
WHERE NOT EXISTS (
  SELECT 1 FROM stock_items s
  WHERE s.product_id = r.product_id AND s.bin_id = r.bin_id AND s.lot_id IS NOT DISTINCT FROM r.lot_id
);--> statement-breakpoint
INSERT INTO movements (merchant_id, product_id, type, quantity, to_item_id, to_balance, lot_id, reason, notes,
  reference_type, reference_id, confirmed, actor_type, actor_id, created_at)
SELECT r.merchant_id, r.product_id, r.type, r.quantity, s.id,
  s.on_hand + sum(r.quantity) OVER (PARTITION BY s.id ORDER BY r.return_id), r.lot_id, 'return_received',
  'Received before the upgrade that counts such units', 'return', 'ret_' || r.return_id, true, 'system', 'upgrade', r.now
FROM returns_to_book r JOIN stock_items s
  ON s.product_id = r.product_id AND s.bin_id = r.bin_id AND s.lot_id IS NOT DISTINCT FROM r.lot_id
ORDER BY r.return_id, r.product_id;--> statement-breakpoint
UPDATE stock_items SET
  received_at = CASE WHEN on_hand = 0 THEN booked.now ELSE received_at END,
  on_hand = on_hand + booked.units,
  updated_at = booked.now
FROM (
  SELECT product_id, bin_id, lot_id, max(now) AS now, CAST(sum(quantity) AS bigint) AS units
  FROM returns_to_book GROUP BY product_id, bin_id, lot_id
) AS booked
WHERE stock_items.product_id = booked.product_id AND stock_items.bin_id = booked.bin_id
  AND stock_items.lot_id IS NOT DISTINCT FROM booked.lot_id;--> statement-breakpoint
DROP TABLE received_returns;--> statement-breakpoint
DROP TABLE returns_to_book;
