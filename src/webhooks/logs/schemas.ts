import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, nullable } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { eventFilterFields } from "../schemas.ts";
import { attemptErrors, attemptStatuses, attemptTriggers } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListAttempts = closed({
  ...pageFields,
  status: Type.Optional(choice(attemptStatuses)),
  ...eventFilterFields("Attempts begun"),
});
export type ListAttempts = Static<typeof ListAttempts>;

const headers = Type.Record(Type.String(), Type.String());

/** Why an attempt was no success. */
export const ErrorView = nullable(closed({ code: choice(attemptErrors), message: Type.String() }));

const attemptFields = {
  id: Type.String(),
  delivery_id: Type.String(),
  event_id: Type.String(),
  event_type: choice(eventTypes),
  attempt: Type.Integer(),
  max_attempts: Type.Integer(),
  trigger: choice(attemptTriggers),
  status: choice(attemptStatuses),
  url: Type.String(),
  request: closed({ headers }),
  response: nullable(
    closed({
      status_code: Type.Integer(),
      headers,
      body: nullable(Type.String()),
      truncated: Type.Boolean(),
    }),
  ),
  error: ErrorView,
  ip_address: nullable(Type.String()),
  duration_ms: nullable(Type.Integer()),
  started_at: moment,
  next_attempt_at: nullable(moment),
};

export const AttemptView = closed(attemptFields);

/** A single attempt, with the bytes that were sent. */
export const WholeAttemptView = closed({
  ...attemptFields,
  request: closed({
    headers,
    body: nullable(Type.String({ description: "What was sent, byte for byte; null once the payload was deleted." })),
  }),
});
