import type { Field, Option } from "../../kit/fields.tsx";
import { productLines } from "../../kit/pickers.tsx";
import { productTexts as texts } from "../../texts/products.ts";
import { countryNames } from "../../texts/units.ts";

const options = (all: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(all).map(([value, title]) => ({ value, title }));

const half = { width: "half" } as const;
const third = { width: "third" } as const;

/** The fields of a product. The type of an existing product cannot change. */
export const productFields = (is_new: boolean): readonly Field[] => [
  { kind: "heading", name: "basics", label: texts.basics },
  { kind: "text", name: "sku", label: texts.sku, required: true, mono: true, focus: is_new, ...half },
  { kind: "select", name: "status", label: texts.status, required: true, options: options(texts.statuses), ...half },
  { kind: "text", name: "name", label: texts.name, required: true },
  {
    kind: "select",
    name: "type",
    label: texts.type,
    required: true,
    options: options(texts.types),
    ...half,
    help: texts.typeHelp,
    disabled: !is_new,
  },
  { kind: "money", name: "price", label: texts.price, ...half },
  productLines({
    name: "components",
    label: texts.parts,
    help: texts.partsHelp,
    when: ({ type }) => type === "bundle",
  }),
  { kind: "text", name: "description", label: texts.description, lines: 2 },
  { kind: "text", name: "barcodes", label: texts.barcodes, lines: 2, mono: true, help: texts.barcodesHelp },
  { kind: "heading", name: "measures", label: texts.measures },
  { kind: "weight", name: "weight", unit_name: "weight_unit", label: texts.weight, ...half },
  {
    kind: "select",
    name: "dimensions.unit",
    label: texts.lengthUnit,
    required: true,
    ...half,
    options: options(texts.lengthUnits),
  },
  { kind: "number", name: "dimensions.length", label: texts.length, ...third },
  { kind: "number", name: "dimensions.width", label: texts.width, ...third },
  { kind: "number", name: "dimensions.height", label: texts.height, ...third },
  { kind: "heading", name: "storing", label: texts.storing },
  {
    kind: "select",
    name: "temperature_zone",
    label: texts.zone,
    required: true,
    options: options(texts.zones),
    ...half,
  },
  { kind: "number", name: "reorder_point", label: texts.reorderPoint, help: texts.reorderHelp, ...half },
  { kind: "switch", name: "lot_tracking", label: texts.lotTracking, help: texts.lotTrackingHelp },
  { kind: "switch", name: "expiration_tracking", label: texts.expirationTracking, help: texts.expirationTrackingHelp },
  {
    kind: "number",
    name: "min_shelf_life_days",
    label: texts.shelfLife,
    unit: texts.days,
    ...half,
    when: ({ expiration_tracking }) => expiration_tracking === true,
  },
  { kind: "heading", name: "customs", label: texts.customs, help: texts.customsHelp },
  { kind: "text", name: "customs.hs_code", label: texts.hsCode, ...half },
  {
    kind: "select",
    name: "customs.country_of_origin",
    label: texts.origin,
    empty: "",
    ...half,
    options: countryNames(),
  },
  { kind: "text", name: "customs.description", label: texts.customsText },
];
