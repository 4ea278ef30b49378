import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { Call } from "../../src/http/call.ts";
import type { Expansion } from "../../src/http/expansion.ts";
import { fieldParameters, shownFields } from "../../src/http/response_fields.ts";
import type { Db } from "../../src/storage/database.ts";

const db = {} as Db;
const OrderView = Type.Object({ id: Type.String(), number: Type.String() });
const LabelView = Type.Object({ label_id: Type.String(), status: Type.String() });
const view = Type.Object({
  id: Type.String(),
  order_id: Type.Union([Type.String(), Type.Null()]),
  label_id: Type.String(),
  label: Type.Object({ printed: Type.Boolean() }),
  metadata: Type.Object({}, { additionalProperties: true }),
  rows: Type.Array(
    Type.Object({ sku: Type.String(), lot: Type.Union([Type.Null(), Type.Object({ on: Type.String() })]) }),
  ),
});

/** A caller whose expansions record the ids that they read. Order 9 belongs to someone else. */
function caller() {
  const read: Record<string, (readonly number[])[]> = { order: [], label: [] };
  const expansion = (name: "order" | "label", shown: (id: number) => object): [typeof name, Expansion] => [
    name,
    {
      name,
      needs: "any",
      view: name === "order" ? OrderView : LabelView,
      read: async (_, ids) => {
        read[name]?.push(ids);
        return ids.filter((id) => id !== 9).map(shown);
      },
    },
  ];
  const expansions = new Map([
    expansion("order", (id) => ({ id: `ord_${id}`, number: `N-${id}` })),
    expansion("label", (id) => ({ label_id: `lbl_${id}`, status: "completed" })),
  ]);
  const call = { expansions, granted: { permissions: new Set() }, merchant_id: null } as unknown as Call;
  return { call, read };
}

const row = (id: number, order: number | null, label = 1) => ({
  id: `x_${id}`,
  order_id: order === null ? null : `ord_${order}`,
  label_id: `lbl_${label}`,
  label: { printed: true },
  metadata: { mine: { deep: 1 } },
  rows: [{ sku: "A", lot: { on: "1" } }],
});

test("each kind of record is read once for a page, by distinct ids", async () => {
  const { call, read } = caller();
  const rows = [row(1, 5), row(2, 6), row(3, 5), row(4, null), row(5, 9)];
  const shown = await shownFields(call, view, { expand: ["order", "label", "order"] })?.(rows, db);
  expect(read).toEqual({ order: [[5, 6, 9]], label: [[1]] });
  const orders = [5, 6, 5].map((id) => ({ id: `ord_${id}`, number: `N-${id}` }));
  // What the view says about the label by itself stays.
  const label = { printed: true, label_id: "lbl_1", status: "completed" };
  expect(shown).toEqual(rows.map((one, at) => ({ ...one, order: orders[at] ?? null, label })));
});

test("nothing is read when no record is named", async () => {
  const { call, read } = caller();
  const shown = await shownFields(call, view, { expand: ["order"] })?.([row(1, null)], db);
  expect(shown).toEqual([{ ...row(1, null), order: null }]);
  expect(read["order"]).toEqual([]);
});

test.each([
  [["id"], { id: "x_1" }],
  [["rows.lot.on", "id"], { id: "x_1", rows: [{ lot: { on: "1" } }] }],
  [["rows.sku", "rows"], { rows: [{ sku: "A", lot: { on: "1" } }] }],
  [["metadata.mine.deep"], { metadata: { mine: { deep: 1 } } }],
  [["metadata.yours"], { metadata: {} }],
  [["order.number", "label.printed"], { label: { printed: true }, order: { number: "N-5" } }],
])("fields %j", async (fields, expected) => {
  const show = shownFields(caller().call, view, { fields, expand: ["order", "label"] });
  expect(await show?.([row(1, 5)], db)).toEqual([expected]);
});

test.each([["order"], ["rows.lot.at"], ["id.x"], ["rows.sku.x"], ["constructor"], ["__proto__"], ["rows.length"]])(
  "refuses the unknown field %s",
  (field) => {
    expect(() => shownFields(caller().call, view, { fields: ["id", field] })).toThrow("fields ");
  },
);

test("the parameters of a route come from its view", () => {
  expect(Object.keys(fieldParameters(view))).toEqual(["fields", "expand"]);
  expect(Object.keys(fieldParameters(OrderView))).toEqual(["fields"]);
  expect(shownFields(caller().call, view, {})).toBeNull();
});
