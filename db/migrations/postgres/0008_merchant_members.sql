-- breaking: the version before would make memberships without a status
DROP INDEX "invitations_open";--> statement-breakpoint
ALTER TABLE "memberships" DROP CONSTRAINT "memberships_user_id_covers_pk";--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "merchant_id" bigint;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "merchant_id" bigint;--> statement-breakpoint
-- Everybody until now is a member of the house.
ALTER TABLE "memberships" ADD COLUMN "status" text collate "C";--> statement-breakpoint
UPDATE "memberships" SET "status" = 'active';--> statement-breakpoint
ALTER TABLE "memberships" ALTER COLUMN "status" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "acts_for" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "views_as" bigint;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_merchant_id_merchants_id_fk" FOREIGN KEY ("merchant_id") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_acts_for_merchants_id_fk" FOREIGN KEY ("acts_for") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_views_as_merchants_id_fk" FOREIGN KEY ("views_as") REFERENCES "merchants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_open_merchant" ON "invitations" USING btree ("email_key","merchant_id") WHERE accepted_at is null and revoked_at is null and merchant_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "memberships_house" ON "memberships" USING btree ("user_id") WHERE merchant_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX "memberships_merchant" ON "memberships" USING btree ("user_id","merchant_id") WHERE merchant_id is not null;--> statement-breakpoint
CREATE INDEX "memberships_of_merchant" ON "memberships" USING btree ("merchant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_open" ON "invitations" USING btree ("email_key") WHERE accepted_at is null and revoked_at is null and merchant_id is null;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_whole" CHECK ((covers = 'house') = (merchant_id is null));--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_status" CHECK (status = any ('{active,disabled}'::text[]));--> statement-breakpoint
CREATE OR REPLACE TRIGGER "memberships_covers" BEFORE INSERT OR UPDATE OF "covers" ON "memberships"
  FOR EACH ROW WHEN (NEW."covers" <> ALL ('{"house","merchant"}'::text[])) EXECUTE FUNCTION refuse_word()