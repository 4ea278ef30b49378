import { type Static, Type } from "@sinclair/typebox";
import { PlaceView, placeInput } from "../addresses/address.schema.ts";
import {
  choice,
  closed,
  currencyField,
  emailField,
  metadataField,
  nameField,
  nullable,
  Timestamp,
  textField,
  timestamp,
} from "../core/schema.ts";
import { actionsIn } from "../core/transitions.ts";
import { merchantStatuses, merchantTransitions } from "./merchant.transitions.ts";

/** The code of a merchant; `checkCode` checks more. */
const codeField = () =>
  Type.String({
    minLength: 2,
    maxLength: 12,
    pattern: "^[A-Z0-9][A-Z0-9-]*[A-Z0-9]$",
    hint: "must be 2 to 12 of A to Z, 0 to 9 and -, without a - at either end",
    description: "Its short code, as in `Packhouse-Merchant: ACME`. Cannot be changed later.",
  });
const texts = {
  name: "The name in the dashboard, and on parcels unless `ship_from_name` is set.",
  legal_name: "The registered name of the company; null if not recorded.",
  contact: "The person to ask at the merchant; null if not recorded.",
  contact_name: "The person's name.",
  return_address: "Where return labels send parcels; null for the warehouse.",
};
const currency = currencyField("The currency of your invoices to it. Defaults to that of the first merchant.");
const timezone = textField(60, { description: "IANA time zone; the default is that of the first warehouse." });
const contactFields = {
  name: Type.Optional(nullable(textField(120, { description: texts.contact_name }))),
  email: Type.Optional(nullable(emailField())),
  phone: Type.Optional(nullable(textField(40))),
};
const shipFromName = textField(120, {
  description:
    "The sender on labels, packing slips and tracking pages; null for its name. A first merchant without a name uses" +
    " the warehouse's.",
});
const mayBuyLabels = Type.Boolean({
  description: "Whether its own keys may buy labels at the operator's cost; false by default.",
});
const sharedWaves = Type.Boolean({
  description: "Whether its orders may be picked in one walk with those of other merchants; true by default.",
});
const color = Type.String({
  pattern: "^#[0-9a-fA-F]{6}$",
  hint: "must be a color such as #1f6feb",
  description: "Its color in the dashboard.",
});

const optional = {
  legal_name: Type.Optional(nullable(textField(200, { description: texts.legal_name }))),
  currency: Type.Optional(currency),
  timezone: Type.Optional(timezone),
  contact: Type.Optional(nullable({ ...closed(contactFields), description: texts.contact })),
  return_address: Type.Optional(
    nullable({ ...placeInput("The default is the merchant's name."), description: texts.return_address }),
  ),
  ship_from_name: Type.Optional(nullable(shipFromName)),
  may_buy_labels: Type.Optional(mayBuyLabels),
  shared_waves: Type.Optional(sharedWaves),
  color: Type.Optional(nullable(color)),
  metadata: Type.Optional(metadataField()),
};
const readOnly = [
  ...["id", "status", "allowed_actions", "revision", "created_at", "updated_at"],
  ...["suspended_at", "closed_at"],
];

export const CreateMerchant = closed(
  { code: codeField(), name: nameField(120, { description: texts.name }), ...optional },
  readOnly,
);
export type CreateMerchant = Static<typeof CreateMerchant>;

export const UpdateMerchant = closed(
  {
    code: Type.Optional(codeField()),
    name: Type.Optional(nameField(120, { description: texts.name })),
    ...optional,
  },
  readOnly,
);
export type UpdateMerchant = Static<typeof UpdateMerchant>;

export const MerchantView = closed({
  id: Type.String(),
  code: Type.String({ description: "Its short code, with which requests can name it. It never changes." }),
  name: Type.String({ description: texts.name }),
  legal_name: nullable(Type.String({ description: texts.legal_name })),
  status: choice(merchantStatuses, {
    description:
      "`suspended`: orders are accepted and reserve stock, but are on hold. `closed`: no new records can be created.",
  }),
  currency: Type.String({
    description: "The currency of your invoices to it. Its orders have currencies of their own.",
  }),
  timezone: Type.String({ description: "The IANA time zone of the merchant. Days are counted in the warehouse's." }),
  contact: nullable({
    ...closed({
      name: nullable(Type.String({ description: texts.contact_name })),
      email: nullable(Type.String()),
      phone: nullable(Type.String()),
    }),
    description: texts.contact,
  }),
  return_address: nullable({ ...PlaceView, description: texts.return_address }),
  ship_from_name: nullable(
    Type.String({ description: "The sender on labels, packing slips and tracking pages; null for its name." }),
  ),
  may_buy_labels: Type.Boolean({ description: "Whether its own keys may buy labels at the operator's cost." }),
  shared_waves: Type.Boolean({
    description: "Whether its orders may be picked in one walk with those of other merchants.",
  }),
  color: nullable(Type.String({ description: "Its color in the dashboard, such as `#1f6feb`; null if not chosen." })),
  metadata: metadataField(),
  allowed_actions: Type.Array(choice(actionsIn(merchantTransitions))),
  revision: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  suspended_at: nullable(timestamp("When it was suspended; null if it is not, unless it was closed since.")),
  closed_at: nullable(timestamp("When it was closed for good; null if it is not.")),
});
