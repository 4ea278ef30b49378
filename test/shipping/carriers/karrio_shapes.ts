// The request bodies of Karrio by its public reference, without any other fields.
import { Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));
const words = (...all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));
const country = Type.String({ pattern: "^[A-Z]{2}$" });
const positive = Type.Number({ exclusiveMinimum: 0 });

const address = Type.Object(
  {
    country_code: country,
    postal_code: text(10),
    city: text(50),
    state_code: text(50),
    person_name: text(100),
    company_name: text(100),
    phone_number: text(50),
    email: text(200),
    street_number: text(100),
    address_line1: text(100),
    address_line2: text(100),
    federal_tax_id: text(50),
    state_tax_id: text(50),
    residential: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    validate_location: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
  },
  closed,
);
const weight_unit = words("KG", "LB", "OZ", "G");
const parcel = Type.Object(
  {
    weight: positive,
    weight_unit,
    dimension_unit: Type.Optional(words("CM", "IN")),
    width: Type.Optional(positive),
    height: Type.Optional(positive),
    length: Type.Optional(positive),
    packaging_type: text(50),
    package_preset: text(50),
    description: text(250),
    reference_number: text(100),
  },
  closed,
);
const options = Type.Object(
  {
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
    insurance: Type.Optional(positive),
    declared_value: Type.Optional(Type.Number({ minimum: 0 })),
    is_return: Type.Optional(Type.Boolean()),
  },
  closed,
);
const commodity = Type.Object(
  {
    weight: positive,
    weight_unit,
    title: text(200),
    description: text(200),
    sku: text(100),
    hs_code: text(100),
    quantity: Type.Integer({ minimum: 1 }),
    value_amount: Type.Number({ minimum: 0 }),
    value_currency: Type.String({ pattern: "^[A-Z]{3}$" }),
    origin_country: Type.Optional(country),
  },
  closed,
);
const customs = Type.Object(
  {
    commodities: Type.Array(commodity, { minItems: 1 }),
    content_type: words("documents", "gift", "sample", "merchandise", "return_merchandise", "other"),
    certify: Type.Boolean(),
    signer: text(50),
    commercial_invoice: Type.Boolean(),
    invoice: text(50),
    options: Type.Optional(Type.Object({ eel_pfc: Type.Optional(Type.String()) }, closed)),
  },
  closed,
);
const asked = {
  shipper: address,
  recipient: address,
  parcels: Type.Array(parcel, { minItems: 1 }),
  options,
  services: Type.Optional(Type.Array(Type.String())),
  carrier_ids: Type.Optional(Type.Array(Type.String())),
};
const label_type = words("PDF", "PNG", "ZPL");

/** By call. */
export const bodies = {
  rates: Type.Object({ ...asked, reference: Type.Optional(Type.String()) }, closed),
  shipments: Type.Object(
    { ...asked, reference: text(100), label_type, customs: Type.Optional(customs) },
    closed, // A `service` would buy a label at once.
  ),
  purchase: Type.Object({ selected_rate_id: Type.String(), label_type, reference: text(100) }, closed),
  trackers: Type.Object({ tracking_number: Type.String({ minLength: 1 }), carrier_name: Type.String() }, closed),
};
