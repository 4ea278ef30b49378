import { isUnderWay, type TrackingEventStatus, trackingMeanings, trackingStarts } from "./tracking.transitions.ts";

/** Where a scan happened. A part that the carrier does not report is null. */
export interface TrackingLocation {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly facility: string | null;
}

/** One event that a carrier reports for a parcel. `occurred_at` is in milliseconds. */
export interface CarrierEvent {
  /** The carrier's own id of the event, if any. A repeated id is a repeated event. */
  readonly source_event_id: string | null;
  readonly status: TrackingEventStatus;
  readonly occurred_at: number;
  readonly message: string | null;
  readonly location: TrackingLocation | null;
  /** The carrier's status word, unchanged. */
  readonly carrier_status: string | null;
  readonly carrier_code: string | null;
  readonly status_detail: string | null;
  readonly reason: string | null;
  readonly signed_by: string | null;
}

/** Everything that a carrier reports for one parcel. Events may be old, out of order or repeated. */
export interface TrackingUpdate {
  readonly tracking_number: string;
  /** The carrier's code in lower case; null if it was not named. */
  readonly carrier: string | null;
  readonly service: string | null;
  readonly estimated_delivery: number | null;
  /** When the carrier reported this (ms), if it says so; otherwise the time of the newest event counts. */
  readonly reported_at?: number | null;
  readonly events: readonly CarrierEvent[];
}

// The status words of services that resell many carriers, and their meanings. Each table covers one service.

/** The meaning of a status word. `first` applies to the first scan of a parcel. */
interface Word {
  readonly means: TrackingEventStatus;
  readonly first?: TrackingEventStatus;
  /** The meanings of more exact details, which take precedence over the word. */
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

/** The service whose status words are used. */
export type CarrierVocabulary = keyof typeof vocabularies;

/** A carrier's words about a parcel: a status and an optional detail. Case does not matter. */
export interface CarrierWords {
  readonly status: string | null;
  readonly detail: string | null;
  /** Whether someone has to act. The parcel then counts as held up, whatever its status. */
  readonly action_required?: boolean;
}

/**
 * Returns the meaning of one report. `scanned`: whether the carrier has scanned the parcel before. An unknown word
 * means `in_transit` after a scan, otherwise `pending`.
 */
export function meaningOf(service: CarrierVocabulary, words: CarrierWords, scanned: boolean): TrackingEventStatus {
  const vocabulary = vocabularies[service];
  const status = plain(words.status);
  const word = Object.hasOwn(vocabulary, status) ? vocabulary[status] : undefined;
  if (word === undefined) return scanned ? "in_transit" : trackingStarts;
  if (words.action_required && isUnderWay(word.means)) return "exception";
  const detail = plain(words.detail);
  if (word.details && Object.hasOwn(word.details, detail)) return word.details[detail] ?? word.means;
  return scanned ? word.means : (word.first ?? word.means);
}

/** Returns the meanings of all reports on one parcel, oldest first. */
export function meaningsOf(service: CarrierVocabulary, reports: readonly CarrierWords[]): TrackingEventStatus[] {
  let scanned = false;
  return reports.map((report) => {
    const means = meaningOf(service, report, scanned);
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
