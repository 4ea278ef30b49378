import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, idField, nullable } from "../../core/schema.ts";
import { binKinds, lotStatuses } from "../../inventory/inventory.transitions.ts";
import { publicOrderStatuses, shipmentStatuses } from "../../orders/order.transitions.ts";
import { PackKind } from "../../products/product.schema.ts";
import { productStatuses } from "../../products/product.ts";
import { OwnerView } from "../../storage/tenant.schema.ts";
import { scan_length_max } from "./read_scan.ts";

/** The text of a scanned code, with separators (U+001D) if the scanner sends them. */
export const scanField = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: scan_length_max,
    pattern: "^[^\\u0000-\\u001c\\u001e\\u001f\\u007f-\\u009f\\ufffd]*$",
    form: "must not contain control characters other than the separator U+001D",
    description,
  });

export const Lookup = closed({
  code: scanField(
    "The scanned text as the scanner sends it, including a prefix such as `]C1` and separators (U+001D, or one of" +
      " `~ ^ | @ $ [ ] { } \\` in their place).",
  ),
  warehouse_id: Type.Optional(idField("warehouse", "Only bins, totes and stations of this warehouse.")),
});
export type Lookup = Static<typeof Lookup>;

const text = (description: string) => nullable(Type.String({ description }));

const reading = {
  gtin: text("The GTIN of the product, or of what a case contains, in 14 digits."),
  sscc: text("The number of the parcel or pallet."),
  lot_number: text("The lot."),
  serial_number: text("The serial number of one unit."),
  expiration_date: nullable(Type.String({ format: "date-time", description: "The end of the last day." })),
  quantity: nullable(Type.Integer({ description: "The units, or packs, that the code stands for." })),
};

export const LookupView = closed({
  scanned: Type.String({ description: "The text without the prefix of the scanner; `␝` stands for a separator." }),
  type: choice(["plain", "gs1", "ambiguous"], {
    description:
      "`gs1` for data with application identifiers. `ambiguous` if a separator is missing, so that `readings` has" +
      " several.",
  }),
  readings: Type.Array(
    closed({
      code: Type.String({ description: "The data with its identifiers in brackets, such as `(01)…(10)…`." }),
      ...reading,
    }),
    { description: "The ways to read GS1 data. To choose one, scan or send its `code`." },
  ),
  elements: Type.Array(
    closed({
      ai: Type.String({ description: "The application identifier." }),
      title: text("What it is; null for one that is not known, which is skipped."),
      value: Type.String({ description: "The value; dates as `YYYY-MM-DD`, measures with their decimals." }),
    }),
    { description: "The data of a `gs1` code." },
  ),
  products: Type.Array(
    closed({
      id: Type.String(),
      merchant_id: OwnerView,
      sku: Type.String(),
      name: Type.String({ description: "The product's name." }),
      status: choice(productStatuses, { description: "Whether the product is sold." }),
      pack: nullable({ ...PackKind, description: "The pack that has the code; null for one unit." }),
      quantity: Type.Integer({
        description: "The units that the code stands for. That of a case counts its units, times the cases it names.",
      }),
      lot: Type.Union(
        [
          closed({
            id: Type.String(),
            lot_number: Type.String(),
            status: choice(lotStatuses, { description: "Whether the lot may be sold." }),
            expiration_date: nullable(Type.String({ format: "date-time", description: "The end of its last day." })),
          }),
          Type.Null(),
        ],
        { description: "The lot that the code names; null if it names none, or one that is not known here." },
      ),
    }),
    { description: "Products with this barcode, SKU or lot number." },
  ),
  bins: Type.Array(
    closed({
      code: Type.String({ description: "The bin's code." }),
      kind: choice(binKinds, { description: "What the bin is for." }),
      warehouse_id: Type.String(),
    }),
    {
      description: "Bins with this code.",
    },
  ),
  totes: Type.Array(
    closed({
      id: Type.String(),
      code: Type.String({ description: "The tote's code." }),
      warehouse_id: Type.String(),
      order_id: text("The order in it."),
      order_number: text("The number of that order."),
      wave_id: text("The wave that it is used for."),
    }),
    { description: "Totes with this code." },
  ),
  stations: Type.Array(
    closed({
      id: Type.String(),
      name: Type.String({ description: "What people call the station." }),
      warehouse_id: Type.String(),
    }),
    {
      description: "Packing stations with this name.",
    },
  ),
  orders: Type.Array(
    closed({
      id: Type.String(),
      merchant_id: OwnerView,
      order_number: Type.String(),
      status: choice(publicOrderStatuses, { description: "How far the order is." }),
    }),
    { description: "Orders with this number or id." },
  ),
  parcels: Type.Array(
    closed({
      shipment_id: Type.String(),
      merchant_id: OwnerView,
      order_id: Type.String(),
      tracking_number: text("Its number."),
      carrier: text("Who delivers it."),
      status: choice(shipmentStatuses, { description: "Where the parcel is." }),
    }),
    { description: "Parcels with this tracking number or SSCC, newest first." },
  ),
});
