import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type TrackingEventStatus,
  trackingEventStatuses,
} from "../../../src/shipping/carriers/tracking.transitions.ts";
import { type CarrierVocabulary, meaningOf, meaningsOf } from "../../../src/shipping/carriers/tracking_update.ts";

const speakers: readonly CarrierVocabulary[] = ["karrio", "easypost", "shippo", "shipengine"];

// As each service documents them: status, substatus, and the meaning before and after the first scan.
type Row = readonly [string, string | null, TrackingEventStatus, TrackingEventStatus?];
const documented: Readonly<Record<CarrierVocabulary, readonly Row[]>> = {
  karrio: [
    ["pending", null, "pending"],
    ["unknown", null, "pending"],
    ["picked_up", null, "picked_up"],
    ["in_transit", null, "in_transit"],
    ["delivery_delayed", null, "in_transit"],
    ["out_for_delivery", null, "out_for_delivery"],
    ["ready_for_pickup", null, "out_for_delivery"],
    ["delivered", null, "delivered"],
    ["on_hold", null, "exception"],
    ["delivery_failed", null, "exception"],
    ["cancelled", null, "exception"],
    ["return_to_sender", null, "returned"],
  ],
  easypost: [
    ["pre_transit", "label_created", "pending"],
    ["unknown", "unknown", "pending"],
    ["in_transit", "received_at_origin_facility", "accepted"],
    ["in_transit", "arrived_at_facility", "picked_up", "in_transit"],
    ["in_transit", null, "picked_up", "in_transit"],
    ["in_transit", "damaged", "exception"],
    ["in_transit", "lost", "exception"],
    ["in_transit", "held", "exception"],
    ["in_transit", "refused", "exception"],
    ["in_transit", "delivery_exception", "exception"],
    ["out_for_delivery", "out_for_delivery", "out_for_delivery"],
    ["available_for_pickup", "arrived_at_pickup_location", "out_for_delivery"],
    ["delivered", "arrived_at_destination", "delivered"],
    ["failure", "failure", "exception"],
    ["error", null, "exception"],
    ["cancelled", "cancelled", "exception"],
    ["return_to_sender", "return", "returned"],
  ],
  shippo: [
    ["PRE_TRANSIT", "information_received", "pending"],
    ["UNKNOWN", null, "pending"],
    ["TRANSIT", "package_accepted", "accepted"],
    ["TRANSIT", "package_arrived", "picked_up", "in_transit"],
    ["TRANSIT", "out_for_delivery", "out_for_delivery"],
    ["TRANSIT", "pickup_available", "out_for_delivery"],
    ["DELIVERED", "delivered", "delivered"],
    ["RETURNED", "return_to_sender", "returned"],
    ["FAILURE", "package_lost", "exception"],
  ],
  shipengine: [
    ["NY", null, "pending"],
    ["UN", null, "pending"],
    ["AC", "COLLECTION_MADE", "accepted"],
    ["IT", "IN_TRANSIT", "in_transit"],
    ["IT", "OUT_FOR_DELIVERY", "out_for_delivery"],
    ["IT", "AWAITING_COLLECTION_FROM_PICKUP_POINT", "out_for_delivery"],
    ["DE", null, "delivered"],
    ["SP", "DELIVERED_TO_LOCKER_COLLECTION_POINT", "delivered"],
    ["EX", "HELD_BY_CUSTOMS", "exception"],
    ["EX", "RETURN_TO_SENDER", "returned"],
    ["AT", "ATTEMPTED_DELIVERY", "exception"],
  ],
};

test.each(speakers.map((speaker) => [speaker]))("parses every documented status of %s", (speaker) => {
  for (const [status, detail, first, later = first] of documented[speaker]) {
    expect([status, detail, meaningOf(speaker, { status, detail }, false)]).toEqual([status, detail, first]);
    const loud = { status: ` ${status.toUpperCase().replaceAll("_", "-")} `, detail: detail?.toUpperCase() ?? null };
    expect([status, detail, meaningOf(speaker, loud, true)]).toEqual([status, detail, later]);
  }
});

test("a parcel in transit that needs action is an exception, one that was delivered is not", () => {
  const asks = (status: string) => meaningOf("shippo", { status, detail: "package_held", action_required: true }, true);
  expect(["TRANSIT", "DELIVERED", "RETURNED", "PRE_TRANSIT"].map(asks)).toEqual([
    ...(["exception", "delivered", "returned", "pending"] as const),
  ]);
});

test("only the first scan counts as the pickup", () => {
  const told = ["pre_transit", "in_transit", "in_transit", "out_for_delivery", "delivered"];
  const read = (speaker: CarrierVocabulary) =>
    meaningsOf(
      speaker,
      told.map((status) => ({ status, detail: null })),
    );
  expect(read("easypost")).toEqual(["pending", "picked_up", "in_transit", "out_for_delivery", "delivered"]);
  const accepted = [
    { status: "TRANSIT", detail: "package_accepted" },
    { status: "TRANSIT", detail: "package_departed" },
  ];
  expect(meaningsOf("shippo", accepted)).toEqual(["accepted", "in_transit"]);
});

test("never throws: an unknown status is pending before the first scan and in_transit after it", () => {
  const word = fc.oneof(fc.string(), fc.constantFrom("constructor", "__proto__", "toString", ""));
  fc.assert(
    fc.property(fc.constantFrom(...speakers), word, word, (speaker, status, detail) => {
      expect(meaningOf(speaker, { status: `${status}?`, detail }, false)).toBe("pending");
      expect(meaningOf(speaker, { status: `${status}?`, detail }, true)).toBe("in_transit");
      expect(trackingEventStatuses).toContain(meaningOf(speaker, { status, detail }, true));
      expect(trackingEventStatuses).toContain(meaningOf(speaker, { status: "it", detail }, false));
    }),
  );
  expect(meaningOf("karrio", { status: null, detail: null }, false)).toBe("pending");
});
