import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, textField, timestamp } from "../../core/schema.ts";
import { OwnerOrOperatorView } from "../../storage/tenant.schema.ts";
import { fits, hitTypes } from "./search_hit.ts";

export const most_default = 5;
const most_max = 20;
/** The most results in total. */
export const most_in_all = 60;

const oneType = `(?:${hitTypes.join("|")})`;

export const SearchAll = closed({
  q: textField(200, { description: "The typed or scanned text." }),
  types: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: `^${oneType}(?:,${oneType})*$`,
      hint: `must be a comma-separated list of ${hitTypes.join(", ")}`,
      description: "Only these types, separated by commas: `order,customer`.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: most_max, description: `Results per type. Defaults to ${most_default}.` }),
  ),
});
export type SearchAll = Static<typeof SearchAll>;

export const HitView = closed({
  type: choice(hitTypes, { description: "The type of record; a `parcel` is a shipment." }),
  match: choice(fits, { description: "Whether it equals the text, begins with it or contains it." }),
  id: Type.String({ description: "The id of the record; of a bin, its code." }),
  title: Type.String({ description: "What people call it, such as an order number, a SKU or a name." }),
  subtitle: Type.String({ description: "More about it, separated by ` · `, such as the customer; may be empty." }),
  state: nullable(Type.String({ description: "Its status; null if it has none." })),
  at: nullable(timestamp("When it was created; of a lot, received. Null for a bin.")),
  parent: Type.Union(
    [
      closed({
        type: Type.String({ description: "`order`, `product`, `return` or `warehouse`." }),
        id: Type.String({ description: "Its id, such as `ord_1042`." }),
      }),
      Type.Null(),
    ],
    { description: "The record that it belongs to, such as the order of a parcel; null if none." },
  ),
  merchant_id: OwnerOrOperatorView,
});

export const FoundView = closed({
  results: Type.Array(HitView, {
    description: `The best matches first, at most ${most_in_all} in all.`,
  }),
  more: Type.Array(choice(hitTypes), { description: "The types with more results than are shown." }),
});
