import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../../kit/page.ts";
import { choice, closed, idField, momentField, textField } from "../../../kit/schema.ts";
import { sheetFields } from "../../../kit/sheet.ts";
import { labelStatuses } from "../status.ts";

const filters = {
  order_id: Type.Optional(textField(100, { description: "An order's id or its order number." })),
  shipment_id: Type.Optional(idField("shipment")),
  return_id: Type.Optional(idField("return")),
  manifest_id: Type.Optional(idField("manifest", "Only labels on this manifest.")),
  on_manifest: Type.Optional(Type.Boolean({ description: "Only labels that are on a manifest, or on none." })),
  status: Type.Optional(choice(labelStatuses)),
  carrier: Type.Optional(textField(100)),
  service: Type.Optional(textField(100)),
  tracking_number: Type.Optional(textField(60, { description: "As written or as scanned." })),
  created_after: Type.Optional(momentField()),
  created_before: Type.Optional(momentField()),
};

export const ListLabels = closed({ ...pageFields, ...filters });
export type ListLabels = Static<typeof ListLabels>;

export const ExportLabels = closed({ ...filters, ...sheetFields });
export type ExportLabels = Static<typeof ExportLabels>;

const DayField = (description: string) =>
  Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", hint: "must be a day such as 2026-01-31", description });

const period = {
  from: Type.Optional(DayField("The first day. By default 29 days before the last.")),
  to: Type.Optional(DayField("The last day, included; today by default. At most 366 days.")),
  carrier: Type.Optional(textField(100)),
};

export const ListCosts = closed(period);
export type ListCosts = Static<typeof ListCosts>;

export const ExportCosts = closed({ ...period, ...sheetFields });

export const CostsView = closed({
  timezone: Type.String({ description: "The time zone of the first warehouse, by which days are counted." }),
  from: Type.String(),
  to: Type.String(),
  costs: Type.Array(
    closed({
      date: Type.String(),
      carrier: Type.String(),
      currency: Type.String(),
      label_count: Type.Integer({ minimum: 0, description: "Labels that are valid." }),
      cost: Type.Number({ description: "What was charged for them." }),
      carrier_cost: Type.Number({ description: "What the carrier takes for them." }),
      voided_count: Type.Integer({ minimum: 0, description: "Labels that were bought that day and later voided." }),
    }),
  ),
});
