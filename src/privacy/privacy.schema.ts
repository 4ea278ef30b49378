import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, nullable, Timestamp } from "../core/schema.ts";
import { retention, retentionKinds } from "../storage/retention.ts";
import { erasureStatuses } from "./erasure.transitions.ts";
import { personalKinds } from "./personal_records.ts";

const after_days = Type.Optional(
  nullable(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description:
        "If orders are open, wait until the last one has ended and this many days more, such as the return period." +
        " Without it, an erasure is refused while an order is open.",
    }),
  ),
);

export const EraseCustomer = closed({ after_days });
export type EraseCustomer = Static<typeof EraseCustomer>;

export const EraseEmail = closed({ email: emailField(), after_days });

export const DiscloseEmail = closed({ email: emailField() });

export const ErasureView = closed({
  id: Type.String(),
  merchant_id: nullable(Type.String({ description: "The merchant whose records it covers; null for all merchants." })),
  status: choice(erasureStatuses, {
    description: "`waiting`: open orders must end first. `running`: erasing. `done`: finished.",
  }),
  customers: Type.Array(Type.String(), { description: "The ids of the customers, which no longer identify a person." }),
  after_days: nullable(Type.Integer()),
  may_be_called_off: Type.Boolean({ description: "Whether `DELETE /erasures/{id}` can cancel it." }),
  looks_again_at: nullable(Timestamp),
  erased: Type.Array(closed({ records: choice(personalKinds), count: Type.Integer() }), {
    description: "The number of changed or deleted records so far, by kind.",
  }),
  kept: Type.Array(
    closed({
      what: Type.String(),
      why: Type.String(),
      law: nullable(Type.String()),
      for: Type.String({ description: "How long it is kept." }),
    }),
    { description: "The data that is kept, with the legal ground." },
  ),
  receivers: Type.Array(Type.String(), {
    description:
      "The webhooks that received events about the person, or may have received some whose payloads are deleted." +
      " Inform their operators.",
  }),
  rest_gone_by: Type.String({
    format: "date-time",
    description:
      "When the last trace is gone, by the configured retention. Until then other events, the delivery log, stored" +
      " responses and the request log may name the person. Estimated while the erasure is running.",
  }),
  by_hand: Type.Array(Type.String(), { description: "Steps that must be done manually." }),
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
});

export const CancelledView = closed({ id: Type.String(), cancelled: Type.Literal(true) });

export const DisclosureView = closed({
  about: closed({
    customers: Type.Array(Type.String()),
    email: nullable(Type.String()),
  }),
  told_at: Timestamp,
  records: Type.Array(
    closed({
      records: choice(personalKinds),
      truncated: Type.Boolean({ description: "Whether there are more than 10,000 records of this kind." }),
      rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    }),
    { description: "All records of the person, by kind, with the columns of their tables." },
  ),
  documents: Type.Array(closed({ label_id: Type.String(), path: Type.String() }), {
    description: "The labels that show an address, with their paths.",
  }),
  kept: Type.Array(
    closed({ what: Type.String(), why: Type.String(), law: nullable(Type.String()), for: Type.String() }),
  ),
  receivers: Type.Array(Type.String(), {
    description: "The webhooks that received, or may have received, events about the person.",
  }),
});

const fields = Object.fromEntries(
  retentionKinds.map((kind) => {
    const { least, most, unit, what } = retention[kind];
    const description = `${what} From ${least} to ${most} ${unit}; null for the default.`;
    return [kind, Type.Optional(nullable(Type.Integer({ minimum: least, maximum: most, description })))];
  }),
);

export const UpdateRetention = closed(fields);

export const RetentionView = closed({
  kinds: Type.Array(
    closed({
      kind: choice(retentionKinds),
      kept: nullable(Type.Integer({ description: "The present retention time; null means forever." })),
      usual: nullable(Type.Integer({ description: "The default retention time; null means forever." })),
      least: Type.Integer(),
      most: Type.Integer(),
      unit: choice(["days", "years"] as const),
      what: Type.String(),
      costs: Type.String(),
    }),
  ),
});
