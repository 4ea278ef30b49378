import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { sheetFields } from "../../kit/sheet.ts";
import { OwnerView } from "../../owners/schemas.ts";
import { temperatureZones } from "../../products/status.ts";
import { dayFilters } from "../schemas.ts";

export const ListStorage = closed({ ...pageFields, ...dayFilters });
export type ListStorage = Static<typeof ListStorage>;

export const ExportStorage = closed({ ...dayFilters, ...sheetFields });
export type ExportStorage = Static<typeof ExportStorage>;

const text = Type.String();
const day = Type.String({ format: "date" });
const units = (description: string) => Type.Integer({ minimum: 0, description });

export const StorageView = closed({
  business_date: day,
  merchant_id: OwnerView,
  warehouse_id: text,
  product_id: text,
  sku: text,
  lot_number: nullable(text),
  bin: nullable(Type.String({ description: "Merchants are told the warehouse, and not the bin." })),
  units_at_close: units("Units that lay there when the day ended."),
  units_peak: units("The most units that lay there at once on that day."),
  unit_volume_cm3: nullable(Type.Integer({ minimum: 1 })),
  temperature_zone: choice(temperatureZones),
  oldest_receipt_date: day,
});
