import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../kit/schema.ts";
import { retention, retentionKinds } from "./rules.ts";

const fields = Object.fromEntries(
  retentionKinds.map((kind) => {
    const { least, most, unit, what } = retention[kind];
    const description = `${what} From ${least} to ${most} ${unit}; null for what is usual.`;
    return [kind, Type.Optional(nullable(Type.Integer({ minimum: least, maximum: most, description })))];
  }),
);

export const UpdateRetention = closed(fields);
export type UpdateRetention = Static<typeof UpdateRetention>;

export const RetentionView = closed({
  kinds: Type.Array(
    closed({
      kind: choice(retentionKinds),
      kept: nullable(Type.Integer({ description: "For how long it is kept now; null for good." })),
      usual: nullable(Type.Integer({ description: "For how long it is kept where nothing is set." })),
      least: Type.Integer(),
      most: Type.Integer(),
      unit: choice(["days", "years"] as const),
      what: Type.String(),
      costs: Type.String(),
    }),
  ),
});
