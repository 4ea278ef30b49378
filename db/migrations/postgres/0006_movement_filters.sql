DROP INDEX "movements_sold";--> statement-breakpoint
CREATE INDEX "lots_named" ON "lots" USING btree ("lot_number");--> statement-breakpoint
CREATE INDEX "movements_lot" ON "movements" USING btree ("lot_id","id") WHERE lot_id is not null;--> statement-breakpoint
CREATE INDEX "movements_reason" ON "movements" USING btree ("reason","id") WHERE reason not in ('shipped', 'picked', 'received');