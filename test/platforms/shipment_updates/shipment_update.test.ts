import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { unreachableStates } from "../../../src/core/transitions.ts";
import type { Shipment } from "../../../src/orders/fulfillment/shipment.ts";
import type { Order } from "../../../src/orders/order.ts";
import { shipmentUpdateStatuses, shipmentUpdateTransitions } from "../../../src/platforms/platforms.transitions.ts";
import {
  allocateToLines,
  giveUpUpdateAt,
  reportProblem,
} from "../../../src/platforms/shipment_updates/shipment_update.ts";
import { tries } from "../../volume.ts";

/** An order with lines of these SKUs, numbered from 1, and a parcel with these units of each. */
function packed(skus: readonly string[], units: readonly number[]) {
  const lines = skus.map((sku, at) => ({ id: at + 1, sku }));
  const shipped = units.flatMap((quantity, at) => (quantity === 0 ? [] : [{ order_line_id: at + 1, quantity }]));
  return [{ lines } as unknown as Order, { lines: shipped } as unknown as Shipment] as const;
}
const reported = (...lines: { external_id: string; quantity: number }[]) => ({ lines, status: "reported" as const });

describe("works", () => {
  test("units go to the lines of their SKU, up to each line's unreported units", () => {
    const ordered = [
      { external_id: "a", sku: "MUG", quantity: 2 },
      { external_id: "b", sku: "PEN", quantity: 9 },
      { external_id: "c", sku: "MUG", quantity: 5 },
    ];
    const [order, shipment] = packed(["MUG", "PEN", "CUP"], [4, 1, 2]);
    expect(allocateToLines(order, shipment, ordered, [])).toEqual([
      { external_id: "a", quantity: 2 },
      { external_id: "c", quantity: 2 },
      { external_id: "b", quantity: 1 },
    ]);
    expect(allocateToLines(order, shipment, ordered, [reported({ external_id: "a", quantity: 2 })])).toEqual([
      { external_id: "c", quantity: 4 },
      { external_id: "b", quantity: 1 },
    ]);
    expect(allocateToLines(order, shipment, ordered, [reported({ external_id: "c", quantity: 9 })])).toEqual([
      { external_id: "a", quantity: 2 },
      { external_id: "b", quantity: 1 },
    ]);
  });

  test("for any parcels, no line gets more than it ordered and no unit is reported twice", () => {
    const skus = fc.constantFrom("MUG", "PEN", "CUP");
    const line = fc.record({ sku: skus, quantity: fc.integer({ min: 1, max: 9 }) });
    const parcel = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), fc.array(parcel, { maxLength: 4 }), (lines, parcels) => {
        const ordered = lines.map((one, at) => ({ ...one, external_id: String(at) }));
        const told: ReturnType<typeof reported>[] = [];
        for (const units of parcels)
          told.push(reported(...allocateToLines(...packed(["MUG", "PEN", "CUP"], units), ordered, told)));
        const all = told.flatMap((one) => one.lines);
        const sumOf = (some: readonly { quantity: number }[]) => some.reduce((sum, { quantity }) => sum + quantity, 0);
        for (const { external_id, quantity } of ordered) {
          expect(sumOf(all.filter((one) => one.external_id === external_id))).toBeLessThanOrEqual(quantity);
        }
        for (const [at, sku] of ["MUG", "PEN", "CUP"].entries()) {
          const ids = ordered.filter((one) => one.sku === sku);
          const left = parcels.reduce((sum, units) => sum + (units[at] ?? 0), 0);
          const dealt = sumOf(all.filter(({ external_id }) => ids.some((one) => one.external_id === external_id)));
          expect(dealt).toBe(Math.min(left, sumOf(ids)));
        }
        expect(all.every(({ quantity }) => quantity > 0)).toBe(true);
      }),
      tries(200),
    );
  });

  test("an obstacle to a report has a message", () => {
    const [, shipment] = packed(["MUG"], [2]);
    const [, carton] = packed(["MUG"], [0]);
    const [dealt, able] = [[{ external_id: "a", quantity: 2 }], { api_token: "sealed", client_id: null }];
    expect([reportProblem(shipment, dealt, able), reportProblem(shipment, dealt, null)]).toEqual([null, null]);
    expect(reportProblem(shipment, dealt, { api_token: null, client_id: null })?.error_code).toBe("no_api_token");
    expect(reportProblem(shipment, [], able)?.error_code).toBe("not_ordered");
    expect(reportProblem(carton, [], able)?.error_code).toBe("no_units");
  });

  test("every status is reachable, and a report is given up after five days", () => {
    expect(unreachableStates(shipmentUpdateTransitions, shipmentUpdateStatuses, "queued")).toEqual([]);
    expect(giveUpUpdateAt(0)).toBe(432_000_000);
  });
});
