import { Type } from "@sinclair/typebox";
import { iso, momentOf } from "../core/clock.ts";
import { invalid, missing } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import { onFirstUse } from "../core/memoize.ts";
import { tagged } from "../http/preconditions.ts";
import { list, read, routes } from "../http/routes.ts";
import { dataWithoutBins, showsBins } from "../inventory/warehouses/bin_visibility.ts";
import type { Db } from "../storage/database.ts";
import { haveArrived } from "../webhooks/deliveries/deliveries.sql.ts";
import type { EventDescription } from "../webhooks/event_descriptions.schema.ts";
import { EventTypeView, EventView, eventSchema, ListEvents, secondEventSchema } from "./event.schema.ts";
import { type EventType, eventTypes } from "./event_types.ts";
import { countEvents, eventSlice, findEvent, listEvents, longEvents, type StoredEvent } from "./events.sql.ts";

/** The events that happened, and the types of events. */
export const eventRoutes = routes("Events", [
  list("/events", "events.read", {
    id: "listEvents",
    summary: "List events in the order they happened, or the newest first",
    description:
      "Keep the `next_cursor` and continue from it later to read every event once, without webhooks or after an" +
      " outage: pages of a cursor neither skip nor repeat an event. `delivered=false` leaves only events that some" +
      " subscription has missed.",
    of: {
      query: ListEvents,
      listing: ({ query }) => {
        const { type, delivered, sort = "created_at", page = 1 } = query;
        const newest_first = sort === "-created_at";
        const { created_after, created_before } = query;
        const filter = {
          type,
          created_after: momentOf(created_after),
          created_before: momentOf(created_before),
        };
        if (delivered !== undefined && page > 1)
          throw invalid("page", "cannot be used with delivered; continue with cursor");
        if (delivered !== undefined && newest_first) throw invalid("sort", "cannot be used with delivered");
        return {
          rows: (db, { after: last, ...window }) => {
            const after = last && Number(last[0]);
            const { limit } = window;
            return delivered === undefined
              ? listEvents(db, filter, { ...window, after, newest_first })
              : eventSlice(db, filter, { limit, after, arrived: haveArrived(db, delivered) });
          },
          count: (db) => countEvents(db, filter),
          position: (event) => [event.position ?? 0, event.seq],
          long: longEvents,
        };
      },
    },
    view: EventView,
    views: (events, _, { call }) => events.map((event) => eventView(event, showsBins(call))),
  }),
  read("/events/:id", "events.read", {
    id: "getEvent",
    summary: "Get an event",
    description:
      "Returns the event as subscriptions of `v1` receive it. Its `data` is the record at that time and does not" +
      " follow later changes; it is null after the retention of payloads, 30 days by default.",
    tagged: true,
    view: EventView,
    data: async (db, { call, params }) => tagged(eventView(await get(db, params.id), showsBins(call)), null),
  }),
  read("/event_types", "any", {
    id: "listEventTypes",
    summary: "List the types of events with their schemas",
    description:
      "For each type, when it is emitted, and the JSON Schema and an example of what subscriptions of `v1` and `v2`" +
      " receive. Use it to generate types or to test a receiver.",
    view: Type.Array(EventTypeView),
    data: () => described(),
  }),
]);

async function get(db: Db, id: string): Promise<StoredEvent> {
  const event = await findEvent(db, id);
  if (event === null) throw missing("event", id);
  return event;
}

/** The event as subscriptions of version 1 receive it; without data once its payload was deleted. */
export function eventView(
  { id, merchant_id: owner, type, created_at, body }: StoredEvent,
  shows_bins: boolean,
): EventView {
  if (body !== "") {
    const told: EventView = JSON.parse(body);
    return shows_bins ? told : { ...told, data: told.data && dataWithoutBins(told.data) };
  }
  return { id, type, created_at: iso(created_at), merchant_id: wireId("merchant", owner), data: null };
}

const described = onFirstUse(() => {
  const { eventDescriptions } =
    require("../webhooks/event_descriptions.schema.ts") as typeof import("../webhooks/event_descriptions.schema.ts");
  return eventTypes.map((type) => describedType(type, eventDescriptions[type]));
});

function describedType(type: EventType, told: EventDescription) {
  const { summary, data, example, previous, previous_example } = told;
  const event = {
    id: "evt_019c1e2f4b7a7c3d9e5f60718293a4b5",
    type,
    created_at: "2026-01-31T12:00:00.000Z",
    merchant_id: "mer_1",
  };
  const second = { ...event, api_version: "v1", sequence: 1 };
  return {
    type,
    summary,
    status: "stable" as const,
    schema: eventSchema(type, data),
    example: { ...event, data: example },
    schema_v2: secondEventSchema(type, data, previous),
    example_v2: { ...second, data: { ...example, previous_attributes: previous_example } },
  };
}
