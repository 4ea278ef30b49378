-- additive
DROP INDEX "labels_tracking";--> statement-breakpoint
ALTER TABLE "labels" ADD COLUMN "external" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "labels_tracking" ON "labels" USING btree ("carrier","tracking_number") WHERE account_id is null and not external;--> statement-breakpoint
CREATE OR REPLACE TRIGGER "files_kind" BEFORE INSERT OR UPDATE OF "kind" ON "files"
  FOR EACH ROW WHEN (NEW."kind" <> ALL ('{"logo","label"}'::text[])) EXECUTE FUNCTION refuse_word();--> statement-breakpoint
CREATE OR REPLACE TRIGGER "files_content_type" BEFORE INSERT OR UPDATE OF "content_type" ON "files"
  FOR EACH ROW WHEN (NEW."content_type" <> ALL ('{"image/png","image/jpeg","application/pdf","application/zpl"}'::text[])) EXECUTE FUNCTION refuse_word()