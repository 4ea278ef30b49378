import { describe, expect, test } from "bun:test";
import { detailsOf } from "../../../../../src/dashboard/web/screens/reports/billing_details.ts";
import { billingTexts } from "../../../../../src/dashboard/web/text/billing.ts";

type Event = Parameters<typeof detailsOf>[0];

const names = {
  service: (carrier: string, service: string | null) => (carrier === "local" ? `Local carrier, ${service}` : carrier),
  record: (id: string) => (id === "usr_7" ? "Robin" : null),
};

const order = { type: "order", id: "ord_7", line: null, revision: 1 } as const;
const movement = { type: "movement", id: "mov_7", line: null, revision: null } as const;

describe("the details of a billed act", () => {
  const rows: readonly (readonly [string, Event, string])[] = [
    [
      "a receipt",
      {
        source: movement,
        attributes: {
          announced: false,
          reference: null,
          skus: 1,
          lots: 0,
          cartons: 3,
          pallets: 1,
          outside_working_hours: null,
        },
      },
      "unannounced · 1 SKU · 3 cartons · 1 pallet",
    ],
    [
      "a receipt of a holiday",
      { source: movement, attributes: { announced: true, skus: 2, lots: 1, outside_working_hours: true } },
      "announced · 2 SKUs · 1 lot · outside working hours",
    ],
    [
      "a pick, whose order stands beside it",
      {
        source: order,
        attributes: {
          ...{ order_id: "ord_7", sku: "TEA", skus_of_order: 1, first_of_order: true, confirmed: true },
          ...{ unit_weight: "250", weight_unit: "g" },
        },
      },
      "TEA · order of 1 SKU · first of the order · 250 g each",
    ],
    [
      "a pick of a set",
      { source: order, attributes: { sku: "SET", sets: 2, components: [{ sku: "CUP", in_set: 2, quantity: 4 }] } },
      "SET · 2 sets · 4 × CUP",
    ],
    ["a parcel", { source: order, attributes: { order_id: "ord_7", parcels: 2, skus: 3 } }, "2 parcels · 3 SKUs"],
    [
      "parcels that were weighed, or not",
      {
        source: order,
        attributes: {
          parcels: 3,
          packages: [
            { name: "Box M", dimensions: null, weight: "1.25", weight_unit: "kg", weight_is: "measured" },
            { name: null, dimensions: null, weight: "500", weight_unit: "g", weight_is: "calculated" },
            { name: null, dimensions: null, weight: null, weight_unit: null, weight_is: null },
          ],
        },
      },
      "3 parcels · Box M 1.25 kg measured, 500 g calculated",
    ],
    [
      "a label",
      {
        source: { type: "label", id: "lbl_7", line: null, revision: null },
        attributes: {
          ...{ order_id: "ord_7", shipment_id: "shp_7", return_id: null, account_id: null, carrier: "local" },
          ...{ service: "ground", zone: "3", billable_weight: 70, package: { weight: "31450" }, cost: 69.5 },
          currency: "USD",
        },
      },
      "Local carrier, ground · zone 3 · billed as 70 lb · $69.50 · order: ord_7",
    ],
    [
      "an inspection",
      {
        source: { type: "return", id: "ret_7", line: null, revision: 1 },
        attributes: {
          skus: 1,
          findings: [{ sku: "TEA", quantity: 2, condition: "missing_parts", disposition: "quarantine" }],
        },
      },
      "1 SKU · 2 × TEA missing parts, quarantine",
    ],
    [
      "what nobody has a word for",
      { source: order, attributes: { wrapped_as: { gift: 1 } } },
      'wrapped as: {"gift":1}',
    ],
  ];
  for (const [what, event, told] of rows) {
    test(`include ${what}`, () => {
      expect(detailsOf(event, names)).toBe(told);
    });
  }

  test("names bins and people if they are known", () => {
    const moved = { source: movement, attributes: { sku: "TEA", from_bin: "A-1", to_bin: "B-2", reason: null } };
    expect(detailsOf(moved, names)).toBe("TEA · from: A-1 · to: B-2");
    const project = {
      source: { type: "billable_event", id: "bev_7", line: null, revision: null },
      attributes: { description: "Photographs", approved_by: "Bo", told_by: "usr_7" },
    } as const;
    expect(detailsOf(project, names)).toBe("Photographs · approved by Bo · recorded by: Robin");
  });
});

test("quantities are singular or plural, even if they are negative", () => {
  const { unit, label, minute } = billingTexts.units;
  expect([unit(1), unit(2), unit(-1), unit(-2)]).toEqual(["1 unit", "2 units", "-1 unit", "-2 units"]);
  expect([label(1), minute(1)]).toEqual(["1 label", "1 min"]);
});
