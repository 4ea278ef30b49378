// The webhooks of the document: every event type as a receiver gets it.

import type { TSchema } from "@sinclair/typebox";
import { eventSchema, thinEventSchema } from "../../events/event.schema.ts";
import { type EventType, eventTypes } from "../../events/event_types.ts";
import { eventDescriptions } from "../../webhooks/event_descriptions.schema.ts";
import { type JsonObject, type Publisher, pascal } from "./json_schema.ts";

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

const created_at = "2026-01-31T12:00:00.000Z";
const event_frame = { id: "evt_019c1e2f4b7a7c3d9e5f60718293a4b5", created_at, merchant_id: "mer_1" };

/** One entry per event type, in the order of the catalogue, and one for the thin payload of all types. */
export function eventWebhooks(publisher: Publisher): Record<string, JsonObject> {
  const entries = eventTypes.map((type, at) => {
    const { summary, data, example } = eventDescriptions[type];
    const object = pascal(objectOf(type));
    // GET /event_types has an example of each type.
    const isFirst = at === 0;
    publisher.name(data, `${object}EventData`, `${pascal(type)}EventData`);
    const schema = eventSchema(type, data);
    publisher.name(schema, `${pascal(type)}Event`);
    const { id, ...frame } = event_frame;
    return [
      type,
      webhook(publisher, {
        operation_id: `on${pascal(type)}`,
        // Readers search for the name that subscriptions use.
        summary: type,
        description: summary,
        schema,
        ...(isFirst ? { example: { id, type, ...frame, data: example } } : {}),
      }),
    ];
  });
  return { ...Object.fromEntries(entries), thin: thinWebhook(publisher) };
}

const objectOf = (type: EventType) => String(eventDescriptions[type].data.properties["object"]?.["const"] ?? type);

function thinWebhook(publisher: Publisher): JsonObject {
  const schema = thinEventSchema([...new Set(eventTypes.map(objectOf))]);
  publisher.name(schema, "ThinEvent");
  const { id, ...frame } = event_frame;
  const version = { api_version: "v1", sequence: 1 };
  return webhook(publisher, {
    operation_id: "onThinEvent",
    summary: "An event of any type, as a thin payload",
    description:
      "What a subscription of version 2 with `payload: thin` receives: the type of the event and the id of its" +
      " record, without personal data. Get the record for more.",
    schema,
    example: { id, type: "order.created", ...frame, ...version, data: { object: "order", id: "ord_1001" } },
  });
}

interface ShownWebhook {
  readonly operation_id: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: JsonObject;
}

function webhook(publisher: Publisher, shown: ShownWebhook): JsonObject {
  const { operation_id, summary, description, schema } = shown;
  const example = shown.example === undefined ? {} : { example: shown.example };
  const post = {
    operationId: operation_id,
    summary,
    description: `${description} Return 2xx within 5 seconds; otherwise the delivery is retried.`,
    tags: ["Events"],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: { "application/json": { schema: publisher.publishOpen(schema), ...example } },
    },
    responses: {
      "2XX": { description: "Received." },
      "4XX": { description: "Not received; the delivery is retried." },
    },
  };
  return { post };
}
