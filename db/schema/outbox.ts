import type { EventType } from "../../src/events/event_types.ts";
import { main_merchant } from "../../src/storage/tenant.ts";
import { id, index, int, packed, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

export const events = table(
  "events",
  {
    seq: id(),
    id: text().notNull(),
    // Events of before there were merchants are MAIN's by the default, without being written anew.
    merchant_id: owner().default(main_merchant),
    type: text().$type<EventType>().notNull(),
    /**
     * The whole event as version 1 subscriptions receive it: these bytes are fixed here and resent verbatim. Empty when
     * they were forgotten, long after the last delivery.
     */
    body: packed().notNull(),
    /** What the change did away with, as JSON, for version 2 subscriptions. Null where nothing is told of it. */
    previous: text(),
    created_at: time().notNull(),
    /** The place in the order of `GET /events`, given when the event is fanned out. */
    position: int(),
    fanned_out_at: time(),
  },
  (t) => [
    unique("events_id").on(t.id),
    unique("events_position").on(t.position),
    index("events_waiting").on(t.seq).where(where("fanned_out_at is null")),
    index("events_kept").on(t.created_at).where(where("length(body) > 0")),
  ],
);
