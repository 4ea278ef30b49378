import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Fault } from "../../src/core/faults.ts";
import {
  amountOf,
  estimatedCompletion,
  planRefund,
  type RefundRequest,
  type RefundTerms,
  refundStatusOf,
} from "../../src/returns/refund_return.ts";
import type { RefundStatus } from "../../src/returns/return.transitions.ts";
import type { ReturnRefund } from "../../src/returns/return.ts";

const terms: RefundTerms = {
  currency: "USD",
  accepted_cents: 5000,
  shipping_cents: 700,
  agreed_cents: null,
  refund_shipping: false,
  restocking_fee_cents: 0,
};
const nothing: RefundRequest = { amount_cents: null, refund_shipping: null, restocking_fee_cents: null };

function refundOf(plan: ReturnType<typeof planRefund>, status: RefundStatus = "processing"): ReturnRefund {
  return {
    id: 1,
    return_id: 1,
    amount_cents: amountOf(plan),
    currency: "USD",
    breakdown: plan,
    method: "manual",
    status,
    notes: null,
    estimated_completion: "2026-01-01",
    created_at: 0,
    updated_at: 0,
  };
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    const { code, facts } = error as Fault;
    return `${code} ${facts["refundable"]}`;
  }
  return "none";
}

describe("a refund", () => {
  test.each([
    ["all that was accepted", {}, {}, [5000, 0, 0]],
    ["with the order's shipping", { refund_shipping: true }, {}, [5000, 700, 0]],
    ["with the shipping asked for now", {}, { refund_shipping: true }, [5000, 700, 0]],
    ["less the fee", { restocking_fee_cents: 500 }, {}, [5000, 0, 500]],
    ["less another fee than the return's", { restocking_fee_cents: 500 }, { restocking_fee_cents: 0 }, [5000, 0, 0]],
    ["nothing, when the fee is higher", { restocking_fee_cents: 9000 }, {}, [5000, 0, 5000]],
    ["what was agreed", { agreed_cents: 4000 }, {}, [4000, 0, 0]],
    ["what was agreed, with the fee beside it", { agreed_cents: 4000, restocking_fee_cents: 300 }, {}, [4300, 0, 300]],
    ["all as agreed, whatever the fee", { agreed_cents: 5000, restocking_fee_cents: 300 }, {}, [5000, 0, 0]],
    ["a part", {}, { amount_cents: 1 }, [1, 0, 0]],
    ["a part and the fee", {}, { amount_cents: 4500, restocking_fee_cents: 500 }, [5000, 0, 500]],
  ] as const)("is %s", (_name, said, wish, [items_cents, shipping_cents, restocking_fee_cents]) => {
    const plan = planRefund({ ...terms, ...said }, [], { ...nothing, ...wish });
    expect(plan).toEqual({ items_cents, shipping_cents, restocking_fee_cents });
  });

  test.each([
    ["the goods", {}, { amount_cents: 5001 }, 50],
    ["the goods and the shipping", { refund_shipping: true }, { amount_cents: 5701 }, 57],
    ["the goods, though more was agreed", { agreed_cents: 5001 }, {}, 50],
    ["the goods less a fee", {}, { amount_cents: 4501, restocking_fee_cents: 500 }, 45],
  ])("is not more than %s", (_name, said, wish, refundable) => {
    const work = () => planRefund({ ...terms, ...said }, [], { ...nothing, ...wish });
    expect(refusal(work)).toBe(`refund_exceeds_amount ${refundable}`);
  });

  test("leaves the rest to the next, which charges no fee twice; a failed one leaves everything", () => {
    const said = { ...terms, restocking_fee_cents: 500, refund_shipping: true };
    const first = refundOf(planRefund(said, [], { ...nothing, amount_cents: 1000 }));
    expect(first.breakdown).toEqual({ items_cents: 1500, shipping_cents: 0, restocking_fee_cents: 500 });
    const second = refundOf(planRefund(said, [first], nothing));
    expect(second.breakdown).toEqual({ items_cents: 3500, shipping_cents: 700, restocking_fee_cents: 0 });
    expect(refusal(() => planRefund(said, [first, second], nothing))).toBe("refund_exceeds_amount 0");
    const failed = { ...second, status: "failed" as const };
    expect(planRefund(said, [first, failed], nothing)).toEqual(second.breakdown);
  });

  test("together with the others never exceeds the refundable amount", () => {
    const cents = fc.integer({ min: 0, max: 2000 });
    const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
    const wishes = fc.record({
      amount_cents: option(cents),
      refund_shipping: option(fc.boolean()),
      restocking_fee_cents: option(cents),
      fails: fc.boolean(),
    });
    const said = fc.record({
      currency: fc.constant("USD"),
      accepted_cents: cents,
      shipping_cents: cents,
      agreed_cents: option(cents),
      refund_shipping: fc.boolean(),
      restocking_fee_cents: cents,
    });
    fc.assert(
      fc.property(said, fc.array(wishes, { maxLength: 8 }), (given, asked) => {
        const refunds: ReturnRefund[] = [];
        for (const { fails, ...wish } of asked) {
          try {
            refunds.push(refundOf(planRefund(given, refunds, wish), fails ? "failed" : "refunded"));
          } catch (error) {
            expect((error as Fault).code).toBe("refund_exceeds_amount");
          }
        }
        const stand = refunds.filter(({ status }) => status === "refunded");
        const sum = (count: (refund: ReturnRefund) => number) => stand.reduce((total, one) => total + count(one), 0);
        expect(sum((one) => one.breakdown.items_cents)).toBeLessThanOrEqual(given.accepted_cents);
        expect(sum((one) => one.breakdown.shipping_cents)).toBeLessThanOrEqual(given.shipping_cents);
        for (const { amount_cents, breakdown } of refunds) {
          expect(amount_cents).toBeGreaterThanOrEqual(0);
          expect(Math.min(...Object.values(breakdown))).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe("the refund status of a return", () => {
  const status = (said: Partial<RefundTerms>, ...refunds: readonly [number, RefundStatus][]) => {
    const made: ReturnRefund[] = [];
    for (const [amount_cents, state] of refunds) {
      made.push(refundOf(planRefund({ ...terms, ...said }, made, { ...nothing, amount_cents }), state));
    }
    return refundStatusOf({ ...terms, ...said }, made);
  };

  test.each([
    ["pending", status({})],
    ["processing", status({}, [5000, "processing"])],
    ["processing", status({}, [1000, "refunded"], [1000, "processing"])],
    ["partially_refunded", status({}, [1000, "refunded"])],
    ["partially_refunded", status({ refund_shipping: true }, [5000, "refunded"])],
    ["partially_refunded", status({}, [1000, "refunded"], [4000, "failed"])],
    ["refunded", status({}, [1000, "refunded"], [4000, "refunded"])],
    ["refunded", status({ agreed_cents: 3000 }, [3000, "refunded"])],
    ["refunded", status({ restocking_fee_cents: 500 }, [4500, "refunded"])],
    ["failed", status({}, [1000, "failed"])],
  ] as const)("%s", (expected, found) => {
    expect(found).toBe(expected);
  });
});

test("a refund is expected seven days later, not counting weekends", () => {
  expect(estimatedCompletion(Date.parse("2026-01-02T23:59:59Z"))).toBe("2026-01-13");
  expect(estimatedCompletion(Date.parse("2026-01-03T00:00:00Z"))).toBe("2026-01-13");
  expect(estimatedCompletion(Date.parse("2026-01-05T12:00:00Z"))).toBe("2026-01-14");
});
