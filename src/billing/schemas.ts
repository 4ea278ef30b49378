import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../kit/page.ts";
import { choice, closed, idField, notesField, nullable, textField } from "../kit/schema.ts";
import { sheetFields } from "../kit/sheet.ts";
import { OwnerView, ofMerchant } from "../owners/schemas.ts";
import { billableKinds, billedActs, billedUnits, sourceTypes } from "./status.ts";

const dayField = (description: string) =>
  Type.Optional(
    Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$", hint: "must be a day such as 2026-01-31", description }),
  );

/** The filters of what is billed by days. */
export const dayFilters = {
  warehouse: Type.Optional(idField("warehouse")),
  from: dayField("The first day, in the warehouse's time zone."),
  to: dayField("The last day, in the warehouse's time zone."),
};

const filters = { ...dayFilters, kind: Type.Optional(choice(billableKinds)) };

export const ListEvents = closed({ ...pageFields, ...filters });
export type ListEvents = Static<typeof ListEvents>;

export const ExportEvents = closed({ ...filters, ...sheetFields });
export type ExportEvents = Static<typeof ExportEvents>;

export const AddProject = closed({
  ...ofMerchant,
  location: Type.Optional(idField("warehouse", "Required if there are several warehouses.")),
  minutes: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: "Required, except in a reversal, which has none." }),
  ),
  description: notesField(500),
  approved_by: Type.Optional(nullable(textField(200, { description: "Who of the merchant agreed to it." }))),
  reversal_of: Type.Optional(idField("billable_event", "The fact that this one takes back, which was told by hand.")),
});
export type AddProject = Static<typeof AddProject>;

const text = Type.String();

export const EventView = closed({
  id: text,
  merchant_id: OwnerView,
  warehouse_id: text,
  kind: choice(billableKinds),
  act: choice(billedActs),
  occurred_at: Type.String({ format: "date-time" }),
  business_date: Type.String({ format: "date" }),
  quantity: Type.Integer({ description: "Below zero in a reversal." }),
  unit: choice(billedUnits),
  source: closed({
    type: choice(sourceTypes),
    id: text,
    line: nullable(text),
    version: nullable(Type.Integer()),
  }),
  attributes: Type.Record(Type.String(), Type.Unknown(), { description: "What else was known of the act." }),
  reversal_of: nullable(text),
});
