-- additive
DROP INDEX "labels_unprinted";--> statement-breakpoint
CREATE INDEX "labels_unprinted" ON "labels" USING btree ("order_id") WHERE printed_at is null and return_id is null and voided_at is null and tracking_number is not null;