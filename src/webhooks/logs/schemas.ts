import { type Static, Type } from "@sinclair/typebox";
import { pageFields } from "../../kit/page.ts";
import { choice, closed, momentField, nullable, textField } from "../../kit/schema.ts";
import { eventTypes } from "../../outbox/catalog.ts";
import { attemptErrors, attemptStatuses, attemptTriggers } from "../status.ts";

const moment = Type.String({ format: "date-time" });

export const ListAttempts = closed({
  ...pageFields,
  status: Type.Optional(choice(attemptStatuses)),
  event_type: Type.Optional(choice(eventTypes)),
  event_id: Type.Optional(textField(100)),
  since: Type.Optional(momentField("Attempts begun at this moment or later.")),
  until: Type.Optional(momentField("Attempts begun before this moment.")),
});
export type ListAttempts = Static<typeof ListAttempts>;

const headers = Type.Record(Type.String(), Type.String());

/** Why an attempt was no success. */
export const ErrorView = nullable(closed({ code: choice(attemptErrors), message: Type.String() }));

export const AttemptView = closed({
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
});
