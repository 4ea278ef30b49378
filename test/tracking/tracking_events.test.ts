import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type TrackingEventStatus,
  trackingEventStatuses,
  trackingStatuses,
} from "../../src/shipping/carriers/tracking.transitions.ts";
import {
  afterEvent,
  beforeEvents,
  duplicateHash,
  newFacts,
  standingAfter,
  type TrackingFact,
  type TrackingStanding,
} from "../../src/tracking/tracking_events.ts";

const fact = (status: TrackingEventStatus, occurred_at: number, event_hash = "a"): TrackingFact => ({
  status,
  occurred_at,
  event_hash,
});

const facts = fc.array(
  fc.record({
    status: fc.constantFrom(...trackingEventStatuses),
    occurred_at: fc.integer({ min: 0, max: 6 }),
    event_hash: fc.constantFrom("a", "b", "c"),
  }),
  { maxLength: 12 },
);

describe("afterEvent", () => {
  test("plays the usual course of a parcel, and emits each change once", () => {
    const way: [TrackingEventStatus, string, string[], string | null][] = [
      ["pending", "pending", [], null],
      ["accepted", "picked_up", ["shipment.tracking_updated"], "ship"],
      ["picked_up", "picked_up", [], "ship"],
      ["in_transit", "in_transit", ["shipment.tracking_updated", "shipment.in_transit"], "ship"],
      ["in_transit", "in_transit", [], "ship"],
      ["exception", "exception", ["shipment.tracking_updated", "shipment.exception"], null],
      ["in_transit", "in_transit", ["shipment.tracking_updated", "shipment.in_transit"], "ship"],
      ["out_for_delivery", "out_for_delivery", ["shipment.tracking_updated"], "ship"],
      ["delivered", "delivered", ["shipment.tracking_updated", "shipment.delivered"], "deliver"],
      ["returned", "returned", ["shipment.tracking_updated"], "ship"],
    ];
    let standing: TrackingStanding = beforeEvents;
    way.forEach(([status, shows, emits, order_act], index) => {
      const step = afterEvent(standing, fact(status, index));
      expect([step.standing.status, step.emits, step.order_act, step.decides]).toEqual([
        shows,
        emits,
        order_act,
        true,
      ] as never);
      standing = step.standing;
    });
  });

  test("lets a late old event change and emit nothing", () => {
    const standing = standingAfter([fact("out_for_delivery", 10)]);
    const step = afterEvent(standing, fact("in_transit", 9));
    expect(step).toEqual({ standing, decides: false, changed: false, emits: [], order_act: "ship" });
  });

  test("ranks two events with the same time", () => {
    for (const [low, high] of [
      ["accepted", "picked_up"],
      ["out_for_delivery", "exception"],
      ["exception", "delivered"],
      ["delivered", "returned"],
    ] as const) {
      expect(standingAfter([fact(high, 5), fact(low, 5)]).event_status).toBe(high);
    }
  });

  test("lets only returned change a delivered record", () => {
    const delivered = standingAfter([fact("delivered", 5)]);
    for (const status of trackingEventStatuses) {
      const moved = afterEvent(delivered, fact(status, 99)).changed;
      expect([status, moved]).toEqual([status, status === "returned"]);
    }
  });

  test("lets nothing change a returned record, at any time", () => {
    const returned = standingAfter([fact("returned", 5)]);
    for (const status of trackingEventStatuses) {
      for (const occurred_at of [1, 5, 99]) {
        expect([status, afterEvent(returned, fact(status, occurred_at)).changed]).toEqual([status, false]);
        expect(standingAfter([fact(status, occurred_at), fact("returned", 5)]).status).toBe("returned");
      }
    }
  });

  test("delivers no order once its parcel has been returned", () => {
    const returned = standingAfter([fact("returned", 5)]);
    const acts = [1, 5, 99].map((occurred_at) => afterEvent(returned, fact("delivered", occurred_at)).order_act);
    expect(acts).toEqual(["deliver", null, null]);
  });

  test("keeps a returned record through the scans of the way back", () => {
    expect(standingAfter([fact("returned", 5), fact("in_transit", 6)]).status).toBe("returned");
  });

  test("gives the same record for any order of the same events, and for duplicates", () => {
    fc.assert(
      fc.property(
        facts.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          const standing = standingAfter(events);
          expect(standingAfter(shuffled)).toEqual(standing);
          for (const event of events) expect(afterEvent(standing, event).emits).toEqual([]);
        },
      ),
    );
  });

  test("emits exactly when the status changes, and never leaves the known statuses", () => {
    fc.assert(
      fc.property(facts, (events) => {
        let standing: TrackingStanding = beforeEvents;
        for (const event of events) {
          const step = afterEvent(standing, event);
          expect(trackingStatuses).toContain(step.standing.status);
          expect(step.changed).toBe(step.standing.status !== standing.status);
          expect(step.emits.includes("shipment.tracking_updated")).toBe(step.changed);
          standing = step.standing;
        }
      }),
    );
  });
});

describe("duplicateHash", () => {
  const event = {
    tracking_number: "WH000000000001Q",
    status: "in_transit",
    occurred_at: 1_700_000_000_000,
    location: { city: "Reno", state: "NV", country: "US", facility: null },
    message: "Departed",
  } as const;

  test("is equal for equal reports, in any order of the fields", () => {
    const { message, ...rest } = event;
    expect(
      duplicateHash({ message, ...rest, location: { facility: null, country: "US", state: "NV", city: "Reno" } }),
    ).toBe(duplicateHash(event));
    expect(duplicateHash(event)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("differs for any different fact", () => {
    const others = [
      { ...event, tracking_number: "WH000000000002P" },
      { ...event, status: "delivered" as const },
      { ...event, occurred_at: event.occurred_at + 1 },
      { ...event, location: null },
      { ...event, location: { ...event.location, city: "Elko" } },
      { ...event, message: null },
    ];
    expect(new Set([event, ...others].map(duplicateHash)).size).toBe(others.length + 1);
  });
});

describe("newFacts", () => {
  const told = (due: number | null, reported_at: number | null, at: readonly number[] = []) => ({
    carrier: null,
    service: null,
    estimated_delivery: due,
    reported_at,
    events: at.map((occurred_at) => ({ occurred_at })),
  });
  type Known = Parameters<typeof newFacts>[0];
  const unknown: Known = { carrier: "unknown", service_type: null, estimated_delivery: 40, estimated_at: null };

  test("uses the newest delivery estimate, whichever arrives first", () => {
    const telling = fc.record({
      due: fc.option(fc.integer({ min: 1, max: 9 })),
      at: fc.option(fc.integer({ min: 1, max: 5 })),
      scans: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
    });
    const after = (tellings: readonly { due: number | null; at: number | null; scans: number[] }[]) =>
      tellings.reduce<Known>(
        (known, one) => ({ ...known, ...newFacts(known, told(one.due, one.at, one.scans), 0) }),
        unknown,
      );
    fc.assert(
      fc.property(
        fc
          .array(telling, { maxLength: 6 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(after(shuffled)).toEqual(after(all));
          const dated = all.filter(({ due }) => due !== null);
          const moment = (one: (typeof all)[number]) => one.at ?? Math.max(...one.scans);
          const newest = Math.max(...dated.map(moment));
          const days = dated.filter((one) => moment(one) === newest).map(({ due }) => due ?? 0);
          expect(after(all).estimated_delivery).toBe(dated.length === 0 ? 40 : Math.max(...days));
        },
      ),
    );
  });

  test("sets carrier and service if they are unknown", () => {
    const said = { ...told(null, null), carrier: "ups", service: "ground" };
    expect(newFacts(unknown, said, 0)).toEqual({ carrier: "ups", service_type: "ground" });
    expect(newFacts({ ...unknown, carrier: "dhl", service_type: "express" }, said, 0)).toBeNull();
  });
});
