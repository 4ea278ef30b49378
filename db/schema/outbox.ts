import type { EventType } from "../../src/events/event_types.ts";
import { main_merchant } from "../../src/storage/tenant.ts";
import { id, index, int, packed, table, text, time, unique, where } from "../kit.ts";
import { owner } from "./merchants.ts";

export const events = table(
  "events",
  {
    seq: id(),
    id: text().notNull(),
    // The default assigns events from before there were merchants to MAIN, without rewriting them.
    merchant_id: owner().default(main_merchant),
    type: text().$type<EventType>().notNull(),
    /**
     * The event as version 1 subscriptions receive it. These bytes are resent verbatim. Empty once the payload was
     * deleted.
     */
    body: packed().notNull(),
    /** The previous values as JSON, for version 2 subscriptions; null if there are none. */
    previous: text(),
    created_at: time().notNull(),
    /** The position in the order of `GET /events`, assigned when the event's deliveries are created. */
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
