import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, textField } from "../kit/schema.ts";
import { fits, hitTypes } from "./rules.ts";

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
    Type.Integer({ minimum: 1, maximum: most_max, description: `Hits of each type; ${most_usual} unless given.` }),
  ),
});
export type SearchAll = Static<typeof SearchAll>;

export const HitView = closed({
  type: choice(hitTypes),
  match: choice(fits, { description: "It goes by what was typed, begins with it, or has it within." }),
  id: Type.String({ description: "A bin has no id of its own: this is its code." }),
  title: Type.String(),
  subtitle: Type.String(),
  state: nullable(Type.String({ description: "Its status; null where there is none." })),
  at: nullable(Type.String({ format: "date-time" })),
  of: Type.Union([closed({ type: Type.String(), id: Type.String() }), Type.Null()], {
    description: "The record that it belongs to, such as the order of a parcel.",
  }),
});

export const FoundView = closed({
  results: Type.Array(HitView),
  more: Type.Array(choice(hitTypes), { description: "The types of which there is more than is shown." }),
});
