import { Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { environments } from "../../core/environment.ts";
import { choice, closed, nullable, Timestamp } from "../../core/schema.ts";

export const EntryView = closed({
  id: Type.String(),
  created_at: Timestamp,
  actor: closed({
    type: choice(actorTypes),
    id: Type.String({ description: "`usr_7`, `key_3`, `command_line`, or `stranger` for a sign-in that failed." }),
    name: Type.String({ description: "The name at that time." }),
  }),
  world: choice(environments),
  action: Type.String({ description: "The name of the operation in this reference, or another act such as `signIn`." }),
  targets: Type.Array(Type.String(), { description: "The changed records." }),
  request_id: nullable(Type.String()),
  ip_address: nullable(Type.String()),
  status: nullable(Type.Integer({ description: "The HTTP status of the response; null on the command line." })),
  facts: Type.Record(Type.String(), Type.Unknown(), {
    description: "Further facts; `fields` are the names of the sent fields. Never contains a secret.",
  }),
});
