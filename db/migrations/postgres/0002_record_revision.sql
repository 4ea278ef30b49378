-- breaking: the previous version reads and writes the columns under their old names
ALTER TABLE "billable_events" RENAME COLUMN "source_version" TO "source_revision";--> statement-breakpoint
ALTER TABLE "carrier_accounts" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "counts" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "customers" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "lots" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "api_keys" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "merchants" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "merchants" RENAME COLUMN "colour" TO "color";--> statement-breakpoint
UPDATE "retention_settings" SET "kind" = 'webhook_responses' WHERE "kind" = 'receiver_answers';--> statement-breakpoint
UPDATE "retention_settings" SET "kind" = 'stored_responses' WHERE "kind" = 'kept_answers';--> statement-breakpoint
UPDATE "erasures" SET "erased" = replace("erased"::text, '"kept_answers"', '"stored_responses"')::json;--> statement-breakpoint
UPDATE "audit_entries" SET "actor_id" = 'anonymous' WHERE "actor_id" = 'stranger';--> statement-breakpoint
ALTER TABLE "orders" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "platform_connections" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "products" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "holiday_sets" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "rate_card_versions" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "rate_cards" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "zone_systems" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "receipts" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "returns" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "tracking_records" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "transfers" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "users" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
ALTER TABLE "warehouses" RENAME COLUMN "version" TO "revision";
