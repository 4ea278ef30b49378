-- Tracking numbers get the one form in which they are looked up: A to Z large, without spaces and dashes; what was
-- nothing but dashes is none. Numbers of two parcels that become equal stay so, and the newer parcel is the one found.
UPDATE "shipments" SET "tracking_number" = nullif(regexp_replace(upper("tracking_number" collate "C"),
  '[\u0009-\u000d\u0020\u002d\u00a0\u00ad\u058a\u05be\u1400\u1680\u1806\u2000-\u200d\u2010-\u2015\u2028-\u2029\u202f\u205f-\u2060\u2212\u2e17\u2e1a\u2e3a-\u2e3b\u2e40\u2e5d\u3000\u301c\u3030\u30a0\ufe31-\ufe32\ufe58\ufe63\ufeff\uff0d\U00010ead]',
  '', 'g'), '')
WHERE "tracking_number" ~ '[^0-9A-Z]' or "tracking_number" = '';--> statement-breakpoint
UPDATE "tracking_records" r SET "tracking_number" = s.tracking_number FROM "shipments" s
WHERE s.id = r.shipment_id and s.tracking_number <> r.tracking_number;--> statement-breakpoint
UPDATE "returns" SET "return_shipping" = jsonb_set("return_shipping"::jsonb, '{tracking_number}',
  coalesce(to_jsonb(nullif(regexp_replace(upper(("return_shipping" ->> 'tracking_number') collate "C"),
  '[\u0009-\u000d\u0020\u002d\u00a0\u00ad\u058a\u05be\u1400\u1680\u1806\u2000-\u200d\u2010-\u2015\u2028-\u2029\u202f\u205f-\u2060\u2212\u2e17\u2e1a\u2e3a-\u2e3b\u2e40\u2e5d\u3000\u301c\u3030\u30a0\ufe31-\ufe32\ufe58\ufe63\ufeff\uff0d\U00010ead]',
  '', 'g'), '')), 'null'))::json
WHERE ("return_shipping" ->> 'tracking_number') ~ '[^0-9A-Z]' or ("return_shipping" ->> 'tracking_number') = '';--> statement-breakpoint
DROP INDEX "shipments_tracking_bare";--> statement-breakpoint
DROP INDEX "tracking_records_number";--> statement-breakpoint
DROP INDEX "tracking_records_shipment";--> statement-breakpoint
CREATE INDEX "tracking_records_number" ON "tracking_records" USING btree ("tracking_number");--> statement-breakpoint
CREATE UNIQUE INDEX "tracking_records_shipment" ON "tracking_records" USING btree ("shipment_id");--> statement-breakpoint
ALTER TABLE "shipments" ADD CONSTRAINT "shipments_tracking_number" CHECK (not (tracking_number ~ '[a-z -]') and tracking_number <> '');