import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { ErrorView } from "../logs/schemas.ts";
import { attemptStatuses } from "../status.ts";

export const SendTest = closed({
  event: Type.Optional(choice(eventTypes)),
  event_type: Type.Optional(choice(eventTypes)),
});
export type SendTest = Static<typeof SendTest>;

export const TestView = closed({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  status: choice(attemptStatuses),
  response: nullable(closed({ status_code: Type.Integer(), body_excerpt: nullable(Type.String()) })),
  error: ErrorView,
  duration_ms: nullable(Type.Integer()),
});
