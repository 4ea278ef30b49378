import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable, textField } from "../../kit/schema.ts";
import { reportStatuses } from "./status.ts";

const moment = Type.String({ format: "date-time" });

export const ListReports = closed({
  ...pageFields,
  status: Type.Optional(choice(reportStatuses)),
  order_id: Type.Optional(textField(100, { description: "The order's id or its order number." })),
});
export type ListReports = Static<typeof ListReports>;

export const ReportView = closed({
  id: Type.String(),
  order_id: Type.String(),
  shipment_id: Type.String(),
  status: choice(reportStatuses, {
    description:
      "`queued` is tried for five days; `skipped` has nothing that the platform ordered, or the " +
      "connection has no `api_token`.",
  }),
  items: Type.Array(closed({ external_line_id: Type.String(), quantity: Type.Integer() }), {
    description: "The platform's lines and how many units of each are in the parcel.",
  }),
  external_id: Type.Union([Type.String(), Type.Null()], { description: "The platform's id of the parcel." }),
  reason: Type.Union([closed({ code: Type.String(), message: Type.String() }), Type.Null()], {
    description: "Why it is not reported, or why the last try failed.",
  }),
  attempts: Type.Integer(),
  next_attempt_at: nullable(moment),
  reported_at: nullable(moment),
  created_at: moment,
  updated_at: moment,
});
