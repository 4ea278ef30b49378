import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { eventFilterFields } from "../schemas.ts";
import { attemptTriggers, deliveryStatuses, restoredStates } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListDeliveries = closed({
  ...pageFields,
  status: Type.Optional(choice(deliveryStatuses)),
  ...eventFilterFields("Deliveries recorded"),
});
export type ListDeliveries = Static<typeof ListDeliveries>;

export const DeliveryView = closed({
  id: Type.String(),
  subscription_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  sequence: Type.Integer({ description: "Its number among the subscription's deliveries, without gaps." }),
  status: choice(deliveryStatuses),
  attempts: Type.Integer(),
  max_attempts: Type.Integer({ description: "The number of the last attempt that will be made." }),
  trigger: choice(attemptTriggers),
  recovery_id: nullable(Type.String()),
  restored: nullable(
    choice(restoredStates, {
      description:
        "Of a delivery that waited to be sent when the data came from a backup: whether it still waits for a" +
        " decision, and what that was.",
    }),
  ),
  next_attempt_at: nullable(moment),
  created_at: moment,
  finished_at: nullable(moment),
});
