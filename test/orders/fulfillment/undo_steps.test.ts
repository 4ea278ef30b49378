// Picks and packs that are taken back: where the units are then, what is billed, and what the history says.
import { expect, test } from "bun:test";
import { openShop } from "../../build/shop.ts";

const shop = await openShop();
const why = { reason: "mistake" } as const;

const post = (id: string, path: string, body: object = why, query = "") =>
  shop.app.post(`/orders/${id}/${path}${query}`, body);

/** The movements of an order that returned units to the shelf, oldest first. */
const returned = async (id: string) =>
  (await shop.app.get(`/inventory/movements?reference=${id}&reason=unpicked`)).body.data
    .map(({ quantity, from_location, to_location, lot_number }: Record<string, string | number | null>) => {
      const words = [quantity, from_location, ">", to_location, ...(lot_number === null ? [] : [lot_number])];
      return words.join(" ");
    })
    .reverse() as string[];

interface BilledRow {
  readonly id: string;
  readonly act: string;
  readonly quantity: number;
  readonly source: { readonly id: string };
  readonly reversal_of: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What is billed for an order, oldest first. */
async function billed(id: string): Promise<BilledRow[]> {
  const rows: BilledRow[] = (await shop.app.get("/billing/events?limit=100")).body.data;
  return rows.filter(({ source }) => source.id === id).reverse();
}

/** The same as text: act, quantity, `-` for a reversal, and the given attributes. */
const billedText = async (id: string, ...attributes: string[]) =>
  (await billed(id)).map((row) => {
    const more = attributes.map((name) => ` ${name}=${JSON.stringify(row.attributes[name])}`).join("");
    return `${row.act} ${row.quantity}${row.reversal_of === null ? "" : " reversal"}${more}`;
  });

const lastRows = async (id: string, count: number) =>
  (await shop.app.get(`/orders/${id}/history`)).body.data
    .slice(-count)
    .map(
      (row: { event: string; from_status: string; to_status: string; reason: string | null; note: string | null }) =>
        `${row.event} ${row.from_status} > ${row.to_status}: ${row.reason}: ${row.note}`,
    ) as string[];

/** A product with units in each of these bins. */
async function shelved(units: Readonly<Record<string, number>>, lot_number?: string) {
  const goods = await shop.product();
  for (const [bin, quantity] of Object.entries(units)) {
    await shop.app.stock(goods.sku, quantity, { location: "whs_1001", bin, ...(lot_number ? { lot_number } : {}) });
  }
  return goods;
}

test("unpicked units return to the bins they were picked from, and stay reserved", async () => {
  const goods = await shelved({ "U-01": 2, "U-02": 3 });
  const { id } = await shop.order([[goods, 4]]);
  const sku = goods.sku;
  await shop.act(id, "pick", { items: [{ sku, quantity: 1, bin: "U-02" }] });
  await shop.act(id, "pick");
  const order = (await post(id, "unpick", { ...why, items: [{ sku, quantity: 2 }], note: "Too early" })).body.data;
  expect(order).toMatchObject({ status: "processing", line_items: [{ quantity_picked: 2, quantity_reserved: 4 }] });
  expect(order.allowed_actions).toContain("unpick");
  const all = (await post(id, "unpick")).body.data;
  expect(all.line_items).toMatchObject([{ quantity_picked: 0, quantity_reserved: 4 }]);
  expect(all.allowed_actions).not.toContain("unpick");
  expect(all.allowed_actions).toContain("hold");
  const moves = await returned(id);
  const sums: Record<string, number> = {};
  for (const move of moves) {
    const [quantity = "", , , bin = ""] = move.split(" ");
    sums[bin] = (sums[bin] ?? 0) + Number(quantity);
  }
  expect(sums).toEqual({ "U-01": 2, "U-02": 2 });
  const [first] = await lastRows(id, 2);
  expect(first).toMatch(/^unpick processing > processing: mistake: .* of SKU-\d+ to U-0.*\. Too early$/);
  expect(await shop.stockOf(sku)).toMatchObject({ on_hand: 5, reserved: 4, picked: 0, available: 1 });
  await shop.act(id, "ship");
  expect(await shop.stockOf(sku)).toMatchObject({ on_hand: 1, reserved: 0 });
  await shop.expectVerified();
});

test("units keep their lot, and those of a lot that may not be sold lose their reservation", async () => {
  const goods = await shop.product({ units: 2 });
  const { sku } = goods;
  await shop.app.post("/inventory", { sku, quantity: 2, location: "whs_1001", bin: "U-03", lot_number: "L-1" });
  const { id } = await shop.order([[goods, 2]]);
  await shop.act(id, "pick", { items: [{ sku, quantity: 2, lot_number: "L-1", bin: "U-03" }] });
  await post(id, "unpick", { ...why, items: [{ sku, quantity: 1 }] });
  expect(await returned(id)).toEqual([`1 STAGING-${id} > U-03 L-1`]);
  const lots = (await shop.app.get(`/inventory/lots?sku=${sku}`)).body.data;
  await shop.app.create(`/inventory/lots/${lots[0].id}/status`, {
    status: "quarantined",
    reason: "quality",
  });
  const order = (await post(id, "unpick")).body.data;
  expect(order.line_items).toMatchObject([{ quantity_picked: 0, quantity_reserved: 2 }]);
  expect(await shop.stockOf(sku)).toMatchObject({ reserved: 2, available: 0, unavailable: { quarantined: 2 } });
  await shop.expectVerified();
});

test("units go to another bin when theirs takes them no more, and the history says so", async () => {
  const goods = await shelved({ "U-04": 2 });
  const other = await shop.product();
  const { id } = await shop.order([[goods, 2]]);
  await shop.act(id, "pick");
  const zone = { zone_id: "AMBIENT", temperature_zone: "ambient", bins: [{ code: "U-04", capacity: 3 }] };
  expect(
    (await shop.app.patch("/inventory/locations/whs_1001", { location_zones: [zone] })).body.error,
  ).toBeUndefined();
  await shop.app.stock(other.sku, 3, { location: "whs_1001", bin: "U-04" });
  await post(id, "unpick");
  const [move = ""] = await returned(id);
  expect(move).toStartWith(`2 STAGING-${id} > `);
  expect(move).not.toContain("U-04");
  const [row] = await lastRows(id, 1);
  expect(row).toMatch(/2 of SKU-\d+ to \S+ instead of U-04$/);
  await shop.expectVerified();
});

test("picks and packs that are taken back are billed for what is left", async () => {
  const goods = await shelved({ "U-05": 9 });
  const { sku } = goods;
  const { id } = await shop.order([[goods, 5]]);
  await shop.act(id, "pick", { items: [{ sku, quantity: 3 }] });
  await shop.act(id, "pick", { items: [{ sku, quantity: 2 }] });
  await post(id, "unpick", { ...why, items: [{ sku, quantity: 3 }] });
  const picks = ["order.pick 3", "order.pick 2", "order.pick -2 reversal", "order.pick -3 reversal", "order.pick 2"];
  expect((await billedText(id)).sort()).toEqual([...picks].sort());
  const rows = await billed(id);
  const corrected = rows.find(({ attributes }) => "corrects" in attributes);
  expect(corrected?.attributes).toMatchObject({ corrects: rows[0]?.id, first_of_order: true, sku });
  await shop.act(id, "pack");
  const more = [{ sku, quantity: 1 }];
  await post(id, "unpack", { ...why, items: more });
  const packs = (await billedText(id, "parcels")).filter((text) => text.startsWith("order.pack"));
  expect(packs).toEqual(["order.pack 5 parcels=1", "order.pack -5 reversal parcels=1", "order.pack 4 parcels=1"]);
  await post(id, "unpack");
  const sumOf = async (act: string) =>
    (await billed(id)).reduce((sum, row) => sum + (row.act === act ? row.quantity : 0), 0);
  expect([await sumOf("order.pick"), await sumOf("order.pack")]).toEqual([5, 0]);
  await post(id, "unpick");
  expect(await sumOf("order.pick")).toBe(0);
  await shop.expectVerified();
});

test("the oldest pick that stays is the first of the order", async () => {
  const [one, two] = [await shelved({ "U-06": 3 }), await shelved({ "U-07": 3 })];
  const { id } = await shop.order([
    [one, 1],
    [two, 1],
  ]);
  for (const { sku } of [one, two]) await shop.act(id, "pick", { items: [{ sku, quantity: 1 }] });
  await post(id, "unpick", { ...why, items: [{ sku: one.sku, quantity: 1 }] });
  expect(await billedText(id, "sku", "first_of_order")).toEqual([
    `order.pick 1 sku="${one.sku}" first_of_order=true`,
    `order.pick 1 sku="${two.sku}" first_of_order=false`,
    `order.pick -1 reversal sku="${one.sku}" first_of_order=true`,
    `order.pick -1 reversal sku="${two.sku}" first_of_order=false`,
    `order.pick 1 sku="${two.sku}" first_of_order=true`,
  ]);
  await shop.expectVerified();
});

test("sets of a bundle, and single components, are unpicked", async () => {
  const [cup, tea] = [await shelved({ "U-08": 9 }), await shelved({ "U-09": 9 })];
  const kit = await shop.bundle([
    [cup.sku, 2],
    [tea.sku, 1],
  ]);
  const { id } = await shop.order([[kit, 3]]);
  await shop.act(id, "pick", { items: [{ sku: kit.sku, quantity: 1 }] });
  await shop.act(id, "pick");
  const three = await post(id, "unpick", {
    ...why,
    items: [
      { sku: kit.sku, quantity: 3 },
      { sku: tea.sku, quantity: 1 },
    ],
  });
  expect([three.status, three.body.error.code]).toEqual([422, "validation_failed"]);
  await post(id, "unpick", {
    ...why,
    items: [
      { sku: kit.sku, quantity: 1 },
      { sku: tea.sku, quantity: 1 },
    ],
  });
  expect(await shop.stockOf(cup.sku)).toMatchObject({ picked: 4, reserved: 6 });
  expect(await shop.stockOf(tea.sku)).toMatchObject({ picked: 1, reserved: 3 });
  expect(await billedText(id, "sets")).toEqual([
    "order.pick 3 sets=1",
    "order.pick 6 sets=2",
    "order.pick -6 reversal sets=2",
    "order.pick 2 sets=0",
  ]);
  await shop.expectVerified();
});

test("an unpacked order is fulfilled again, with another event", async () => {
  const goods = await shelved({ "U-10": 5 });
  const { id } = await shop.order([[goods, 2]]);
  await shop.app.takeEvents();
  await shop.act(id, "pack");
  const fulfilled = async () => (await shop.app.takeEvents()).filter(({ type }) => type.startsWith("order."));
  const first = await fulfilled();
  expect(first.length).toBe(1);
  const order = (await post(id, "unpack", { reason: "other", note: "Torn box" })).body.data;
  expect(order).toMatchObject({ status: "processing", fulfilled_at: null, fulfillment_status: "unfulfilled" });
  expect(order.line_items).toMatchObject([{ quantity_packed: 0, quantity_picked: 2 }]);
  expect(await lastRows(id, 1)).toEqual([`unpack fulfilled > processing: other: 2 of ${goods.sku}. Torn box`]);
  expect(await shop.app.takeEvents()).toEqual([]);
  await shop.act(id, "pack");
  const again = await fulfilled();
  expect(again).toMatchObject([{ type: "order.fulfilled", data: { id, status: "fulfilled" } }]);
  const idOf = (events: readonly object[]) => Object(events[0]).id as string;
  expect(idOf(again)).toStartWith("evt_");
  expect(idOf(again)).not.toBe(idOf(first));
  await shop.expectVerified();
});

test("labels are voided first; parcels without labels are given up or lose their units", async () => {
  const goods = await shelved({ "U-11": 9 });
  const { sku } = goods;
  const { id } = await shop.order([[goods, 4]]);
  await shop.act(id, "pack", {
    packages: [
      { items: [{ sku, quantity: 1 }], name: "S" },
      { items: [{ sku, quantity: 2 }], name: "M" },
    ],
  });
  const { label_id } = await shop.label(id);
  await shop.act(id, "pack");
  const refused = await post(id, "unpack");
  expect([refused.status, refused.body.error.code, refused.body.error.label_ids]).toEqual([
    409,
    "labels_not_voided",
    [label_id],
  ]);
  expect(refused.body.error.message).toContain(label_id);
  // The units of parcels without labels can go.
  await post(id, "unpack", { ...why, items: [{ sku, quantity: 1 }] });
  const less = await shop.get(id);
  expect(
    less.shipments.map(({ status, items }: { status: string; items: { quantity: number }[] }) => [
      status,
      items[0]?.quantity,
    ]),
  ).toEqual([
    ["pending", 1],
    ["pending", 1],
    ["pending", 1],
  ]);
  await shop.app.create(`/shipping/labels/${label_id}/void`, {});
  const order = (await post(id, "unpack")).body.data;
  expect(order.shipments.map(({ status }: { status: string }) => status)).toEqual(["voided", "voided", "voided"]);
  expect(order.line_items[0].quantity_packed).toBe(0);
  await shop.expectVerified();
});

test("a parcel is reopened", async () => {
  const goods = await shelved({ "U-12": 9 });
  const { sku } = goods;
  const { id } = await shop.order([[goods, 3]]);
  const packed = await shop.act(id, "pack", {
    packages: [
      { items: [{ sku, quantity: 1 }], name: "S", weight: 1 },
      { items: [{ sku, quantity: 2 }], name: "M", weight: 2 },
    ],
  });
  const [small, large] = packed.shipments;
  const dry = await post(id, `shipments/${large.id}/reopen`, why, "?dry_run=true");
  expect([dry.status, dry.body.data.status, (await shop.get(id)).status]).toEqual([200, "processing", "fulfilled"]);
  const stale = await shop.app.call("POST", `/orders/${id}/shipments/${large.id}/reopen`, why, {
    headers: { "if-match": '"1"' },
  });
  expect(stale.status).toBe(412);
  const order = (await post(id, `shipments/${large.id}/reopen`)).body.data;
  expect(order).toMatchObject({ status: "processing", line_items: [{ quantity_packed: 1, quantity_picked: 3 }] });
  expect(order.shipments.map(({ status }: { status: string }) => status)).toEqual(["pending", "voided"]);
  expect(await lastRows(id, 2)).toEqual([
    `reopen fulfilled > fulfilled: mistake: ${large.id}`,
    `unpack fulfilled > processing: mistake: 2 of ${sku}`,
  ]);
  const [, , , left] = await billed(id).then((rows) => rows.filter(({ act }) => act === "order.pack"));
  expect(left).toBeUndefined();
  const kept = (await billed(id)).findLast(({ act }) => act === "order.pack");
  expect(kept).toMatchObject({ quantity: 1, attributes: { parcels: 1, packages: [{ name: "S", weight: "1" }] } });
  const again = await post(id, `shipments/${large.id}/reopen`);
  expect([again.status, again.body.error.message]).toEqual([
    409,
    "Cannot reopen while processing: that parcel is voided.",
  ]);
  await shop.act(id, "ship", { shipment_id: small.id });
  expect((await post(id, `shipments/${small.id}/reopen`)).status).toBe(409);
  expect((await post(id, "shipments/shp_99/reopen")).status).toBe(404);
  await shop.expectVerified();
});

test("a reason is needed, and a note for other reasons", async () => {
  const goods = await shelved({ "U-13": 5 });
  const { id } = await shop.order([[goods, 2]]);
  await shop.act(id, "pack");
  for (const [body, field] of [
    [{}, "reason"],
    [{ reason: "other" }, "note"],
    [{ reason: "bored" }, "reason"],
  ] as const) {
    const { status, body: answer } = await post(id, "unpack", body);
    expect([status, JSON.stringify(answer.error)]).toEqual([422, expect.stringContaining(`"${field}"`)]);
  }
  await shop.expectVerified();
});
