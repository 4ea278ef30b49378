// The request bodies of Shippo by its public documentation, without any other fields.
import { type TSchema, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const text = Type.Optional(Type.String());
const words = (...all: string[]) => Type.Union(all.map((word) => Type.Literal(word)));
// Up to six digits before the decimal point and four after it.
const measure = Type.String({ pattern: "^(?!0+(?:\\.0+)?$)\\d{1,6}(?:\\.\\d{1,4})?$" });
const amount = Type.String({ pattern: "^\\d{1,8}(?:\\.\\d{1,2})?$" });
const country = Type.String({ pattern: "^[A-Z]{2}$" });

const address = {
  name: text,
  company: text,
  street1: text,
  street2: text,
  street3: text,
  street_no: text,
  city: text,
  state: text,
  zip: text,
  country,
  phone: text,
  email: text,
  metadata: text,
  is_residential: Type.Optional(Type.Boolean()),
};
const parcel = Type.Object(
  {
    length: measure,
    width: measure,
    height: measure,
    weight: measure,
    metadata: text,
    distance_unit: words("in", "cm", "ft", "m", "mm", "yd"),
    mass_unit: words("lb", "oz", "g", "kg"),
  },
  closed,
);
const customsItem = Type.Object(
  {
    description: Type.String({ minLength: 1 }),
    quantity: Type.Integer({ minimum: 1 }),
    net_weight: measure,
    mass_unit: words("lb", "oz", "g", "kg"),
    value_amount: amount,
    value_currency: Type.String({ pattern: "^[A-Z]{3}$" }),
    origin_country: country,
    hs_code: text,
    tariff_number: text,
    sku_code: text,
    metadata: text,
  },
  closed,
);
const customsDeclaration = Type.Object(
  {
    certify: Type.Literal(true),
    certify_signer: Type.String({ minLength: 1 }),
    contents_explanation: text,
    contents_type: words(
      "DOCUMENTS",
      "GIFT",
      "SAMPLE",
      "MERCHANDISE",
      "HUMANITARIAN_DONATION",
      "RETURN_MERCHANDISE",
      "OTHER",
    ),
    non_delivery_option: words("ABANDON", "RETURN"),
    eel_pfc: Type.Optional(words("NOEEI_30_37_a", "NOEEI_30_37_h", "NOEEI_30_37_f", "NOEEI_30_36", "AES_ITN")),
    incoterm: Type.Optional(words("DDP", "DDU", "FCA", "DAP")),
    items: Type.Array(customsItem, { minItems: 1 }),
  },
  closed,
);
const extra = Type.Object(
  {
    insurance: Type.Optional(
      Type.Object({ amount, currency: Type.String(), content: Type.String({ minLength: 1 }) }, closed),
    ),
    is_return: Type.Optional(Type.Boolean()),
    reference_1: text,
    reference_2: text,
  },
  closed,
);

/** By resource. */
export const bodies = {
  shipments: Type.Object(
    {
      address_from: Type.Object(address, closed),
      address_to: Type.Object(address, closed),
      parcels: Type.Array(parcel, { minItems: 1, maxItems: 1 }),
      async: Type.Optional(Type.Boolean()),
      customs_declaration: Type.Optional(customsDeclaration),
      extra: Type.Optional(extra),
      metadata: Type.Optional(Type.String({ maxLength: 100 })),
      shipment_date: text,
      carrier_accounts: Type.Optional(Type.Array(Type.String())),
    },
    closed,
  ),
  transactions: Type.Object(
    {
      rate: Type.String({ minLength: 1 }),
      async: Type.Optional(Type.Boolean()),
      label_file_type: Type.Optional(words("PNG", "PDF", "PDF_4x6", "PDF_A6", "ZPLII")),
      metadata: Type.Optional(Type.String({ maxLength: 100 })),
    },
    closed,
  ),
  refunds: Type.Object({ transaction: Type.String({ minLength: 1 }), async: Type.Optional(Type.Boolean()) }, closed),
  tracks: Type.Object(
    {
      carrier: Type.String({ pattern: "^[a-z0-9_]+$" }),
      tracking_number: Type.String({ minLength: 1 }),
      metadata: Type.Optional(Type.String({ maxLength: 100 })),
    },
    closed,
  ),
  addresses: Type.Object({ ...address, validate: Type.Optional(Type.Boolean()) }, closed),
} as const satisfies Record<string, TSchema>;
