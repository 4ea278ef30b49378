import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, moneyField, notesField, nullable } from "../../kit/schema.ts";
import { refundMethods, refundReports, refundStatuses } from "./status.ts";

export const RefundReturn = closed({
  amount: Type.Optional(nullable(moneyField("By default all that is refundable."))),
  refund_shipping: Type.Optional(nullable(Type.Boolean())),
  restocking_fee: Type.Optional(nullable(moneyField())),
  method: Type.Optional(choice(refundMethods)),
  notes: Type.Optional(nullable(notesField())),
});
export type RefundReturn = Static<typeof RefundReturn>;

export const ReportRefund = closed({ status: choice(refundReports) });
export type ReportRefund = Static<typeof ReportRefund>;

export const RefundView = closed({
  refund_id: Type.String(),
  return_id: Type.String(),
  amount: Type.Number(),
  currency: Type.String(),
  breakdown: closed({ items: Type.Number(), shipping: Type.Number(), restocking_fee: Type.Number() }),
  method: choice(refundMethods),
  refund_status: choice(refundStatuses),
  notes: nullable(Type.String()),
  estimated_completion: Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$" }),
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});
