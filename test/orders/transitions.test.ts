// The grid: every action in every situation of an order, over HTTP. Legal ones show their history rows,
// events and effects on stock; others are refused, list the alternatives, and change nothing.
import { expect, test } from "bun:test";
import { systemActor } from "../../src/core/actor.ts";
import { readId } from "../../src/core/ids.ts";
import { addressDefaults } from "../../src/customers/customer.ts";
import { keepAddress } from "../../src/customers/customers.ts";
import { updateImported } from "../../src/orders/changes/change_order.ts";
import { settleGoods } from "../../src/orders/changes/holds.ts";
import { type OrderAction, orderTransitions, publicOrderStatuses } from "../../src/orders/order.transitions.ts";
import { lockOrder } from "../../src/orders/orders.sql.ts";
import type { Tx } from "../../src/storage/database.ts";
import { openShop, type Shop } from "../build/shop.ts";

const shop = await openShop();

interface Made {
  readonly id: string;
  readonly sku: string;
}

const parcel = { carrier: "local", service: "standard", package: { weight: 1, weight_unit: "lb" } };
const label = async ({ id }: Made) => (await shop.app.post("/shipping/labels", { order_id: id, ...parcel })).body.data;

const write = (work: (tx: Tx) => Promise<unknown>) => shop.app.service.stores.live.write(work);
const productOf = async (sku: string) => (await shop.app.get(`/products?sku=${sku}`)).body.data[0].id;

/** How an order gets into each situation: five units are in stock, and it wants a number of them. */
const situations: Record<string, { wants: number; way: (made: Made) => Promise<unknown> }> = {
  pending: { wants: 2, way: async () => null },
  "pending, short": { wants: 7, way: async () => null },
  processing: { wants: 2, way: ({ id }) => shop.act(id, "process") },
  "processing, picked": { wants: 2, way: ({ id }) => shop.act(id, "pick") },
  "processing, half packed": {
    wants: 2,
    way: ({ id, sku }) => shop.act(id, "pack", { packages: [{ items: [{ sku, quantity: 1 }] }] }),
  },
  "processing, half shipped": { wants: 7, way: ({ id }) => shop.act(id, "ship", { partial: true }) },
  fulfilled: { wants: 2, way: ({ id }) => shop.act(id, "pack") },
  "fulfilled, labelled": {
    wants: 2,
    way: async (made) => {
      await shop.act(made.id, "pack");
      await label(made);
    },
  },
  shipped: { wants: 2, way: ({ id }) => shop.act(id, "ship") },
  delivered: {
    wants: 2,
    way: async ({ id }) => {
      await shop.act(id, "ship");
      await shop.act(id, "deliver");
    },
  },
  cancelled: { wants: 2, way: ({ id }) => shop.cancel(id) },
  "on hold from pending": { wants: 2, way: ({ id }) => shop.act(id, "hold", { reason: "address" }) },
  "on hold, stock freed": { wants: 2, way: ({ id }) => shop.act(id, "hold", { reserve_inventory: false }) },
  "on hold from processing": {
    wants: 2,
    way: async ({ id }) => {
      await shop.act(id, "process");
      await shop.act(id, "hold", { reason: "address" });
    },
  },
  "on hold, short pick": {
    wants: 5,
    way: ({ id, sku }) => shop.act(id, "pick", { items: [{ sku, quantity: 1, short: true, reason: "lost" }] }),
  },
  "on hold, unknown SKU": {
    wants: 2,
    way: async ({ id, sku }) => {
      await shop.app.patch(`/products/${await productOf(sku)}`, { status: "inactive" });
      await write(async (tx) => settleGoods(tx, await lockOrder(tx, id), systemActor("test")));
    },
  },
  "on hold, bad address": {
    wants: 2,
    way: async ({ id }) => {
      const customer_id = readId("customer", shop.customer.id) ?? 0;
      await write(async (tx) => {
        const address = await keepAddress(tx, customer_id, { ...addressDefaults, name: "Jo Roe", country: "US" });
        const input = { shipping_address_id: address.id };
        await updateImported(tx, readId("order", id) ?? 0, input, systemActor("test"));
      });
    },
  },
  "on hold from cancelled": {
    wants: 2,
    way: async (made) => {
      const { tracking_number } = await label(made);
      await shop.cancel(made.id);
      await shop.app.post(`/tracking/${tracking_number}/events`, { status: "in_transit" });
    },
  },
};

type More = "ship partial" | "update" | "lines" | "label" | "allocate";

/** The actions of the table, and other requests on an order. */
const acts: Record<OrderAction | More, (made: Made) => ReturnType<Shop["cancel"]>> = {
  process: ({ id }) => shop.app.post(`/orders/${id}/process`),
  pick: ({ id }) => shop.app.post(`/orders/${id}/pick`),
  pack: ({ id }) => shop.app.post(`/orders/${id}/pack`),
  unpick: ({ id }) => shop.app.post(`/orders/${id}/unpick`, { reason: "mistake" }),
  unpack: ({ id }) => shop.app.post(`/orders/${id}/unpack`, { reason: "mistake" }),
  ship: ({ id }) => shop.app.post(`/orders/${id}/ship`),
  deliver: ({ id }) => shop.app.post(`/orders/${id}/deliver`),
  hold: ({ id }) => shop.app.post(`/orders/${id}/hold`, { reason: "fraud" }),
  release: ({ id }) => shop.app.post(`/orders/${id}/release`),
  cancel: ({ id }) => shop.cancel(id),
  "ship partial": ({ id }) => shop.app.post(`/orders/${id}/ship`, { partial: true }),
  cancel_items: ({ id, sku }) => shop.app.post(`/orders/${id}/cancel_items`, { items: [{ sku, quantity: 1 }] }),
  split: ({ id, sku }) => shop.app.post(`/orders/${id}/split`, { items: [{ sku, quantity: 1 }] }),
  update: ({ id }) => shop.app.patch(`/orders/${id}`, { shipping_method: "by sea" }),
  lines: ({ id, sku }) => shop.app.patch(`/orders/${id}`, { line_items: [{ sku, quantity: 1, unit_price: "12.50" }] }),
  label: ({ id }) => shop.app.post("/shipping/labels", { order_id: id, ...parcel }),
  allocate: ({ id }) => shop.app.post(`/orders/${id}/allocate`),
};
/** One cell of the grid, after all common checks. */
async function dot(situation: string, action: keyof typeof acts) {
  const { wants, way } = situations[situation] ?? { wants: 0, way: async () => null };
  const product = await shop.product({ units: 5 });
  const { id } = await shop.order([[product, wants]]);
  const made = { id, sku: product.sku };
  await way(made);
  const before = await shop.get(id);
  const rows = await shop.history(id);
  await shop.app.takeEvents();
  const { status, body } = await acts[action](made);
  const after = await shop.get(id);
  const events = (await shop.app.takeEvents()).map(({ type }) => type);
  const added = (await shop.history(id)).slice(rows.length);
  const allowed = before.allowed_actions.includes(action);
  if (status >= 400) {
    expect([situation, action, status, allowed && body.error.code === "invalid_state_transition"]).toEqual([
      situation,
      action,
      409,
      false,
    ]);
    expect([after, events, added]).toEqual([before, [], []]);
    if (body.error.code === "invalid_state_transition") {
      const { status: from, allowed_actions } = before;
      const name = action === "lines" ? "update" : action.replace(" partial", "");
      expect(body.error).toMatchObject({ from, action: name, allowed_actions });
    }
  } else {
    // Releasing without a hold and cancelling again succeed and change nothing.
    const idle = (action === "release" && !before.held_from) || (action === "cancel" && before.cancelled_at !== null);
    if (action in orderTransitions || action === "ship partial") expectPublished(action, before, after);
    const legal = allowed || idle || !(action in orderTransitions);
    expect([situation, action, legal, idle && added.length > 0]).toEqual([situation, action, true, false]);
    expect(after.revision - before.revision).toBe(added.length);
  }
  const { on_hand, reserved, picked, available, unavailable } = (await shop.app.get(`/inventory/${product.sku}`)).body
    .data;
  const stock = `${on_hand} ${reserved} ${picked} ${available} ${unavailable.putback}`;
  const told = status >= 400 ? body.error.code : added.join("; ") || "nothing";
  return {
    cell: status < 400 ? after.status : body.error.code === "insufficient_inventory" ? "short" : ".",
    status: after.status as string,
    line: `${action.padEnd(13)} ${status} ${told} | ${events.join(" ") || "-"} | ${stock}`,
  };
}

interface Standing {
  readonly status: string;
  readonly held_from: string | null;
}

let published: { action: string; from: string[]; to: string | null }[] = [];

/** Each history row must be one of the published transitions of the action. */
function expectPublished(action: string, before: Standing, after: Standing) {
  const [was, is] = [before, after].map(({ status, held_from }) => held_from ?? status);
  const own = published.filter((row) => row.action === action.replace(" partial", ""));
  const way = own.some(({ from, to }) => from.includes(was ?? "") && (to ?? was) === is);
  // Cancelling again changes nothing.
  expect([action, was, is, way || (action === "cancel" && was === "cancelled")]).toEqual([action, was, is, true]);
}

test("every action in every situation", async () => {
  published = (await shop.app.get("/orders/transitions")).body.data;
  const actions = Object.keys(acts) as (keyof typeof acts)[];
  const lines: string[] = [];
  const cells: string[][] = [["", ...actions]];
  const seen = new Set<string>();
  for (const situation of Object.keys(situations)) {
    const row = [situation];
    lines.push(situation);
    for (const action of actions) {
      const { cell, status, line } = await dot(situation, action);
      row.push(cell);
      lines.push(`  ${line}`);
      seen.add(status);
    }
    cells.push(row);
  }
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0))) ?? [];
  const grid = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + 1))
      .join("")
      .trimEnd(),
  );
  console.log(grid.join("\n"));
  expect([...seen].sort()).toEqual([...publicOrderStatuses].sort());
  const printed = `${head}\n${grid.join("\n")}\n${key}\n\n${lines.join("\n")}\n`;
  const kept = new URL("./transitions.txt", import.meta.url);
  // To accept a change, remove the file, run this and read what it writes.
  if (!(await Bun.file(kept).exists())) await Bun.write(kept, printed);
  expect(printed).toBe(await Bun.file(kept).text());
}, 180_000);

const head = `What becomes of an order in each situation, by each action: the status it has then. A dot is a refusal
(invalid_state_transition), "short" one for want of stock.
`;
const key = `
Each dot in full: the HTTP status; the rows of history, or the code of the refusal; the events; and the stock after
it: on hand, reserved, picked, available, to be put back. Five units lie on the shelf at first.`;
