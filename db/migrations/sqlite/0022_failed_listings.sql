-- additive
CREATE INDEX `platform_listings_failed` ON `platform_listings` (`connection_id`) WHERE status = 'failed';