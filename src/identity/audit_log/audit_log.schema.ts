import { Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { environments } from "../../core/environment.ts";
import { choice, closed, nullable, timestamp } from "../../core/schema.ts";

export const EntryView = closed({
  id: Type.String(),
  created_at: timestamp("When it took effect."),
  actor: closed({
    type: choice(actorTypes, { description: "What acted; `system` is the command line or a failed sign-in." }),
    id: Type.String({ description: "`usr_7`, `key_3`, `command_line`, or `anonymous` for a sign-in that failed." }),
    name: Type.String({ description: "The name at that time." }),
  }),
  mode: choice(environments, {
    description: "The environment of the change; always `live` for users, which both share.",
  }),
  action: Type.String({ description: "The name of the operation in this reference, or another act such as `signIn`." }),
  targets: Type.Array(Type.String(), { description: "The ids or SKUs of the changed records." }),
  request_id: nullable(Type.String({ description: "The request, as in the request log; null on the command line." })),
  ip_address: nullable(Type.String({ description: "The caller's IP address; null on the command line." })),
  status: nullable(Type.Integer({ description: "The HTTP status of the response; null on the command line." })),
  facts: Type.Record(Type.String(), Type.Unknown(), {
    description: "Further facts; `fields` are the names of the sent fields. Never contains a secret.",
  }),
});
