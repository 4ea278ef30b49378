// The webhooks of the document: every event type as a receiver gets it.

import { eventSchema } from "../../events/event.schema.ts";
import { eventTypes } from "../../events/event_types.ts";
import { eventDescriptions } from "../../webhooks/event_descriptions.schema.ts";
import type { JsonObject, Publisher } from "./json_schema.ts";

const header = (name: string, description: string, schema: JsonObject = { type: "string" }) => ({
  name,
  in: "header",
  required: true,
  description,
  schema,
});

const parameters: readonly JsonObject[] = [
  header("webhook-id", "The event's id, the same on every delivery."),
  header("webhook-timestamp", "Unix time of this attempt in seconds.", { type: "integer" }),
  header("webhook-signature", "`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`; see standardwebhooks.com."),
  header(
    "X-Webhook-Signature",
    "Lowercase hexadecimal HMAC-SHA256 of the body, keyed with the complete secret as text.",
  ),
  header("X-Webhook-Event", "The event type."),
  header("X-Webhook-Attempt", "The number of this attempt, from 1.", { type: "integer", minimum: 1 }),
  header("X-Webhook-Subscription", "The subscription, such as `whk_1001`."),
];

const pascal = (type: string) => type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** One entry per event type, in the order of the catalogue. */
export function eventWebhooks(publisher: Publisher): JsonObject {
  const entries = eventTypes.map((type) => {
    const { summary, data, example } = eventDescriptions[type];
    const object = pascal(String(data.properties["object"]?.["const"] ?? type));
    publisher.name(data, `${object}EventData`, `${pascal(type)}EventData`);
    const schema = eventSchema(type, data);
    publisher.name(schema, `${pascal(type)}Event`);
    const created_at = "2026-01-31T12:00:00.000Z";
    const event = { id: "evt_019c1e2f4b7a7c3d9e5f60718293a4b5", type, created_at, merchant_id: "mer_1" };
    const post = {
      operationId: `on${pascal(type)}`,
      // Readers search for the name that subscriptions use.
      summary: type,
      description: `${summary} Return 2xx within 5 seconds; otherwise the delivery is retried.`,
      tags: ["Events"],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: publisher.publishOpen(schema), example: { ...event, data: example } },
        },
      },
      responses: {
        "2XX": { description: "Received." },
        "4XX": { description: "Not received; the delivery is retried." },
      },
    };
    return [type, { post }];
  });
  return Object.fromEntries(entries);
}
