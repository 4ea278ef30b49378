import { createHash } from "node:crypto";
import type { EventType } from "../outbox/catalog.ts";
import {
  pastScans,
  type TrackingEventStatus,
  type TrackingMeaning,
  type TrackingStatus,
  trackingEventStatuses,
  trackingMeanings,
  trackingStarts,
} from "../shipping/updates/status.ts";
import type { TrackingLocation } from "../shipping/updates/update.ts";

/** The part of a tracking event that decides where the record stands. `occurred_at` is in milliseconds. */
export interface TrackingFact {
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  /** The event's own duplicate hash. It orders two events of one moment and one status. */
  readonly event_hash: string;
}

/** Where a record stands: its status, and the event that decided it. All but `status` are null before any event. */
export interface Standing {
  readonly status: TrackingStatus;
  readonly event_status: TrackingEventStatus | null;
  readonly occurred_at: number | null;
  readonly event_hash: string | null;
}

/** What the world is told of a change, in this order. */
type TrackingNews = Extract<
  EventType,
  "shipment.tracking_updated" | "shipment.in_transit" | "shipment.delivered" | "shipment.exception"
>;

/** What one event did to a record. */
export interface TrackingStep {
  readonly standing: Standing;
  /** The event became the deciding one, so its message and place are the record's from now on. */
  readonly decides: boolean;
  /** The record's status is another one than before. */
  readonly changed: boolean;
  /** The event types to emit; empty when the status did not change. */
  readonly emits: readonly TrackingNews[];
  /** What the order does if it has not done so already. An event says so even when it comes too late to decide. */
  readonly order_act: "ship" | "deliver" | null;
}

/** A record before its first event. */
export const beforeEvents: Standing = {
  status: trackingStarts,
  event_status: null,
  occurred_at: null,
  event_hash: null,
};

/**
 * Takes one event into a record's standing. Of all events the greatest by (final, occurred_at, rank) decides, so the
 * order in which they arrive does not matter: a late old event moves nothing, and after delivered only returned moves.
 */
export function afterEvent(standing: Standing, event: TrackingFact): TrackingStep {
  const { shows, emits, order_act }: TrackingMeaning = trackingMeanings[event.status];
  if (!outranks(event, standing)) return { standing, decides: false, changed: false, emits: [], order_act };
  const { status: event_status, occurred_at, event_hash } = event;
  const changed = shows !== standing.status;
  const news: TrackingNews[] = changed ? ["shipment.tracking_updated"] : [];
  if (changed && emits !== null) news.push(emits);
  const next: Standing = { status: shows, event_status, occurred_at, event_hash };
  return { standing: next, decides: true, changed, emits: news, order_act };
}

/** Where a record stands after these events, given in any order. */
export function standingAfter(events: readonly TrackingFact[]): Standing {
  return events.reduce((standing, event) => afterEvent(standing, event).standing, beforeEvents);
}

/** Events as they happened, the oldest first: what they move is told in this order. */
export function inOrder<Event extends Pick<TrackingFact, "status" | "occurred_at">>(events: readonly Event[]): Event[] {
  return events.toSorted((one, other) => {
    return one.occurred_at - other.occurred_at || rank(one.status) - rank(other.status);
  });
}

/** What is known of a parcel beside its standing, as far as a carrier may know better. */
interface Expectation {
  readonly carrier: string;
  readonly service_type: string | null;
  readonly estimated_delivery: number | null;
  readonly estimated_at: number | null;
}

/** What a carrier tells of a parcel beside its scans; `told_at` as it says, else by its newest scan. */
interface Telling {
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  readonly told_at?: number | null;
  readonly events: readonly { readonly occurred_at: number }[];
}

/** The carrier of a parcel of which nobody said one. */
export const unknown_carrier = "unknown";

/**
 * What a carrier's telling changes of a parcel beside its standing, or null. Of two tellings of when it comes the newer
 * holds, of two at the same moment the later day, so that it does not matter which arrives first. The carrier and the
 * service are taken where they were not known.
 */
export function newFacts(known: Expectation, told: Telling, now: number): Partial<Expectation> | null {
  const moments = told.events.map(({ occurred_at }) => occurred_at);
  const at = told.told_at ?? (moments.length === 0 ? now : Math.max(...moments));
  const due = told.estimated_delivery;
  const before = known.estimated_at ?? Number.NEGATIVE_INFINITY;
  const newer = due !== null && (at > before || (at === before && due > (known.estimated_delivery ?? 0)));
  const facts = {
    ...(newer && { estimated_delivery: due, estimated_at: at }),
    ...(known.carrier === unknown_carrier && told.carrier !== null && { carrier: told.carrier }),
    ...(known.service_type === null && told.service !== null && { service_type: told.service }),
  };
  return Object.keys(facts).length === 0 ? null : facts;
}

/** A hash that is equal for two reports of one event. `occurred_at` is in milliseconds; the answer is hexadecimal. */
export function duplicateHash(event: {
  readonly tracking_number: string;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly location: TrackingLocation | null;
  readonly message: string | null;
}): string {
  const { tracking_number, status, occurred_at, location, message } = event;
  const place = location === null ? null : [location.city, location.state, location.country, location.facility];
  const facts = JSON.stringify([tracking_number, status, occurred_at, place, message]);
  return createHash("sha256").update(facts).digest("hex");
}

/** A parcel that left, and perhaps arrived, before it was brought in. Moments in milliseconds. */
interface PastParcel {
  readonly tracking_number: string | null;
  readonly shipped_at: number | null;
  readonly delivered_at: number | null;
}

/** What such a parcel's carrier would have reported, oldest first. */
export function pastFacts({ tracking_number, ...moments }: PastParcel): TrackingFact[] {
  const said = { tracking_number: tracking_number ?? "", location: null, message: null };
  return pastScans.flatMap(({ status, moment }) => {
    const occurred_at = moments[moment];
    if (occurred_at === null) return [];
    return { status, occurred_at, event_hash: duplicateHash({ ...said, status, occurred_at }) };
  });
}

function outranks(event: TrackingFact, standing: Standing): boolean {
  if (standing.event_status === null || standing.occurred_at === null || standing.event_hash === null) return true;
  const { final } = trackingMeanings[event.status];
  const decided = trackingMeanings[standing.event_status].final;
  if (final !== decided) return final;
  if (event.occurred_at !== standing.occurred_at) return event.occurred_at > standing.occurred_at;
  if (event.status !== standing.event_status) return rank(event.status) > rank(standing.event_status);
  return event.event_hash > standing.event_hash;
}

const rank = (status: TrackingEventStatus): number => trackingEventStatuses.indexOf(status);
