-- additive
CREATE INDEX "platform_listings_failed" ON "platform_listings" USING btree ("connection_id") WHERE status = 'failed';