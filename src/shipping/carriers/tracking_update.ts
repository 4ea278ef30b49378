import { isUnderWay, type TrackingEventStatus, trackingMeanings, trackingStarts } from "./tracking.transitions.ts";

/** Where a scan happened, as far as the carrier says. */
export interface TrackingLocation {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly facility: string | null;
}

/** One thing that a carrier reports of a parcel. `occurred_at` is in milliseconds. */
export interface CarrierEvent {
  /** The carrier's own id of the event, if any: a repeated id is a repeated event. */
  readonly source_event_id: string | null;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly message: string | null;
  readonly location: TrackingLocation | null;
  /** The carrier's message, unchanged. */
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly status_detail: string | null;
  readonly reason: string | null;
  readonly signed_by: string | null;
}

/** All that a carrier reports of one parcel now. Events may be old, out of order, or repeated. */
export interface TrackingUpdate {
  readonly tracking_number: string;
  /** The carrier in small letters; null when it was not named. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier reported this, if it says so; otherwise the time of the newest event counts. */
  readonly told_at?: number | null;
  readonly events: readonly CarrierEvent[];
}

// The status words of services that sell for many carriers, and what each means here. Each table covers one service.

/** What a word means. `first` is its meaning as the first scan of a parcel; a detail is more exact than its word. */
interface Word {
  readonly means: TrackingEventStatus;
  readonly first?: TrackingEventStatus;
  /** The meanings of a second, finer vocabulary. */
  readonly details?: Readonly<Record<string, TrackingEventStatus>>;
}

type Vocabulary = Readonly<Record<string, Word>>;

const karrio: Vocabulary = {
  pending: { means: "pending" },
  unknown: { means: "pending" },
  picked_up: { means: "picked_up" },
  in_transit: { means: "in_transit" },
  delivery_delayed: { means: "in_transit" },
  out_for_delivery: { means: "out_for_delivery" },
  ready_for_pickup: { means: "out_for_delivery" },
  on_hold: { means: "exception" },
  delivery_failed: { means: "exception" },
  cancelled: { means: "exception" },
  delivered: { means: "delivered" },
  return_to_sender: { means: "returned" },
};

const easypost: Vocabulary = {
  pre_transit: { means: "pending" },
  unknown: { means: "pending" },
  in_transit: {
    means: "in_transit",
    first: "picked_up",
    details: {
      received_at_origin_facility: "accepted",
      damaged: "exception",
      lost: "exception",
      held: "exception",
      refused: "exception",
      delivery_exception: "exception",
    },
  },
  out_for_delivery: { means: "out_for_delivery" },
  available_for_pickup: { means: "out_for_delivery" },
  failure: { means: "exception" },
  error: { means: "exception" },
  cancelled: { means: "exception" },
  delivered: { means: "delivered" },
  return_to_sender: { means: "returned" },
};

const shippo: Vocabulary = {
  pre_transit: { means: "pending" },
  unknown: { means: "pending" },
  transit: {
    means: "in_transit",
    first: "picked_up",
    details: {
      package_accepted: "accepted",
      out_for_delivery: "out_for_delivery",
      pickup_available: "out_for_delivery",
    },
  },
  failure: { means: "exception" },
  delivered: { means: "delivered" },
  returned: { means: "returned" },
};

const shipengine: Vocabulary = {
  ny: { means: "pending" },
  un: { means: "pending" },
  ac: { means: "accepted" },
  it: {
    means: "in_transit",
    details: {
      out_for_delivery: "out_for_delivery",
      awaiting_collection_from_pickup_point: "out_for_delivery",
      collect_at_local_po: "out_for_delivery",
      customer_to_collect_from_carrier: "out_for_delivery",
    },
  },
  at: { means: "exception" },
  ex: { means: "exception", details: { return_to_sender: "returned", returned_to_sender: "returned" } },
  de: { means: "delivered" },
  sp: { means: "delivered" },
};

const vocabularies = { karrio, easypost, shippo, shipengine };

/** Whose words they are. */
export type CarrierVocabulary = keyof typeof vocabularies;

/** A carrier's words about a parcel: a status and perhaps a detail, both in any case. */
export interface CarrierWords {
  readonly status: string | null;
  readonly detail: string | null;
  /** Whether somebody has to act: the parcel is held up, whatever its status says. */
  readonly action_required?: boolean;
}

/**
 * The meaning of one report. `scanned` says whether the carrier has scanned the parcel before. An unknown word means
 * `in_transit` after a scan, else `pending`.
 */
export function meaningOf(speaker: CarrierVocabulary, said: CarrierWords, scanned: boolean): TrackingEventStatus {
  const words = vocabularies[speaker];
  const status = plain(said.status);
  const word = Object.hasOwn(words, status) ? words[status] : undefined;
  if (word === undefined) return scanned ? "in_transit" : trackingStarts;
  if (said.action_required && isUnderWay(word.means)) return "exception";
  const detail = plain(said.detail);
  if (word.details && Object.hasOwn(word.details, detail)) return word.details[detail] ?? word.means;
  return scanned ? word.means : (word.first ?? word.means);
}

/** The meanings of all that a carrier reports of one parcel, oldest first. */
export function meaningsOf(speaker: CarrierVocabulary, said: readonly CarrierWords[]): TrackingEventStatus[] {
  let scanned = false;
  return said.map((one) => {
    const means = meaningOf(speaker, one, scanned);
    scanned ||= trackingMeanings[means].order_act !== null;
    return means;
  });
}

function plain(word: string | null): string {
  return (word ?? "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}
