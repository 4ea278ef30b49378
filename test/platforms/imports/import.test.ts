import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Fault } from "../../../src/core/faults.ts";
import { retryWait } from "../../../src/core/retry.ts";
import { unreachableStates } from "../../../src/core/transitions.ts";
import {
  addressOf,
  emailOf,
  fitted,
  fittedNotes,
  namesOf,
  numbersFor,
  outcomeOf,
  payloadAfter,
  platformRetries,
  reasonOf,
  seenOf,
  stepOf,
  wantedLines,
} from "../../../src/platforms/imports/import.ts";
import type { PlatformOrder } from "../../../src/platforms/platform.ts";
import {
  connectionTransitions,
  importStatuses,
  importTransitions,
  platformOrderStates,
} from "../../../src/platforms/platforms.transitions.ts";

const line = { external_id: "1", sku: "TEA", variant_id: "v7", name: "Tea", quantity: 2, unit_price_cents: 350 };
const order: PlatformOrder = {
  external_id: "88",
  number: "1001",
  state: "open",
  email: "ida@example.com",
  customer_name: "Ida Holm",
  phone: null,
  address: null,
  lines: [line],
  shipping_method: null,
  shipping_amount_cents: 0,
  currency: "USD",
  notes: null,
  created_at: 1000,
  updated_at: 2000,
};

describe("the step for an order", () => {
  // biome-ignore format: a table is read by its columns.
  test.each([
    // state      here   step      import
    ["open",      false, "create", "import"],
    ["unpaid",    false, "wait",   "wait"],
    ["cancelled", false, "ignore", "ignore"],
    ["done",      false, "ignore", "ignore"],
    ["open",      true,  "change", "import"],
    ["unpaid",    true,  "hold",   "import"],
    ["cancelled", true,  "cancel", "import"],
    ["done",      true,  "note",   "import"],
  ] as const)("%s, here: %p", (state, exists, step, action) => {
    const told = { ...order, state };
    expect(stepOf(told, { external_updated_at: null }, exists, "ignore")).toBe(step);
    expect(stepOf(told, { external_updated_at: told.updated_at }, exists, "ignore")).toBe(step);
    expect(stepOf(told, { external_updated_at: told.updated_at + 1 }, exists, "ignore")).toBe("nothing");
    expect(outcomeOf(told, exists || step === "create", "ignore").action).toBe(action);
  });

  test("an order without items to ship is ignored", () => {
    expect(stepOf({ ...order, lines: [] }, { external_updated_at: null }, false, "ignore")).toBe("ignore");
    expect(outcomeOf(order, false, "ignore")).toMatchObject({ action: "ignore", code: "nothing_to_send" });
  });

  const waits = { status: "queued", external_updated_at: null, seen: null } as const;

  test("the later of two notifications counts; with equal times the second, or the fetched order", () => {
    const [early, late, same] = [order, { ...order, updated_at: 2001 }, { ...order, notes: "same moment" }];
    for (const fetchable of [true, false]) {
      const after = (payload: PlatformOrder | null, told: PlatformOrder | null) =>
        payloadAfter({ ...waits, payload, status: "imported" }, told, fetchable);
      expect([after(early, late), after(late, early), after(null, early)]).toEqual([late, late, early]);
      expect(after(early, { ...early })).toEqual(early);
      expect(after(early, same)).toEqual(fetchable ? null : same);
      expect(after(early, null)).toEqual(fetchable ? null : early);
    }
  });

  test("a difference to an import of the same time is fetched, if possible", () => {
    const before = {
      status: "imported",
      payload: null,
      external_updated_at: order.updated_at,
      seen: seenOf(order),
    } as const;
    const [paid_later, later] = [{ ...order, state: "unpaid" } as const, { ...order, updated_at: 2001 }];
    expect([payloadAfter(before, paid_later, true), payloadAfter(before, paid_later, false)]).toEqual([
      null,
      paid_later,
    ]);
    expect(payloadAfter(before, { ...order }, true)).toEqual(order);
    expect(payloadAfter(before, later, true)).toEqual(later);
  });

  test("an order that waits to be fetched keeps waiting, whatever an older notification says", () => {
    expect(payloadAfter({ ...waits, payload: null }, order, true)).toBeNull();
    expect(payloadAfter({ ...waits, payload: null }, order, false)).toBe(order);
    expect(payloadAfter({ ...waits, payload: null, status: "imported" }, order, true)).toBe(order);
  });

  test("each status of an import is reachable", () => {
    expect(unreachableStates(importTransitions, importStatuses, "queued")).toEqual([]);
    expect(unreachableStates(connectionTransitions, ["active", "paused"], "active")).toEqual([]);
    expect(platformOrderStates.map((state) => outcomeOf({ ...order, state }, true, "ignore").code)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe("retries", () => {
  test("wait 5 seconds, doubled each time up to an hour, and longer if the platform asks", () => {
    expect([1, 2, 3, 10, 11, 60].map((attempts) => retryWait(platformRetries, attempts, null) / 1000)).toEqual([
      ...[5, 10, 20, 2560, 3600, 3600],
    ]);
    expect(retryWait(platformRetries, 1, 90)).toBe(90_000);
    expect(retryWait(platformRetries, 11, 90)).toBe(3_600_000);
    expect(retryWait(platformRetries, 1, 10_000_000)).toBe(24 * 3_600_000);
  });

  test("show the reason, without secrets and internal errors", () => {
    const facts = { permanent: true, retry_after_seconds: 7 };
    const fault = new Fault("platform_error", "The token tok-123 is bad, and so is tok-123.", facts);
    expect(reasonOf(fault, ["tok-123", null])).toEqual({
      code: "platform_error",
      message: "The token … is bad, and so is ….",
      permanent: true,
      retry_after_seconds: 7,
    });
    expect(reasonOf(new Error("at line 3 with tok-123"), [])).toMatchObject({
      code: "internal_error",
      message: "An internal error occurred.",
      permanent: false,
    });
    expect(reasonOf(new Fault("platform_error", "x".repeat(1000)), []).message).toHaveLength(300);
  });
});

describe("fields of a platform are converted", () => {
  test("texts lose invalid characters, and are never cut within a character", () => {
    expect([fitted(" a\u0000b\n ", 10), fitted("  ", 10), fitted(null, 10)]).toEqual(["a b", null, null]);
    expect(fitted("ab😀", 3)).toBe("ab");
    expect(fittedNotes("one\r\n\u0007two\n\n", 100)).toBe("one\ntwo");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const made = fitted(text.toWellFormed(), max);
        expect(made === null || (made.length <= max && made.isWellFormed() && !/\p{Cc}|\ufffd/u.test(made))).toBe(true);
      }),
    );
    // The library's tables of all characters load slowly on a busy machine.
  }, 30_000);

  test("names, and a placeholder for a missing email address", () => {
    expect(namesOf("Ida Maria Holm")).toEqual({ first_name: "Ida Maria", last_name: "Holm" });
    expect(namesOf("Ida")).toEqual({ first_name: "Ida", last_name: null });
    expect(namesOf(null)).toEqual({ first_name: null, last_name: null });
    expect(emailOf("shopify", 7, order)).toBe("ida@example.com");
    for (const email of [null, "", "ida", "a b@example.com", `${"x".repeat(260)}@example.com`, "x@erased.invalid"]) {
      expect(emailOf("shopify", 7, { ...order, email })).toBe("order-7-88@shopify.invalid");
    }
  });

  test("an address keeps its available fields", () => {
    expect(addressOf(order)).toMatchObject({ name: "Ida Holm", address_line1: "", city: "", country: "" });
    const address = {
      name: "I. Holm",
      company: "Tea & Co",
      address_line1: "1 Quay",
      address_line2: null,
      city: "Bremen",
      state: null,
      postal_code: "28195",
      country: "de",
      phone: "1",
    };
    expect(addressOf({ ...order, address })).toMatchObject({ name: "I. Holm", company: "Tea & Co", country: "DE" });
    const nobody = { ...order, customer_name: null, address: { ...address, name: null } };
    expect(addressOf(nobody)).toMatchObject({ name: "Tea & Co", company: null });
    expect(addressOf({ ...order, address: { ...address, country: "Germany" } }).country).toBe("");
  });

  test.each([
    ["TEA", "TEA"],
    [" TEA ", "TEA"],
    [null, "shopify-v7"],
    ["", "shopify-v7"],
    ["..", "shopify-v7"],
    ["lots", "shopify-v7"],
    ["x".repeat(101), "shopify-v7"],
    ["a\u0007b", "shopify-v7"],
  ])("the SKU %p is %s", (sku, expected) => {
    expect(wantedLines("shopify", { ...order, lines: [{ ...line, sku }] })[0]?.sku).toBe(expected);
  });

  test("invalid quantities of lines are refused", () => {
    for (const quantity of [0, 1.5, 1_000_001, Number.NaN]) {
      expect(() => wantedLines("shopify", { ...order, lines: [{ ...line, quantity }] })).toThrow(Fault);
    }
  });

  test("order numbers, the plainest first, none of them like an id", () => {
    expect(numbersFor("T-", order).slice(0, 3)).toEqual(["T-1001", "T-1001-2", "T-1001-3"]);
    expect(numbersFor("", order)).toHaveLength(11);
    expect(numbersFor("", order).at(-1)).toBe("1001-88");
    expect(numbersFor("", { ...order, number: "ord_12" })[0]).toBe("ord_12-2");
    expect(numbersFor("", { ...order, number: "" })[0]).toBe("88");
    const long = numbersFor("x".repeat(20), { ...order, number: "9".repeat(100), external_id: "7".repeat(60) });
    expect(long.length).toBeGreaterThan(0);
    for (const number of long) expect(number.length).toBeLessThanOrEqual(100);
  });

  test("a change at the platform changes the digest of its part only", () => {
    const before = seenOf(order);
    const changed = (now: Partial<PlatformOrder>) => {
      const after = seenOf({ ...order, ...now });
      return Object.keys(after).filter(
        (part) => after[part as keyof typeof after] !== before[part as keyof typeof after],
      );
    };
    expect(changed({ updated_at: 9999, email: "other@example.com" })).toEqual([]);
    expect(changed({ staff_notes: "x" })).toEqual(["staff_notes"]);
    expect(changed({ attributes: { gift: "x" } })).toEqual(["attributes"]);
    // The buyer's name and phone number complete an address without its own.
    expect(changed({ customer_name: "Other" })).toEqual(["address"]);
    expect(changed({ state: "unpaid" })).toEqual(["state"]);
    expect(changed({ notes: "x" })).toEqual(["notes"]);
    expect(changed({ lines: [{ ...line, quantity: 3 }] })).toEqual(["lines"]);
    expect(changed({ lines: [{ ...line, name: "Green tea" }] })).toEqual([]);
    expect(changed({ lines: [{ ...line, total_cents: 699 }] })).toEqual(["lines"]);
    // An older release read the price after discounts: an equal price is not a change.
    expect(changed({ lines: [{ ...line, unit_price_cents: 400, total_cents: 700 }] })).toEqual([]);
    expect(changed({ address: addressLike })).toEqual(["address"]);
  });
});

const addressLike = {
  name: null,
  company: null,
  address_line1: "1",
  address_line2: null,
  city: null,
  state: null,
  postal_code: null,
  country: null,
  phone: null,
};
