ALTER TABLE `subscriptions` ADD `begins_after` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- Until now the time decided: a subscription begins with the first event that it has a delivery of, or with the next one.
UPDATE `subscriptions` SET `begins_after` = coalesce(
  (SELECT e.position - 1 FROM deliveries d JOIN events e ON e.id = d.event_id
    WHERE d.subscription_id = subscriptions.id AND d.sequence > 0 AND d.sequence = 1),
  (SELECT max(position) FROM events), 0);
