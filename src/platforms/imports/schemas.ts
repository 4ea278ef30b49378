import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { importStatuses } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListImports = closed({
  ...pageFields,
  status: Type.Optional(choice(importStatuses)),
  external_id: Type.Optional(textField(100, { description: "The platform's id of the order." })),
});
export type ListImports = Static<typeof ListImports>;

export const ImportView = closed({
  id: Type.String(),
  external_id: Type.String({ description: "The platform's id of the order." }),
  order_id: Type.String({ description: "The order's id here. The order exists once the status is `imported`." }),
  status: choice(importStatuses, {
    description: "`queued` is tried for two days; `waiting` is not paid yet; `ignored` has nothing to send.",
  }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "Why it is not imported, or why the last try failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(moment),
  external_updated_at: nullable(moment),
  imported_at: nullable(moment),
  created_at: moment,
  updated_at: moment,
});
