import { type Static, Type } from "@sinclair/typebox";
import { actorTypes } from "../../core/actor.ts";
import { csvExportFields } from "../../core/csv_columns.ts";
import { environments } from "../../core/environment.ts";
import { choice, closed, momentField, nullable, pageFields, Timestamp, textField } from "../../core/schema.ts";

const filters = {
  actor: Type.Optional(textField(100, { description: "The actor: `usr_7`, `key_3`." })),
  action: Type.Optional(textField(100, { description: "The operation, such as `createOrder`, or `signIn`." })),
  target: Type.Optional(textField(200, { description: "The record that was changed: `ord_7`, or a SKU." })),
  world: Type.Optional(choice(environments)),
  from: Type.Optional(momentField("At this time or later.")),
  to: Type.Optional(momentField("Before this time.")),
  q: Type.Optional(
    textField(200, {
      description: "Part of the actor's name or id, the action, a target, a request id or an IP address.",
    }),
  ),
};

export const ListAuditEntries = closed({ ...pageFields, ...filters });
export type ListAuditEntries = Static<typeof ListAuditEntries>;

export const ExportAuditEntries = closed({ ...filters, ...csvExportFields });
export type ExportAuditEntries = Static<typeof ExportAuditEntries>;

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
