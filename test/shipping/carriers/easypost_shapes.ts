// The request bodies of EasyPost by its public documentation, without any other fields.
import { type TSchema, Type } from "@sinclair/typebox";

const closed = { additionalProperties: false } as const;
const text = Type.Union([Type.String(), Type.Null()]);
const positive = Type.Number({ exclusiveMinimum: 0 });
const address = Type.Partial(
  Type.Object({
    name: text,
    company: text,
    street1: text,
    street2: text,
    city: text,
    state: text,
    zip: text,
    country: Type.String({ pattern: "^[A-Z]{2}$" }),
    phone: text,
    email: text,
    residential: Type.Union([Type.Boolean(), Type.Null()]),
  }),
  closed,
);
const parcel = Type.Object(
  {
    weight: positive,
    length: Type.Optional(positive),
    width: Type.Optional(positive),
    height: Type.Optional(positive),
  },
  closed,
);
const customsItem = Type.Object(
  {
    description: Type.String({ minLength: 1 }),
    quantity: Type.Integer({ minimum: 1 }),
    value: positive,
    weight: positive,
    origin_country: Type.String({ pattern: "^[A-Z]{2}$" }),
    hs_tariff_number: Type.Optional(text),
    code: Type.Optional(text),
    currency: Type.Optional(text),
  },
  closed,
);
const customsInfo = Type.Object(
  {
    eel_pfc: Type.Optional(text),
    customs_certify: Type.Boolean(),
    customs_signer: Type.String({ minLength: 1 }),
    contents_type: Type.Union(
      ["merchandise", "returned_goods", "documents", "gift", "sample", "other"].map((word) => Type.Literal(word)),
    ),
    contents_explanation: Type.Optional(text),
    restriction_type: Type.Union(["none", "other", "quarantine"].map((word) => Type.Literal(word))),
    non_delivery_option: Type.Union([Type.Literal("abandon"), Type.Literal("return")]),
    customs_items: Type.Array(customsItem, { minItems: 1 }),
  },
  closed,
);
const shipment = Type.Object(
  {
    from_address: address,
    to_address: address,
    parcel,
    customs_info: Type.Optional(customsInfo),
    options: Type.Optional(
      Type.Object(
        {
          label_format: Type.Optional(Type.Union(["PNG", "PDF", "ZPL", "EPL2"].map((word) => Type.Literal(word)))),
          label_size: Type.Optional(Type.Literal("4x6")),
          invoice_number: Type.Optional(Type.String()),
          print_custom_1: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
    reference: Type.Optional(text),
    carrier_accounts: Type.Optional(Type.Array(Type.String())),
    is_return: Type.Optional(Type.Boolean()),
  },
  closed,
);
/** By resource. */
export const bodies = {
  shipments: Type.Object({ shipment }, closed),
  buy: Type.Object(
    {
      rate: Type.Object({ id: Type.String({ pattern: "^rate_" }) }, closed),
      insurance: Type.Optional(Type.Union([Type.Number(), Type.String({ pattern: "^\\d+\\.\\d{2}$" })])),
    },
    closed,
  ),
  nothing: Type.Object({}, closed),
  trackers: Type.Object(
    { tracker: Type.Object({ tracking_code: Type.String({ minLength: 1 }), carrier: Type.Optional(text) }, closed) },
    closed,
  ),
  batch: Type.Object({ tracking_codes: Type.Array(Type.String(), { minItems: 1, maxItems: 100 }) }, closed),
  addresses: Type.Object(
    { address, verify: Type.Optional(Type.Boolean()), verify_strict: Type.Optional(Type.Boolean()) },
    closed,
  ),
} as const satisfies Record<string, TSchema>;
