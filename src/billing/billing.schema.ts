import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, notesField, nullable, Timestamp, textField } from "../core/schema.ts";
import { temperatureZones } from "../products/product.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { billableKinds, billedActs, billedUnits, sourceTypes } from "./billable_kinds.ts";

/** A day of a warehouse. `checkDays` refuses one that does not exist. */
export const dayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a day such as 2026-01-31", description });

export const AddProject = closed({
  ...ofMerchant,
  location: Type.Optional(idField("warehouse", "Required if there are several warehouses.")),
  minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: "Required, except in a reversal, where it is refused." }),
  ),
  description: notesField(500),
  approved_by: Type.Optional(nullable(textField(200, { description: "The person at the merchant who approved it." }))),
  reversal_of: Type.Optional(idField("billable_event", "The manually recorded event that this one reverses.")),
});
export type AddProject = Static<typeof AddProject>;

const text = Type.String();

export const BillableEventView = closed({
  id: text,
  merchant_id: OwnerView,
  warehouse_id: text,
  kind: choice(billableKinds),
  act: choice(billedActs),
  occurred_at: Timestamp,
  business_date: Type.String({ format: "date" }),
  quantity: Type.Integer({ description: "Negative for a reversal." }),
  unit: choice(billedUnits),
  source: closed({
    type: choice(sourceTypes),
    id: text,
    line: nullable(text),
    revision: nullable(Type.Integer()),
  }),
  attributes: Type.Record(Type.String(), Type.Unknown(), { description: "Further details of the act." }),
  reversal_of: nullable(text),
});

const storageText = Type.String();
const day = Type.String({ format: "date" });
const units = (description: string) => Type.Integer({ minimum: 0, description });

export const StorageView = closed({
  business_date: day,
  merchant_id: OwnerView,
  warehouse_id: storageText,
  product_id: storageText,
  sku: storageText,
  lot_number: nullable(storageText),
  bin: nullable(Type.String({ description: "Null for merchants, who see the warehouse only." })),
  units_at_close: units("Units at the end of the day."),
  units_peak: units("The most units at one time during the day."),
  unit_volume_cm3: nullable(Type.Integer({ minimum: 1 })),
  temperature_zone: choice(temperatureZones),
  oldest_receipt_date: day,
});
