ALTER TABLE `shipments` ADD `told_url` text;--> statement-breakpoint
UPDATE shipments SET told_url = (
  SELECT labels.tracking_url FROM labels WHERE labels.shipment_id = shipments.id AND labels.status = 'completed'
  ORDER BY labels.id DESC LIMIT 1
) WHERE id IN (SELECT shipment_id FROM labels WHERE tracking_url IS NOT NULL AND status = 'completed');
