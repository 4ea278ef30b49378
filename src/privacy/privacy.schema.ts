import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, idField, nullable, pageFields } from "../core/schema.ts";
import { retention, retentionKinds } from "../storage/retention.ts";
import { erasureStatuses } from "./erasure.transitions.ts";
import { personalKinds } from "./personal_records.ts";

const after_days = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description:
        "Where orders are open, wait until the last has ended, and for so many days more, such as those in which" +
        " goods may be sent back. Without it an erasure is refused while one is open.",
    }),
  ),
);

export const EraseCustomer = closed({ after_days });
export type EraseCustomer = Static<typeof EraseCustomer>;

export const EraseEmail = closed({ email: emailField(), after_days });
export type EraseEmail = Static<typeof EraseEmail>;

export const DiscloseEmail = closed({ email: emailField() });
export type DiscloseEmail = Static<typeof DiscloseEmail>;

export const ListErasures = closed({ ...pageFields, customer_id: Type.Optional(idField("customer")) });
export type ListErasures = Static<typeof ListErasures>;

const moment = Type.String({ format: "date-time" });

export const ErasureView = closed({
  id: Type.String(),
  merchant_id: nullable(Type.String({ description: "Whose records it reaches; null for those of all merchants." })),
  status: choice(erasureStatuses, {
    description: "`waiting` for open orders, `running` through records and stored payloads, `done`.",
  }),
  customers: Type.Array(Type.String(), { description: "The customers, by ids that name nobody any more." }),
  after_days: nullable(Type.Integer()),
  may_be_called_off: Type.Boolean({ description: "Whether `DELETE /erasures/{id}` may call it off." }),
  looks_again_at: nullable(moment),
  erased: Type.Array(closed({ records: choice(personalKinds), count: Type.Integer() }), {
    description: "How many records of each kind were changed or deleted so far.",
  }),
  kept: Type.Array(
    closed({
      what: Type.String(),
      why: Type.String(),
      law: nullable(Type.String()),
      for: Type.String({ description: "For how long." }),
    }),
    { description: "What stays, and on which ground." },
  ),
  receivers: Type.Array(Type.String(), {
    description:
      "The webhooks that were sent events of the person, and those that may have been, before payloads of that time" +
      " were forgotten: who runs them has to be told.",
  }),
  rest_gone_by: Type.String({
    format: "date-time",
    description:
      "When the last trace is gone by the configured retention: other events, the delivery log, stored responses and" +
      " the log of requests may name the person until then. While the erasure goes on, as if it ended now.",
  }),
  by_hand: Type.Array(Type.String(), { description: "What no program can reach." }),
  created_at: moment,
  finished_at: nullable(moment),
});

export const CancelledView = closed({ id: Type.String(), cancelled: Type.Literal(true) });

export const DisclosureView = closed({
  about: closed({
    customers: Type.Array(Type.String()),
    email: nullable(Type.String()),
  }),
  told_at: moment,
  records: Type.Array(
    closed({
      records: choice(personalKinds),
      truncated: Type.Boolean({ description: "Whether there are more than 10,000 of the kind." }),
      rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    }),
    { description: "Each record of the person, by kind, with the columns of its table." },
  ),
  documents: Type.Array(closed({ label_id: Type.String(), path: Type.String() }), {
    description: "Where the labels are, which show an address.",
  }),
  kept: Type.Array(
    closed({ what: Type.String(), why: Type.String(), law: nullable(Type.String()), for: Type.String() }),
  ),
  receivers: Type.Array(Type.String(), {
    description: "The webhooks that were sent events of the person, and those that may have been.",
  }),
});

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
