import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, momentField, nullable, pageFields } from "../../core/schema.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

export const ListRequests = closed({
  limit: pageFields.limit,
  cursor: pageFields.cursor,
  actor: Type.Optional(Type.String({ maxLength: 40, description: "Who asked: `key_7` or `usr_7`." })),
  status: Type.Optional(
    Type.String({ pattern: "^[1-5](xx|\\d\\d)$", description: "A status, or a class of them: `404`, `4xx`." }),
  ),
  method: Type.Optional(choice(methods)),
  route: Type.Optional(
    Type.String({ maxLength: 100, description: "The pattern of the path, as the reference writes it: `/orders/:id`." }),
  ),
  dashboard_reads: Type.Optional(
    Type.Boolean({
      description:
        "False leaves out what the dashboard asks by itself: reads and dry runs of signed-in users. True by default.",
    }),
  ),
  from: Type.Optional(momentField("Answered from this moment on.")),
  to: Type.Optional(momentField("Answered before this moment.")),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The id of one request." })),
});
export type ListRequests = Static<typeof ListRequests>;

export const RequestView = closed({
  id: Type.String({ description: "Its place in the log." }),
  request_id: Type.String({ description: "As `meta.request_id` and `X-Request-Id` said. A client may choose it." }),
  at: Type.String({ format: "date-time", description: "When it was answered." }),
  method: Type.String(),
  path: Type.String({ description: "Below `/v1`, cut after 300 characters." }),
  query: Type.String({ description: "The parameters; those that may be secret without their values." }),
  route: nullable(Type.String({ description: "The pattern of its path; null when no route matches." })),
  status: Type.Integer(),
  error_code: nullable(Type.String()),
  actor_id: nullable(Type.String({ description: "The API key or user that asked; null for a stranger." })),
  ip_address: nullable(Type.String()),
  duration_ms: Type.Number({ description: "Until the answer began to be sent." }),
  request_bytes: nullable(Type.Integer({ description: "Of the body; null without one, or where it did not say." })),
  response_bytes: nullable(Type.Integer({ description: "Of the answer's body; null for one that is no JSON." })),
});
