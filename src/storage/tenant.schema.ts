import { Type } from "@sinclair/typebox";
import { idField, nullable } from "../core/schema.ts";

/** The merchant that owns a record, as responses show it. */
export const OwnerView = Type.String({ description: "The owning merchant, such as `mer_1`." });

/** The owner of a record that may belong to the operator. */
export const OwnerOrOperatorView = nullable(
  Type.String({ description: "The owning merchant, such as `mer_1`; null for the warehouse operator." }),
);

const named = [idField("merchant"), Type.String({ pattern: "^[A-Z0-9-]{2,12}$" })];
const hint = "must be a merchant's id such as mer_1, or its code";

/** A field that names a merchant. */
export const merchantName = (description: string) => Type.Union([...named], { hint, description });

/** The field for the owner of a new record that may belong to the operator. */
export const ofMerchantOrOperator = {
  merchant_id: Type.Optional(
    Type.Union([...named, Type.Null()], {
      hint,
      description: "The merchant that will own it, by id or code; null, the default, for the warehouse operator.",
    }),
  ),
};

const merchant_text =
  "The merchant, by id or code. If there are several merchants, a warehouse key must name one, here or in the" +
  " header `Packhouse-Merchant`";

const ownerField = (description: string) => ({
  merchant_id: Type.Optional(Type.Union(named, { hint, description })),
});

/** The field for the owner of a new record. */
export const ofMerchant = ownerField(`${merchant_text}.`);

/** The same, for records whose owner another field may determine. */
export const ofMerchantUnless = (decided: string) => ownerField(`${merchant_text}, unless ${decided} determines it.`);

/** The same, for stock. */
export const ofMerchantOrSku = ofMerchantUnless("a SKU that only one merchant has");
