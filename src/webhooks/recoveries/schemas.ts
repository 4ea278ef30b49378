import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField } from "../../kit/schema.ts";
import { missedDeliveries } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const StartRecovery = closed({
  since: momentField("Deliveries recorded at this moment or later, at most 30 days ago."),
  until: Type.Optional(momentField("Deliveries recorded before this moment; now by default.")),
  statuses: Type.Optional(Type.Array(choice(missedDeliveries), { minItems: 1, maxItems: 2 })),
});
export type StartRecovery = Static<typeof StartRecovery>;

export const RecoveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  status: choice(["running", "completed", "cancelled"]),
  since: moment,
  until: moment,
  statuses: Type.Array(choice(missedDeliveries)),
  total: Type.Integer({ description: "How many deliveries there were to queue, the oldest 10,000 at most." }),
  queued: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  created_at: moment,
});
