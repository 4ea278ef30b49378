import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, emailField, nullable, timestamp } from "../core/schema.ts";
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

export const EraseEmail = closed({
  email: { ...emailField(), description: "The address to erase, in any case of letters. It may belong to nobody." },
  after_days,
});

export const DiscloseEmail = closed({
  email: { ...emailField(), description: "The address to search for, in any case of letters." },
});

/** Data that an erasure keeps, with the legal ground. */
const KeptView = closed({
  data: Type.String({ description: "The kind of data, in words." }),
  reason: Type.String({ description: "Why it may be kept." }),
  legal_basis: nullable(
    Type.String({ description: "The legal basis, such as an article of the GDPR; null if it needs none." }),
  ),
  for: Type.String({ description: "How long it is kept." }),
});

export const ErasureView = closed({
  id: Type.String(),
  merchant_id: nullable(Type.String({ description: "The merchant whose records it covers; null for all merchants." })),
  status: choice(erasureStatuses, {
    description: "`waiting`: open orders must end first. `running`: erasing. `done`: finished.",
  }),
  customers: Type.Array(Type.String(), { description: "The ids of the customers, which no longer identify a person." }),
  after_days: nullable(
    Type.Integer({ description: "Days to wait after the last open order has ended; null if it was not to wait." }),
  ),
  can_be_cancelled: Type.Boolean({ description: "Whether `DELETE /erasures/{id}` can cancel it." }),
  next_check_at: nullable(timestamp("When it continues, or checks again for open orders; null once done.")),
  erased: Type.Array(
    closed({
      records: choice(personalKinds, { description: "The kind of records that were changed or deleted." }),
      count: Type.Integer({ description: "How many of them so far." }),
    }),
    { description: "What has been erased so far, by kind. Kinds without records are left out." },
  ),
  kept: Type.Array(KeptView, { description: "The data that is kept, with the legal ground." }),
  receivers: Type.Array(Type.String(), {
    description:
      "The webhooks that received events about the person, or may have received some whose payloads are deleted." +
      " Inform their operators.",
  }),
  fully_erased_by: Type.String({
    format: "date-time",
    description:
      "When the last trace is gone, by the configured retention. Until then other events, the delivery log, stored" +
      " responses and the request log may name the person. Estimated while the erasure is running.",
  }),
  manual_steps: Type.Array(Type.String(), { description: "Steps that must be done manually." }),
  created_at: timestamp("When it was requested."),
  finished_at: nullable(timestamp("When all records were erased; null before.")),
});

export const CancelledView = closed({
  id: Type.String(),
  cancelled: Type.Literal(true, { description: "Always true. The erasure no longer exists." }),
});

export const DisclosureView = closed({
  about: {
    ...closed({
      customers: Type.Array(Type.String(), { description: "The customers that were found, such as `cus_1001`." }),
      email: nullable(Type.String({ description: "The address in the request; null if it named a customer." })),
    }),
    description: "Whom the export is about.",
  },
  created_at: timestamp("The time of the exported data."),
  records: Type.Array(
    closed({
      records: choice(personalKinds, { description: "The kind of records." }),
      truncated: Type.Boolean({ description: "Whether there are more than 10,000 records of this kind." }),
      rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: "The records, without their empty columns. Which columns there are may change.",
      }),
    }),
    { description: "All records of the person, by kind, with the columns of their tables." },
  ),
  documents: Type.Array(
    closed({
      label_id: Type.String(),
      path: Type.String({ description: "Where the API serves the label, after `/v1`." }),
    }),
    {
      description: "The labels that show an address, with their paths.",
    },
  ),
  kept: Type.Array(KeptView, { description: "The data that an erasure would keep, with the legal ground." }),
  receivers: Type.Array(Type.String(), {
    description: "The webhooks that received, or may have received, events about the person.",
  }),
});

const fields = Object.fromEntries(
  retentionKinds.map((kind) => {
    const { minimum, maximum, unit, ...about } = retention[kind];
    const range = minimum === maximum ? `It cannot be other than ${minimum}` : `From ${minimum} to ${maximum} ${unit}`;
    const description = `${about.description} ${range}; null for the default.`;
    return [kind, Type.Optional(nullable(Type.Integer({ minimum, maximum, description })))];
  }),
);

export const UpdateRetention = closed(fields);

export const RetentionView = closed({
  kinds: Type.Array(
    closed({
      kind: choice(retentionKinds, {
        description: "The name of the setting, as `PATCH /settings/retention` takes it.",
      }),
      value: nullable(Type.Integer({ description: "The current retention time; null means forever." })),
      default: nullable(Type.Integer({ description: "The default retention time; null means forever." })),
      minimum: Type.Integer({ description: "The shortest time that can be set." }),
      maximum: Type.Integer({ description: "The longest time that can be set." }),
      unit: choice(["days", "years"] as const, { description: "The unit of all times of this kind." }),
      description: Type.String({ description: "What these records are, in words." }),
      costs: Type.String({ description: "What keeping them longer costs, and what is lost with a shorter time." }),
    }),
    { description: "The kinds of records, with the settings of this environment." },
  ),
});
