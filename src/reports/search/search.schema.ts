import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, textField } from "../../core/schema.ts";
import { OwnerOrOperatorView } from "../../storage/tenant.schema.ts";
import { fits, hitTypes } from "./search_hit.ts";

export const most_usual = 5;
const most_max = 20;
/** How many hits there are altogether at most. */
export const most_in_all = 60;

const oneType = `(?:${hitTypes.join("|")})`;

export const SearchAll = closed({
  q: textField(200, { description: "What was typed or scanned." }),
  types: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: `^${oneType}(?:,${oneType})*$`,
      hint: `must be some of ${hitTypes.join(", ")}, with commas between`,
      description: "Only these, with commas between: `order,customer`.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: most_max, description: `Hits of each type; ${most_usual} by default.` }),
  ),
});
export type SearchAll = Static<typeof SearchAll>;

export const HitView = closed({
  type: choice(hitTypes),
  match: choice(fits, { description: "Whether it is what was typed, begins with it, or contains it." }),
  id: Type.String({ description: "For a bin, which has no id, its code." }),
  title: Type.String(),
  subtitle: Type.String(),
  state: nullable(Type.String({ description: "Its status; null if it has none." })),
  at: nullable(Type.String({ format: "date-time" })),
  of: Type.Union([closed({ type: Type.String(), id: Type.String() }), Type.Null()], {
    description: "The record that it belongs to, such as the order of a parcel.",
  }),
  merchant_id: OwnerOrOperatorView,
});

export const FoundView = closed({
  results: Type.Array(HitView),
  more: Type.Array(choice(hitTypes), { description: "The types with more results than are shown." }),
});
