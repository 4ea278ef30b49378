import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, momentField, nullable, textField } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { attemptTriggers, deliveryStatuses } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListDeliveries = closed({
  ...pageFields,
  status: Type.Optional(choice(deliveryStatuses)),
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField("Deliveries recorded at this moment or later.")),
  until: Type.Optional(momentField("Deliveries recorded before this moment.")),
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
  next_attempt_at: nullable(moment),
  created_at: moment,
  finished_at: nullable(moment),
});
