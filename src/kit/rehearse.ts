import { type Static, Type } from "@sinclair/typebox";
import { closed } from "./schema.ts";

/** The query field of an act that can be rehearsed. */
export const rehearsable = {
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "True does nothing: the answer is what it would be, refusals included, and `meta.events` lists what webhooks" +
        " would be told.",
    }),
  ),
};

/** The query of an act that can be rehearsed and has no other. */
export const Rehearse = closed(rehearsable);
export type Rehearse = Static<typeof Rehearse>;
