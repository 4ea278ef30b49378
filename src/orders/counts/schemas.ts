import { Type } from "@sinclair/typebox";
import { closed } from "../../kit/schema.ts";
import { publicOrderStatuses } from "../status.ts";

const many = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });

export const OrderCountsView = closed({
  total: many(),
  statuses: closed(Object.fromEntries(publicOrderStatuses.map((status) => [status, many()])), []),
  short: many("Orders that wait for units which stock could not promise yet, as `short=true` lists them."),
  late: many("Orders that have not left although their `ship_by` is over, as `late=true` lists them."),
});
