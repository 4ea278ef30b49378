import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, notesField, nullable, textField, timestamp } from "../core/schema.ts";
import { temperatureZones } from "../products/product.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { billableKinds, billedActs, billedUnits, sourceTypes } from "./billable_kinds.ts";

/** A day of a warehouse. `checkDays` refuses one that does not exist. */
export const dayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a day such as 2026-01-31", description });

export const AddProject = closed({
  ...ofMerchant,
  location: Type.Optional(idField("warehouse", "The warehouse where it was done. Required if there are several.")),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "The minutes spent. Required, except in a reversal, where it is refused.",
    }),
  ),
  description: { ...notesField(500), description: "What was done, for the merchant to read; in a reversal, why." },
  approved_by: Type.Optional(nullable(textField(200, { description: "The person at the merchant who approved it." }))),
  reversal_of: Type.Optional(idField("billable_event", "The manually recorded event that this one reverses.")),
});
export type AddProject = Static<typeof AddProject>;

const text = Type.String();

export const BillableEventView = closed({
  id: text,
  merchant_id: OwnerView,
  warehouse_id: text,
  kind: choice(billableKinds, { description: "The kind of work, by which it is priced. One kind has several acts." }),
  act: choice(billedActs, { description: "What was done; it decides the `kind`, the `unit` and the type of source." }),
  occurred_at: timestamp("When it was recorded; for warehouse work, when it was done."),
  business_date: Type.String({
    format: "date",
    description: "The day on which that was, in the warehouse's time zone.",
  }),
  quantity: Type.Integer({ description: "How many of `unit` were done; negative for a reversal." }),
  unit: choice(billedUnits, { description: "What `quantity` counts. A `place` is a counted bin, SKU and lot." }),
  source: {
    ...closed({
      type: choice(sourceTypes, { description: "The type of that record, such as `order`." }),
      id: Type.String({ description: "Its id, such as `ord_1042`." }),
      line: nullable(Type.String({ description: "The order line, such as `lin_1001`; null for other sources." })),
      revision: nullable(
        Type.Integer({ description: "The record's revision after the act, if it can be repeated; else null." }),
      ),
    }),
    description: "The record that the act was about.",
  },
  attributes: Type.Record(Type.String(), Type.Unknown(), {
    description: "What a price may depend on, such as `skus` or `order_id`; its names depend on the `act`.",
  }),
  reversal_of: nullable(
    Type.String({ description: "The event that it reverses, such as `bev_1001`; null if it reverses none." }),
  ),
});

const storageText = Type.String();
const day = (description: string) => Type.String({ format: "date", description });
const units = (description: string) => Type.Integer({ minimum: 0, description });

export const StorageView = closed({
  business_date: day("The day, from midnight to midnight in the warehouse's time zone."),
  merchant_id: OwnerView,
  warehouse_id: storageText,
  product_id: storageText,
  sku: storageText,
  lot_number: nullable(Type.String({ description: "The lot of the units; null if they have none." })),
  bin: nullable(
    Type.String({ description: "The bin that held them; null for merchants, who see only the warehouse." }),
  ),
  units_at_close: units("Units at the end of the day; 0 if they left during it."),
  units_peak: units("The most units at one time during the day."),
  unit_volume_cm3: nullable(
    Type.Integer({ minimum: 1, description: "The volume of one unit; null if the product has no dimensions." }),
  ),
  temperature_zone: choice(temperatureZones),
  oldest_receipt_date: day("The day on which the oldest of the units arrived."),
});
