import { type Static, Type } from "@sinclair/typebox";
import { choice, closed, nullable, pageFields, several, timeFields } from "../../core/schema.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

export const ListRequests = closed({
  limit: pageFields.limit,
  cursor: pageFields.cursor,
  actor: Type.Optional(several(Type.String({ maxLength: 40, description: "The caller: `key_7` or `usr_7`." }))),
  status: Type.Optional(
    several(Type.String({ pattern: "^[1-5](xx|\\d\\d)$", description: "A status or a status class: `404`, `4xx`." })),
  ),
  method: Type.Optional(several(choice(methods, { description: "Only requests with these methods." }))),
  route: Type.Optional(
    Type.String({ maxLength: 100, description: "The path pattern, as in the reference: `/orders/:id`." }),
  ),
  dashboard_reads: Type.Optional(
    Type.Boolean({
      description:
        "False leaves out reads and dry runs by signed-in users, which the dashboard sends on its own. True by" +
        " default.",
    }),
  ),
  ...timeFields("created"),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "The id of a request." })),
});
export type ListRequests = Static<typeof ListRequests>;

export const RequestView = closed({
  id: Type.String({ description: "Its position in the log, such as `log_12_3`." }),
  request_id: Type.String({ description: "As in `meta.request_id` and `X-Request-Id`. A client may choose it." }),
  at: Type.String({ format: "date-time", description: "When the response was sent." }),
  method: Type.String({ description: "The HTTP method." }),
  path: Type.String({ description: "The path after `/v1`, without secrets, cut off after 300 characters." }),
  query: Type.String({ description: "The query parameters. Values that may be secret are removed." }),
  route: nullable(Type.String({ description: "The pattern of its path; null when no route matches." })),
  status: Type.Integer({ description: "The HTTP status of the response." }),
  error_code: nullable(Type.String({ description: "The `error.code` of the response; null if it succeeded." })),
  actor_id: nullable(Type.String({ description: "The API key or user; null when unauthenticated." })),
  ip_address: nullable(Type.String({ description: "The client's IP address; null if unknown." })),
  duration_ms: Type.Number({ description: "How long it took until the response began to be sent." }),
  request_bytes: nullable(
    Type.Integer({ description: "Size of the request body; null without one, or if not declared." }),
  ),
  response_bytes: nullable(Type.Integer({ description: "Size of the response body; null if it is not JSON." })),
});
