-- additive, or breaking: what would the previous version do wrong alongside it, or after it?
DROP INDEX "order_holds_resolved_by_people";--> statement-breakpoint
DROP INDEX "platform_listings_failing";--> statement-breakpoint
DROP INDEX "returns_uninspected"