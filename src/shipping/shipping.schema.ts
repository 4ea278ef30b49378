// Fields shared by the schemas of shipping.

import { type Static, Type } from "@sinclair/typebox";
import { blankable, cityField } from "../addresses/address.schema.ts";
import { choice, closed, idField, nullable, quantityField, textField } from "../core/schema.ts";
import { lengthUnits } from "../products/product.ts";

export const WeightField = Type.Union(
  [Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.String({ pattern: "^[0-9.]{1,32}$" })],
  {
    hint: "must be a decimal number greater than 0",
    description: "A decimal number greater than 0, in `weight_unit`.",
  },
);
const lengthUnit = choice(lengthUnits, { description: "The unit of all three sides." });
const side = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
export const DimensionsField = closed({
  length: side,
  width: side,
  height: side,
  unit: lengthUnit,
});
export const CountryField = Type.String({
  pattern: "^[A-Z]{2}$",
  hint: "must be a two-letter country code, such as US",
});

/** Units of an order in a parcel, by line or SKU. */
export const PackedItem = closed({
  line_id: Type.Optional(idField("order_line", "The order line. Send it, or `sku`.")),
  sku: Type.Optional(
    textField(100, { description: "The SKU. If several lines have it, their units are taken in line order." }),
  ),
  quantity: quantityField("Units in the parcel."),
});

const about = {
  name: "The person or company on the first line of the label.",
  street1: "Street and house number.",
  street2: "Apartment, suite, unit or floor.",
};

export const ShippingAddress = closed({
  name: textField(100, { description: about.name }),
  company: blankable(100),
  street1: textField(200, { description: about.street1 }),
  street2: blankable(200, about.street2),
  city: cityField(),
  state: blankable(100, "The state or province. Required in the US, Canada and Australia."),
  zip: blankable(20, "The ZIP or postal code. Required where the country uses them."),
  country: CountryField,
  phone: blankable(40),
});
export type ShippingAddress = Static<typeof ShippingAddress>;

const text = nullable(Type.String());
export const AddressView = closed({
  name: Type.String({ description: about.name }),
  company: text,
  street1: Type.String({ description: about.street1 }),
  street2: nullable(Type.String({ description: about.street2 })),
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
  unit: lengthUnit,
});

/** The code of a carrier in responses. */
export const CarrierView = Type.String({ description: "The carrier's code, such as `usps`." });

/** The code of a carrier's service in responses. */
export const ServiceView = Type.String({ description: "The carrier's code of the service." });

/** The day on which a parcel should arrive. */
export const DeliveryDayView = nullable(
  Type.String({ format: "date", description: "That day at the destination, as a date." }),
);

/** The lines of a price, which add up to it. */
export const BreakdownView = Type.Array(
  closed({
    code: Type.String({
      description:
        "`base`, `residential`, `additional_handling`, `large_package`, `remote_area`, `fuel`, `declared_value`, or a" +
        " carrier's own code.",
    }),
    amount: Type.Number({ description: "The charge, in the currency of the price." }),
  }),
  { description: "The charges that add up to the price." },
);

const Problem = closed({
  field: Type.String({ description: "The field, as the request for a single order names it." }),
  code: Type.String({ description: "What is wrong, such as `required`." }),
  message: Type.String(),
  pointer: Type.String({ description: "The same field as a JSON pointer." }),
});

/** The refusal of one part of a request for many. */
export const RefusalView = Type.Object({
  type: Type.String({ description: "The group of the code, such as `conflict`." }),
  code: Type.String({ description: "The error code, such as `invalid_state_transition`." }),
  message: Type.String(),
  details: nullable(Type.Array(Problem, { description: "The invalid fields; null if none." })),
  doc_url: Type.String({ description: "Where the code is documented." }),
});
