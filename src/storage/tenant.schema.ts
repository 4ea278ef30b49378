import { Type } from "@sinclair/typebox";
import { idField, nullable } from "../core/schema.ts";

/** The merchant to whom a record belongs, as an answer shows it. */
export const OwnerView = Type.String({ description: "The merchant whose it is, such as `mer_1`." });

/** The merchant of a record that may be the house's. */
export const OwnerOrOperatorView = nullable(
  Type.String({ description: "The merchant whose it is, such as `mer_1`; null for the house." }),
);

const named = [idField("merchant"), Type.String({ pattern: "^[A-Z0-9-]{2,12}$" })];
const hint = "must be a merchant's id such as mer_1, or its code";

/** A field that names a merchant. */
export const merchantName = (description: string) => Type.Union([...named], { hint, description });

/** The field by which the house says for whom something is made that may be its own. */
export const ofMerchantOrOperator = {
  merchant_id: Type.Optional(
    Type.Union([...named, Type.Null()], {
      hint,
      description: "The merchant whose it is to be, by id or code; null, the default, for the house.",
    }),
  ),
};

const says =
  "For which merchant, by id or code. Where several are served, a house key says it, here or by the header" +
  " `Packhouse-Merchant`";

const sayingWhose = (description: string) => ({
  merchant_id: Type.Optional(Type.Union(named, { hint, description })),
});

/** The field by which the house says for whom something is made. */
export const ofMerchant = sayingWhose(`${says}.`);

/** The same, of what something else in the request may decide as well. */
export const ofMerchantUnless = (decided: string) => sayingWhose(`${says}, unless ${decided} decides it.`);

/** The same, of goods. */
export const ofMerchantOrSku = ofMerchantUnless("a SKU that one merchant alone has");
