import { type Static, Type } from "@sinclair/typebox";
import { closed, textField } from "../../kit/schema.ts";
import { AccountField, PackageField } from "../../shipping/labels/schemas.ts";
import { ShippingAddress } from "../../shipping/schemas.ts";

export const BuyReturnLabel = closed({
  carrier: textField(100),
  service: textField(100),
  account_id: AccountField,
  from_address: Type.Optional(ShippingAddress),
  to_address: Type.Optional(ShippingAddress),
  package: PackageField,
  additional: Type.Optional(Type.Boolean({ description: "True buys one more label on purpose, for another carton." })),
});
export type BuyReturnLabel = Static<typeof BuyReturnLabel>;
