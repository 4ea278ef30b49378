// Fields shared by the schemas of shipping.

import { type Static, Type } from "@sinclair/typebox";
import { blankable, cityField } from "../addresses/address.schema.ts";
import { choice, closed, idField, nullable, quantityField, textField } from "../core/schema.ts";
import { lengthUnits } from "../products/product.ts";

export const WeightField = Type.Union(
  [Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.String({ pattern: "^[0-9.]{1,32}$" })],
  { hint: "must be a decimal number greater than 0" },
);
const side = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
export const DimensionsField = closed({
  length: side,
  width: side,
  height: side,
  unit: choice(lengthUnits),
});
export const CountryField = Type.String({
  pattern: "^[A-Z]{2}$",
  hint: "must be a two-letter country code, such as US",
});

/** Units of an order in a parcel, by line or SKU. */
export const PackedItem = closed({
  line_id: Type.Optional(idField("order_line")),
  sku: Type.Optional(textField(100)),
  quantity: quantityField(),
});

export const ShippingAddress = closed({
  name: textField(100),
  company: blankable(100),
  street1: textField(200),
  street2: blankable(200),
  city: cityField(),
  state: blankable(100),
  zip: blankable(20),
  country: CountryField,
  phone: blankable(40),
});
export type ShippingAddress = Static<typeof ShippingAddress>;

const text = nullable(Type.String());
export const AddressView = closed({
  name: Type.String(),
  company: text,
  street1: Type.String(),
  street2: text,
  city: Type.String(),
  state: text,
  zip: text,
  country: Type.String(),
  phone: text,
});

export const PackageDimensions = closed({
  length: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  unit: choice(lengthUnits),
});

/** The lines of a price, which add up to it. */
export const BreakdownView = Type.Array(
  closed({
    code: Type.String({
      description:
        "`base`, `residential`, `additional_handling`, `large_package`, `remote_area`, `fuel`, `declared_value`, or a" +
        " carrier's own code.",
    }),
    amount: Type.Number({ description: "In the currency of the price." }),
  }),
);
