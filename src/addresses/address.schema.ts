import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, Timestamp, textField } from "../core/schema.ts";
import { verificationStatuses } from "./address.ts";

const Finding = closed({
  field: Type.String({ description: "The affected field, or `address` for the whole address." }),
  code: Type.String({
    description:
      "In errors: `required`, `unknown_country`, `invalid_format`, `state_mismatch`, `undeliverable`. In warnings:" +
      " `missing`, `unusual_form`, `unknown_zip`, `unknown_state`, `city_mismatch`, `carrier_note`.",
  }),
  message: Type.String(),
});

const text = nullable(Type.String());

const postalView = {
  address_line1: Type.String(),
  address_line2: text,
  city: Type.String(),
  state: text,
  postal_code: text,
  country: Type.String(),
};

/** The fields of an address with its contact in a response. */
export const contactView = {
  name: Type.String({ description: "The person or company, printed on labels." }),
  company: Type.Optional(text),
  ...postalView,
  phone: Type.Optional(text),
};

/** As `contactView`, for a recipient, whose name may be unknown. */
export const recipientFields = {
  ...contactView,
  name: nullable(Type.String({ description: "Null if neither the address nor the customer has a name or a company." })),
};

/** As `recipientFields`, for records that always have all fields. */
export const completeView = { ...recipientFields, company: text, phone: text };

/** What should be corrected in a record. */
export const WarningsView = Type.Optional(
  Type.Array(
    closed({
      field: Type.String({ description: "The path of the field, such as `shipping_address.name`." }),
      code: Type.String({ description: "What is wrong, such as `missing`." }),
      message: Type.String(),
    }),
    {
      description:
        "What should be corrected before a parcel is sent: a recipient without a name. Absent or empty if nothing.",
    },
  ),
);

const verificationFields = (checked_at: ReturnType<typeof Type.String>) => ({
  status: choice(verificationStatuses, {
    description:
      "`verified`: everything that could be checked matches. `warning`: something may be wrong." +
      " `error`: something is wrong. `unverified`: for this country only the format of postal codes can be checked.",
  }),
  method: Type.String({
    description:
      "`offline`: compared with bundled postal data, which cannot confirm streets or house numbers." +
      " Otherwise the connector that checked it, such as `easypost`.",
  }),
  errors: Type.Array(Finding, { description: "What makes the address undeliverable." }),
  warnings: Type.Array(Finding, { description: "What may be wrong with it." }),
  suggestion: nullable({
    ...closed(postalView),
    description: "The complete corrected address; null if nothing is to be corrected.",
  }),
  po_box: Type.Boolean({ description: "Whether it is a post office box, to which only the postal service delivers." }),
  residential: nullable(Type.Boolean({ description: "Whether it is a home; null if unknown." })),
  checked_at: { ...checked_at, description: "When it was checked." },
});

/** The check of a stored address; null if it was stored before addresses were checked. */
export const VerificationView = nullable(closed(verificationFields(Timestamp)));

/** As `VerificationView`, with times in the format of customers. */
export const PlainVerificationView = (moment: ReturnType<typeof Type.String>) =>
  nullable(closed(verificationFields(moment)));

/** The most addresses in one request. */
const addresses_max = 100;

/** An optional text in a request that may be empty or null. */
export const blankable = (max: number, description?: string) =>
  Type.Optional(nullable(textField(max, { min: 0, ...(description ? { description } : {}) })));

// Missing fields are a finding of the check, so the request is not refused.
const checkedFields = {
  address_line1: blankable(200),
  address_line2: blankable(200),
  city: blankable(100),
  state: blankable(100),
  postal_code: blankable(20),
  country: blankable(100),
};

const CheckedAddress = closed(checkedFields, [
  "id",
  "name",
  "company",
  "phone",
  "is_default",
  "is_verified",
  "verification",
]);
export type CheckedAddress = Static<typeof CheckedAddress>;

export const VerifyAddresses = closed({
  address: Type.Optional({ ...CheckedAddress, description: "One address. The response is then one check." }),
  addresses: Type.Optional(
    Type.Array(CheckedAddress, {
      minItems: 1,
      maxItems: addresses_max,
      description: "Several addresses instead. The response is then a list of checks.",
    }),
  ),
  offline: Type.Optional(
    Type.Boolean({ description: "True to check offline even if a carrier account can verify addresses." }),
  ),
});
export type VerifyAddresses = Static<typeof VerifyAddresses>;

const MessageView = closed({
  carrier: Type.String({ description: "The connector that did not respond." }),
  level: choice(["info", "warning", "error"], { description: "How serious it is." }),
  code: Type.String({ description: "Why, such as `carrier_timeout` or `carrier_unauthorized`." }),
  message: Type.String(),
});

export const CheckView = closed({
  ...verificationFields(Timestamp),
  is_verified: Type.Boolean({ description: "Whether `status` is `verified`." }),
  note: nullable(Type.String({ description: "The limits of the check; null if a carrier made it." })),
  messages: Type.Array(MessageView, { description: "Why the carrier made no check. Empty if none was called." }),
});

/** One check for `address`, a list in the order asked for `addresses`. */
export const ChecksView = Type.Union([CheckView, Type.Array(CheckView)]);

/** A city in a request. `addressProblems` decides whether it is required. */
export const cityField = () =>
  Type.Optional(
    textField(100, { min: 0, description: "Required, except in city states such as Singapore and Monaco." }),
  );

/** An address that parcels leave from or return to. */
export const PlaceView = closed({
  name: textField(120, { description: "The sender's name on labels." }),
  company: Type.Optional(nullable(textField(120))),
  address_line1: textField(200),
  address_line2: nullable(textField(200)),
  city: textField(100),
  state: nullable(textField(100)),
  postal_code: nullable(textField(20)),
  country: Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code" }),
  phone: Type.Optional(nullable(textField(40))),
});

/** As `PlaceView`, in a request. `named` describes the default of its name. */
export const placeInput = (named: string) =>
  closed({
    ...PlaceView.properties,
    name: Type.Optional(textField(120, { description: named })),
    address_line2: Type.Optional(nullable(textField(200))),
    city: cityField(),
    state: Type.Optional(nullable(textField(100))),
    postal_code: Type.Optional(nullable(textField(20))),
  });
export type PlaceInput = Static<ReturnType<typeof placeInput>>;
