import type { Column } from "../../kit/sheet.ts";

/** The columns of a file of products: every field that a client may write. */
export const productColumns: readonly Column[] = [
  { name: "sku", path: ["sku"], kind: "text" },
  { name: "name", path: ["name"], kind: "text" },
  { name: "description", path: ["description"], kind: "text", empty: null },
  { name: "type", path: ["type"], kind: "text" },
  { name: "components", path: ["components"], kind: "json", empty: [] },
  { name: "barcodes", path: ["barcodes"], kind: "json", empty: [] },
  { name: "weight", path: ["weight"], kind: "number", empty: null },
  { name: "weight_unit", path: ["weight_unit"], kind: "text", empty: null },
  { name: "length", path: ["dimensions", "length"], kind: "number" },
  { name: "width", path: ["dimensions", "width"], kind: "number" },
  { name: "height", path: ["dimensions", "height"], kind: "number" },
  { name: "dimension_unit", path: ["dimensions", "unit"], kind: "text" },
  { name: "price", path: ["price"], kind: "text", empty: null },
  { name: "currency", path: ["currency"], kind: "text" },
  { name: "temperature_zone", path: ["temperature_zone"], kind: "text" },
  { name: "lot_tracking", path: ["lot_tracking"], kind: "boolean" },
  { name: "expiration_tracking", path: ["expiration_tracking"], kind: "boolean" },
  { name: "min_shelf_life_days", path: ["min_shelf_life_days"], kind: "number" },
  { name: "reorder_point", path: ["reorder_point"], kind: "number" },
  { name: "hs_code", path: ["customs", "hs_code"], kind: "text" },
  { name: "country_of_origin", path: ["customs", "country_of_origin"], kind: "text" },
  { name: "customs_description", path: ["customs", "description"], kind: "text" },
  { name: "status", path: ["status"], kind: "text" },
  { name: "metadata", path: ["metadata"], kind: "json", empty: {} },
];
