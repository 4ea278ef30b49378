ALTER TABLE "subscriptions" ADD COLUMN "is_ending" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "backlog_skipped" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "backlog_skipped_at" bigint;--> statement-breakpoint
CREATE INDEX "subscriptions_ending" ON "subscriptions" USING btree ("id") WHERE is_ending;