// The simulated carrier of the sandbox, whose numbers have a known course. It knows the test numbers of EasyPost and
// Shippo, and the numbers of its own labels (`SIM…` and SSCCs of the range for demonstrations), which play their days
// on the sandbox's clock.

import {
  isDelivered,
  type TrackingEventStatus,
  trackingMeanings,
  trackingStarts,
} from "../shipping/carriers/tracking.transitions.ts";
import type { CarrierEvent, TrackingLocation, TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import { type CarrierVocabulary, type CarrierWords, meaningsOf } from "../shipping/carriers/tracking_update.ts";
import { isDemonstration } from "../shipping/labels/sscc.ts";
import { main_merchant } from "../storage/tenant.ts";
import { beforeEvents } from "./tracking_events.ts";
import type { TrackingEvent, TrackingHistory } from "./tracking_record.ts";

const day_ms = 86_400_000;
/** The length of a day on the sandbox's clock for a number that plays its days. */
const played_day_ms = 10_000;

/** The scans of a number, oldest first, and the time between them. */
interface SimulatedJourney {
  readonly means: readonly TrackingEventStatus[];
  readonly said: readonly string[];
  readonly step_ms: number;
  /** Whether the course begins now; otherwise it has happened already. */
  readonly played: boolean;
}

const easypost = [
  ["pre_transit"],
  ["pre_transit", "in_transit", "in_transit"],
  ["pre_transit", "in_transit", "in_transit", "out_for_delivery"],
  ["pre_transit", "in_transit", "in_transit", "out_for_delivery", "delivered"],
  ["pre_transit", "in_transit", "in_transit", "return_to_sender"],
  ["pre_transit", "in_transit", "failure"],
  ["unknown"],
] as const;

const shippo: Readonly<Record<string, readonly string[]>> = {
  SHIPPO_PRE_TRANSIT: ["PRE_TRANSIT"],
  SHIPPO_TRANSIT: ["PRE_TRANSIT", "TRANSIT", "TRANSIT"],
  SHIPPO_DELIVERED: ["PRE_TRANSIT", "TRANSIT", "TRANSIT", "DELIVERED"],
  SHIPPO_RETURNED: ["PRE_TRANSIT", "TRANSIT", "TRANSIT", "RETURNED"],
  SHIPPO_FAILURE: ["PRE_TRANSIT", "TRANSIT", "FAILURE"],
  SHIPPO_UNKNOWN: ["UNKNOWN"],
};

const home = ["pending", "accepted", "in_transit"] as const;
const played: readonly (readonly [ending: string, days: readonly TrackingEventStatus[]])[] = [
  ["EXC", [...home, "exception", "out_for_delivery", "delivered"]],
  ["RTS", [...home, "out_for_delivery", "returned"]],
  ["", [...home, "out_for_delivery", "delivered"]],
];

/** EasyPost's test numbers: `EZ` and a digit at both ends of eight zeros. */
const easypostNumber = /^EZ([1-7])0{8}\1$/;

function wayOf(number: string): SimulatedJourney | null {
  const [, which] = easypostNumber.exec(number) ?? [];
  if (which !== undefined) return told("easypost", easypost[Number(which) - 1] ?? []);
  const known = Object.hasOwn(shippo, number) ? shippo[number] : undefined;
  if (known !== undefined) return told("shippo", known);
  if (!/^SIM./.test(number) && !isDemonstration(number)) return null;
  const [, means = []] = played.find(([ending]) => number.endsWith(ending)) ?? [];
  return { means, said: means, step_ms: played_day_ms, played: true };
}

function told(speaker: CarrierVocabulary, said: readonly string[]): SimulatedJourney {
  const words: CarrierWords[] = said.map((status) => ({ status, detail: null }));
  return { means: meaningsOf(speaker, words), said, step_ms: day_ms, played: false };
}

const oakland: TrackingLocation = { city: "Oakland", state: "CA", country: "US", facility: null };
const reno: TrackingLocation = { city: "Reno", state: "NV", country: "US", facility: null };
const denver: TrackingLocation = { city: "Denver", state: "CO", country: "US", facility: null };

const places: Readonly<Record<TrackingEventStatus, TrackingLocation | null>> = {
  pending: null,
  accepted: oakland,
  picked_up: oakland,
  in_transit: reno,
  out_for_delivery: denver,
  exception: denver,
  delivered: denver,
  returned: oakland,
};

/** Whether the simulated carrier of the sandbox reports on a number. */
export const isSimulated = (number: string): boolean => wayOf(number) !== null;

/** Whether a number of the simulated carrier gets more news as its clock goes on. */
export const playsItsDays = (number: string): boolean => wayOf(number)?.played === true;

/**
 * The simulated carrier's report on a number tracked since `since`, and when there will be more; null for an unknown
 * number. Moments in milliseconds.
 */
export function simulatedUpdate(
  tracking_number: string,
  since: number,
  now: number,
): { update: TrackingUpdate; next_at: number | null } | null {
  const way = wayOf(tracking_number);
  if (way === null) return null;
  const first_at = way.played ? since : since - (way.means.length - 1) * way.step_ms;
  const all = way.means.map((status, at): CarrierEvent => {
    const occurred_at = first_at + at * way.step_ms;
    const said = { carrier_status: way.said[at] ?? null, carrier_code: null, status_detail: null, reason: null };
    const signed_by = isDelivered(status) ? "John Tester" : null;
    return {
      source_event_id: null,
      status,
      occurred_at,
      message: null,
      location: places[status],
      ...said,
      signed_by,
    };
  });
  const events = all.filter(({ occurred_at }) => occurred_at <= now);
  const last = all.at(-1)?.occurred_at ?? since;
  const open = all.every(({ status }) => !trackingMeanings[status].final);
  const estimated_delivery = open && all.length > 1 ? last + 2 * way.step_ms : way.played ? last : null;
  const update = { tracking_number, carrier: null, service: null, estimated_delivery, events };
  return { update, next_at: all[events.length]?.occurred_at ?? null };
}

/** What the sandbox shows of a test number that nobody tracks; null for other numbers. */
export function simulatedHistory(tracking_number: string, now: number): TrackingHistory | null {
  if (wayOf(tracking_number)?.played !== false) return null;
  const today = now - (now % day_ms);
  const told = simulatedUpdate(tracking_number, today, today);
  if (told === null) return null;
  const events: TrackingEvent[] = told.update.events.toReversed();
  const last = told.update.events.at(-1);
  return {
    record: {
      ...beforeEvents,
      id: 0,
      merchant_id: main_merchant,
      tracking_number,
      carrier: "sim",
      service_type: null,
      shipment_id: null,
      order_id: null,
      account_id: null,
      tracking_url: null,
      estimated_at: null,
      followed: false,
      taken_up: false,
      look_at: null,
      look_failures: 0,
      status: last === undefined ? trackingStarts : trackingMeanings[last.status].shows,
      event_status: last?.status ?? null,
      status_detail: null,
      message: null,
      estimated_delivery: told.update.estimated_delivery,
      current_location: last?.location ?? null,
      signed_by: last?.signed_by ?? null,
      weight: null,
      weight_unit: null,
      dimensions: null,
      version: 1,
      created_at: today,
      updated_at: today,
    },
    events,
    order_id: null,
    tracking_url: null,
  };
}
