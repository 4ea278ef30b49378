import { Type } from "@sinclair/typebox";
import { choice, closed } from "../../kit/schema.ts";
import { publicOrderStatuses } from "../status.ts";

export const OrderSummaryView = closed({
  id: Type.String(),
  order_number: Type.String(),
  status: choice(publicOrderStatuses),
  total: Type.Number(),
  currency: Type.String(),
  item_count: Type.Integer(),
  created_at: Type.String({ format: "date-time" }),
});
