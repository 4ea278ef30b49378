import { type Static, Type } from "@sinclair/typebox";
import {
  blankable,
  cityField,
  completeView,
  PlainVerificationView,
  WarningsView,
} from "../addresses/address.schema.ts";
import { createFields, updateFields, viewFields } from "../core/resource_schema.ts";
import { closed, idField, nullable, textField } from "../core/schema.ts";
import { OwnerView, ofMerchant } from "../storage/tenant.schema.ts";
import { customerFields } from "./customer.resource.ts";
import { addresses_max } from "./customer.ts";

export const addressFields = {
  name: Type.Optional(
    nullable(
      textField(200, {
        description: "Printed on parcels. Default: the customer's first and last name, else its company.",
      }),
    ),
  ),
  company: Type.Optional(
    nullable(
      textField(200, {
        min: 0,
        description: "Printed above the street. A new address gets the customer's by default; null leaves it out.",
      }),
    ),
  ),
  address_line1: Type.Optional(textField(200)),
  address_line2: blankable(200),
  city: cityField(),
  state: blankable(100),
  postal_code: blankable(20),
  country: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code such as US" })),
  phone: blankable(50),
  is_default: Type.Optional(
    Type.Boolean({
      description: "True makes it the default; a first address always is. To change the default, mark another address.",
    }),
  ),
};
const required = { address_line1: textField(200) };
const country = Type.Required(Type.Object({ country: addressFields.country })).properties.country;

/** A new address. Its country decides which other fields are required. */
export const CreateAddress = closed({ ...addressFields, ...required, country }, ["id", "is_verified", "verification"]);
export type CreateAddress = Static<typeof CreateAddress>;

export const UpdateAddress = closed(addressFields, ["id", "is_verified", "verification"]);
export type UpdateAddress = Static<typeof UpdateAddress>;

/** An address in a list that replaces all addresses. With an `id` it changes in place, without one it is new. */
const ReplaceAddress = closed(
  { id: Type.Optional(idField("address", "The address to change; absent for a new one.")), ...addressFields },
  ["is_verified", "verification"],
);
export type ReplaceAddress = Static<typeof ReplaceAddress>;

const readOnly = [
  ...["merchant_id", "id", "order_history", "order_count", "warnings"],
  ...["created_at", "updated_at", "erased_at"],
];

export const CreateCustomer = closed(
  {
    ...ofMerchant,
    ...createFields(customerFields),
    shipping_addresses: Type.Optional(
      Type.Array(CreateAddress, { maxItems: addresses_max, description: "The addresses that parcels may be sent to." }),
    ),
  },
  readOnly,
);
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = closed(
  {
    ...updateFields(customerFields),
    shipping_addresses: Type.Optional(
      Type.Array(ReplaceAddress, {
        maxItems: addresses_max,
        description:
          "Replaces all addresses: those with an `id` change in place, others are new, the rest are removed.",
      }),
    ),
  },
  readOnly,
);
export type UpdateCustomer = Static<typeof UpdateCustomer>;

const seconds = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$" });

export const AddressView = closed({
  id: Type.String(),
  ...completeView,
  is_default: Type.Boolean({ description: "Whether it is the customer's default address; exactly one is." }),
  is_verified: Type.Boolean({ description: "Whether the `status` of its check is `verified`." }),
  verification: {
    ...PlainVerificationView(seconds),
    description: "Its last check; null if there was none yet.",
  },
});

const { metadata, ...fields } = viewFields(customerFields);

export const customerViewFields = {
  id: Type.String(),
  merchant_id: OwnerView,
  ...fields,
  shipping_addresses: Type.Array(AddressView, { description: "All addresses, oldest first." }),
  metadata,
  warnings: WarningsView,
  created_at: seconds,
  updated_at: seconds,
  erased_at: nullable({
    ...seconds,
    description: "When the personal data was erased; null if it was not. See *Privacy*.",
  }),
};
export const CustomerView = closed(customerViewFields);
