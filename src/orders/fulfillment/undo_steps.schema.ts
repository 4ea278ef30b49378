// Requests that take back picks and packs. The requests of the other acts fill order.schema.ts.
import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, textField } from "../../core/schema.ts";
import { itemFields } from "../order.schema.ts";
import { undoReasons } from "../order.transitions.ts";

const whyUndone = {
  reason: choice(undoReasons, { description: "Why the step is taken back." }),
  note: Type.Optional(textField(500, { description: "Details for the order's history. Required for `other`." })),
};

const itemsField = (quantity: string, description: string) => ({
  items: Type.Optional(Type.Array(closed(itemFields(quantity)), { minItems: 1, maxItems: 500, description })),
});

export const UnpickOrder = closed({
  ...itemsField(
    "The picked units to return. They must not be packed.",
    "What returns to the shelf. Default: everything that is picked and not packed.",
  ),
  ...whyUndone,
});
export type UnpickOrder = Static<typeof UnpickOrder>;

export const UnpackOrder = closed({
  ...itemsField(
    "The packed units to unpack. They must not have shipped.",
    "What is unpacked. Default: everything that is packed and has not shipped.",
  ),
  ...whyUndone,
});
export type UnpackOrder = Static<typeof UnpackOrder>;

export const ReopenParcel = closed(whyUndone);
export type ReopenParcel = Static<typeof ReopenParcel>;
