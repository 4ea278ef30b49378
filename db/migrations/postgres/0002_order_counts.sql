-- additive
CREATE TABLE "order_counts" (
	"status" text collate "C" NOT NULL,
	"held" boolean NOT NULL,
	"part" bigint NOT NULL,
	"number" bigint NOT NULL,
	CONSTRAINT "order_counts_status_held_part_pk" PRIMARY KEY("status","held","part")
);--> statement-breakpoint
-- No row has the same part as one of another transaction, so that none waits for it.
CREATE FUNCTION count_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- To set the path for each call would take longer than to count.
  IF current_schema() <> TG_TABLE_SCHEMA THEN
    RAISE EXCEPTION 'Orders are counted: SET search_path TO % before you change them', quote_ident(TG_TABLE_SCHEMA);
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO order_counts AS kept (status, held, part, number)
      VALUES (OLD.status, OLD.held, pg_current_xact_id()::text::bigint, -1)
      ON CONFLICT (status, held, part) DO UPDATE SET number = kept.number - 1;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO order_counts AS kept (status, held, part, number)
      VALUES (NEW.status, NEW.held, pg_current_xact_id()::text::bigint, 1)
      ON CONFLICT (status, held, part) DO UPDATE SET number = kept.number + 1;
  END IF;
  RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "orders_counted" AFTER INSERT OR DELETE ON "orders" FOR EACH ROW EXECUTE FUNCTION count_order();--> statement-breakpoint
CREATE TRIGGER "orders_counted_changed" AFTER UPDATE OF "status", "held" ON "orders" FOR EACH ROW
  WHEN (NEW."status" <> OLD."status" OR NEW."held" <> OLD."held") EXECUTE FUNCTION count_order();--> statement-breakpoint
-- The triggers have locked out other writers, so that no order is missed and none is counted twice.
INSERT INTO "order_counts" ("status", "held", "part", "number")
  SELECT "status", "held", 0, count(*) FROM "orders" GROUP BY "status", "held";
