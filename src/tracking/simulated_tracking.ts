// The simulated carrier of test data. It knows the test numbers of EasyPost and Shippo, and the numbers of its own
// labels (`SIM…` and demonstration SSCCs), whose days pass on the sandbox clock.

import { day_ms } from "../core/time.ts";
import {
  isDelivered,
  type TrackingEventStatus,
  trackingMeanings,
  trackingStarts,
} from "../shipping/carriers/tracking.transitions.ts";
import type { CarrierEvent, TrackingLocation, TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import { type CarrierVocabulary, type CarrierWords, meaningsOf } from "../shipping/carriers/tracking_update.ts";
import { isDemonstration } from "../shipping/labels/sscc.ts";
import { type SimulatedCourse, simulatedCourses } from "../shipping/labels/tracking_number.ts";
import { main_merchant } from "../storage/tenant.ts";
import { beforeEvents } from "./tracking_events.ts";
import type { TrackingEvent, TrackingHistory } from "./tracking_record.ts";

/** The length of a day on the sandbox clock for its own numbers. */
const simulated_day_ms = 10_000;

/** The scans of a number, oldest first, and the time between them. */
interface SimulatedJourney {
  readonly means: readonly TrackingEventStatus[];
  readonly words: readonly string[];
  readonly step_ms: number;
  /** Whether the journey starts now; otherwise it is in the past. */
  readonly timed: boolean;
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

const first_days = ["pending", "accepted", "in_transit"] as const;
const timedJourneys: Readonly<Record<SimulatedCourse, readonly TrackingEventStatus[]>> = {
  EXC: [...first_days, "exception", "out_for_delivery", "delivered"],
  RTS: [...first_days, "out_for_delivery", "returned"],
  NSC: ["pending"],
};
const usual_journey: readonly TrackingEventStatus[] = [...first_days, "out_for_delivery", "delivered"];

/** EasyPost's test numbers: `EZ`, and the same digit before and after eight zeros. */
const easypostNumber = /^EZ([1-7])0{8}\1$/;

function journeyOf(number: string): SimulatedJourney | null {
  const [, which] = easypostNumber.exec(number) ?? [];
  if (which !== undefined) return pastJourney("easypost", easypost[Number(which) - 1] ?? []);
  const known = Object.hasOwn(shippo, number) ? shippo[number] : undefined;
  if (known !== undefined) return pastJourney("shippo", known);
  if (!/^SIM./.test(number) && !isDemonstration(number)) return null;
  const course = simulatedCourses.find((ending) => number.endsWith(ending));
  const means = course === undefined ? usual_journey : timedJourneys[course];
  return { means, words: means, step_ms: simulated_day_ms, timed: true };
}

function pastJourney(vocabulary: CarrierVocabulary, statuses: readonly string[]): SimulatedJourney {
  const words: CarrierWords[] = statuses.map((status) => ({ status, detail: null }));
  return { means: meaningsOf(vocabulary, words), words: statuses, step_ms: day_ms, timed: false };
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

/** Whether the simulated carrier reports on a number. */
export const isSimulated = (number: string): boolean => journeyOf(number) !== null;

/** Whether the journey of a number continues as the clock advances. */
export const hasTimedJourney = (number: string): boolean => journeyOf(number)?.timed === true;

/** When the simulated carrier first scans a parcel whose label is bought now (ms); null if it never does. */
export function firstScanAt(number: string, now: number): number | null {
  const journey = journeyOf(number);
  return journey?.timed === true && journey.means.length > 1 ? now + journey.step_ms : null;
}

/**
 * Returns the simulated carrier's report on a number tracked since `since` (ms), and when the next report is due; null
 * for an unknown number.
 */
export function simulatedUpdate(
  tracking_number: string,
  since: number,
  now: number,
): { update: TrackingUpdate; next_at: number | null } | null {
  const journey = journeyOf(tracking_number);
  if (journey === null) return null;
  const first_at = journey.timed ? since : since - (journey.means.length - 1) * journey.step_ms;
  const all = journey.means.map((status, at): CarrierEvent => {
    const occurred_at = first_at + at * journey.step_ms;
    const details = {
      carrier_status: journey.words[at] ?? null,
      carrier_code: null,
      status_detail: null,
      reason: null,
    };
    const signed_by = isDelivered(status) ? "John Tester" : null;
    return {
      source_event_id: null,
      status,
      occurred_at,
      message: null,
      location: places[status],
      ...details,
      signed_by,
    };
  });
  const events = all.filter(({ occurred_at }) => occurred_at <= now);
  const last = all.at(-1)?.occurred_at ?? since;
  const open = all.every(({ status }) => !trackingMeanings[status].final);
  const estimated_delivery = open && all.length > 1 ? last + 2 * journey.step_ms : journey.timed ? last : null;
  const update = { tracking_number, carrier: null, service: null, estimated_delivery, events };
  return { update, next_at: all[events.length]?.occurred_at ?? null };
}

/** Returns the sandbox's history of a test number that is not tracked; null for other numbers. */
export function simulatedHistory(tracking_number: string, now: number): TrackingHistory | null {
  if (journeyOf(tracking_number)?.timed !== false) return null;
  const today = now - (now % day_ms);
  const report = simulatedUpdate(tracking_number, today, today);
  if (report === null) return null;
  const events: TrackingEvent[] = report.update.events.toReversed();
  const last = report.update.events.at(-1);
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
      estimated_delivery: report.update.estimated_delivery,
      current_location: last?.location ?? null,
      signed_by: last?.signed_by ?? null,
      weight: null,
      weight_unit: null,
      dimensions: null,
      revision: 1,
      created_at: today,
      updated_at: today,
    },
    events,
    order_id: null,
    tracking_url: null,
  };
}
