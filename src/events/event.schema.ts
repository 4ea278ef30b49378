import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { choice, closed, nullable, pageFields, several, timeFields, timestamp } from "../core/schema.ts";
import { OwnerView } from "../storage/tenant.schema.ts";
import { eventTypes } from "./event_types.ts";

const open = Type.Record(Type.String(), Type.Unknown());

export const ListEvents = closed({
  ...pageFields,
  type: Type.Optional(several(choice(eventTypes))),
  ...timeFields("created"),
  sort: Type.Optional(
    choice(["created_at", "-created_at"], {
      description: "`-created_at` lists the newest first; not with `delivered`.",
    }),
  ),
  delivered: Type.Optional(
    Type.Boolean({ description: "False: events that some subscription has not received. True: all others." }),
  ),
});

export const EventView = closed({
  id: Type.String({ description: "Equal on every delivery of the event, so that a receiver can ignore repeats." }),
  type: choice(eventTypes, { description: "What happened to which kind of record." }),
  created_at: timestamp("When it happened."),
  merchant_id: Type.Optional(OwnerView),
  data: nullable({
    ...open,
    description: "The record right after the event, with its type as `object`; null once the payload was deleted.",
  }),
});
export type EventView = Static<typeof EventView>;

export const EventTypeView = closed({
  type: choice(eventTypes, { description: "The name to subscribe to." }),
  summary: Type.String({ description: "When it is emitted." }),
  status: choice(["stable", "deprecated"], { description: "A `deprecated` type will be removed in the next version." }),
  schema: Type.Unsafe<object>({ ...open, description: "The JSON Schema of the event for subscriptions of `v1`." }),
  example: { ...EventView, description: "An event as `v1` subscriptions receive it." },
  schema_v2: Type.Unsafe<object>({ ...open, description: "The JSON Schema of the event for `v2` with full payloads." }),
  example_v2: Type.Unsafe<object>({ ...open, description: "An event as `v2` subscriptions receive it, in full." }),
});

/** The schema of a whole event as version 1 subscriptions receive it, from the schema of its data. */
export function eventSchema(type: string, data: TSchema): TSchema {
  return closed({
    ...frame(Type.Literal(type, { description: "The event type." })),
    data: { ...data, description: data_text },
  });
}

/** As `eventSchema`, for version 2 with full payloads, from the schemas of the data and of its old values. */
export function secondEventSchema(type: string, data: TObject, previous: TObject): TSchema {
  const previous_attributes = { ...previous, description: "The old values of these fields, where they changed." };
  return closed({
    ...frame(Type.Literal(type)),
    ...second_fields,
    data: { ...closed({ ...data.properties, previous_attributes }), description: data_text },
  });
}

/** The schema of a whole event of any type as version 2 subscriptions with thin payloads receive it. */
export function thinEventSchema(objects: readonly string[]): TSchema {
  return closed({
    ...frame(choice(eventTypes, { description: "What happened to the record that `data` names." })),
    ...second_fields,
    data: {
      ...closed({
        object: choice(objects, { description: "The type of the record." }),
        id: Type.Optional(Type.String({ description: "The id of the record; absent from an `inventory_item`." })),
        sku: Type.Optional(Type.String({ description: "The SKU; of an `inventory_item` only." })),
      }),
      description: "Names the record. Get it for its present state.",
    },
  });
}

const data_text = "The record right after the event, as its GET shows it.";

const second_fields = {
  api_version: Type.Literal("v1", { description: "The API version of `data`." }),
  sequence: Type.Integer({ description: "Its number among the subscription's deliveries; 0 for a test." }),
};

const frame = (type: TSchema) => ({
  id: Type.String({ description: "Equal on every delivery of this event." }),
  type,
  created_at: timestamp("When it happened."),
  merchant_id: OwnerView,
});
