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
  request: closed({
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.String({ description: "What was sent, byte for byte." }),
  }),
  response: nullable(
    closed({
      status_code: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body_excerpt: nullable(Type.String()),
      truncated: Type.Boolean(),
    }),
  ),
  error: ErrorView,
  duration_ms: nullable(Type.Integer()),
});
