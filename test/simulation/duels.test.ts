// Two acts on one order at the same time, repeatedly: exactly one wins, or both succeed in turn, and every count stays
// correct. Set by SEED and DUELS.
import { expect, test } from "bun:test";
import { engine } from "../../src/core/config.ts";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { expireReservations } from "../../src/inventory/inventory.jobs.ts";
import { releaseHolds } from "../../src/orders/orders.jobs.ts";
import type { Answered } from "../build/service.ts";
import { openShop, parcel, type Shop } from "../build/shop.ts";
import { seed, volume } from "../volume.ts";

const duels = Number(process.env["DUELS"] ?? volume(60, engine === "postgres" ? 500 : 1500));
const together = 10;

interface Ring {
  readonly shop: Shop;
  readonly goods: { readonly id: string; readonly sku: string };
}
interface Made {
  readonly id: string;
  readonly sku: string;
}
type Act = (made: Made) => Promise<Answered>;

/** Two concurrent acts, and their possible outcomes: `first second > the order's status afterwards`. */
interface Duel {
  readonly acts: readonly [Act, Act];
  readonly ends: readonly string[];
  /** Prepares the order, or returns another one to act on. */
  readonly begins?: (made: Made) => Promise<Made | undefined>;
}

function duelsOf({ shop }: Ring): Record<string, Duel> {
  const post =
    (action: string, body: (made: Made) => object = () => ({})): Act =>
    (made) =>
      shop.app.post(`/orders/${made.id}/${action}`, body(made));
  const cancel: Act = ({ id }) => shop.cancel(id);
  const items =
    (quantity: number, more: object = {}) =>
    (made: Made) => ({ items: [{ sku: made.sku, quantity, ...more }] });
  const lines: Act = ({ id, sku }) =>
    shop.app.patch(`/orders/${id}`, { line_items: [{ sku, quantity: 1, unit_price: "1" }] });
  return {
    "cancel against ship": { acts: [cancel, post("ship")], ends: ["200 409 > cancelled", "409 200 > shipped"] },
    "hold against pick": { acts: [post("hold"), post("pick")], ends: ["200 409 > on_hold", "409 200 > processing"] },
    "two picks of the last units": {
      acts: [post("pick", items(2)), post("pick", items(2))],
      ends: ["200 422 > processing", "422 200 > processing"],
    },
    "other lines against cancel": { acts: [lines, cancel], ends: ["200 200 > cancelled", "409 200 > cancelled"] },
    "other lines against process": {
      acts: [lines, post("process")],
      ends: ["200 200 > processing", "409 200 > processing"],
    },
    "cancelled units against ship": {
      acts: [post("cancel_items", items(1)), post("ship")],
      ends: ["200 200 > shipped", "409 200 > shipped"],
    },
    "cancelled units against cancelled units": {
      acts: [post("cancel_items", items(2)), post("cancel_items", items(1))],
      ends: ["200 409 > cancelled", "422 200 > pending"],
    },
    "missing units against cancel": {
      acts: [post("pick", items(1, { short: true, reason: "not_found" })), cancel],
      ends: ["200 200 > cancelled", "409 200 > cancelled"],
    },
    "release against ship": {
      begins: ({ id }) => shop.act(id, "hold", { reserve_inventory: false }),
      acts: [post("release"), post("ship")],
      ends: ["200 200 > shipped", "200 409 > pending"],
    },
    "two deliveries": {
      begins: ({ id }) => shop.act(id, "ship"),
      acts: [post("deliver"), post("deliver")],
      ends: ["200 409 > delivered", "409 200 > delivered"],
    },
  };
}

/** A step that is taken back while the next one is taken. */
function undoDuelsOf({ shop }: Ring): Record<string, Duel> {
  const post =
    (action: string, body: object = {}): Act =>
    ({ id }) =>
      shop.app.post(`/orders/${id}/${action}`, body);
  const [unpick, unpack] = [post("unpick", { reason: "mistake" }), post("unpack", { reason: "mistake" })];
  return {
    "unpick against pack": {
      begins: ({ id }) => shop.act(id, "pick"),
      acts: [unpick, post("pack")],
      ends: ["200 200 > fulfilled", "409 200 > fulfilled"],
    },
    "unpick against unpick": {
      begins: ({ id }) => shop.act(id, "pick"),
      acts: [unpick, unpick],
      ends: ["200 409 > processing", "409 200 > processing"],
    },
    "unpick against cancel": {
      begins: ({ id }) => shop.act(id, "pick"),
      acts: [unpick, ({ id }) => shop.cancel(id)],
      ends: ["200 200 > cancelled", "409 200 > cancelled"],
    },
    "unpack against ship": {
      begins: ({ id }) => shop.act(id, "pack"),
      acts: [unpack, post("ship")],
      ends: ["200 200 > shipped", "409 200 > shipped"],
    },
    "reopen against a label": {
      begins: async ({ id, sku }) => {
        await shop.act(id, "pack", { packages: [{ items: [{ sku, quantity: 2 }] }] });
        return undefined;
      },
      acts: [
        async ({ id }) => {
          const { shipments } = await shop.get(id);
          return shop.app.post(`/orders/${id}/shipments/${shipments[0].id}/reopen`, { reason: "mistake" });
        },
        ({ id }) => shop.app.post("/shipping/labels", { order_id: id, carrier: "local", ...parcel }),
      ],
      ends: ["200 201 > processing", "200 409 > processing"],
    },
  };
}

/** Units are unpacked while the label of their parcel is voided, or its carrier scans it. */
function labelDuelsOf({ shop }: Ring): Record<string, Duel> {
  const unpack: Act = ({ id }) => shop.app.post(`/orders/${id}/unpack`, { reason: "mistake" });
  const labels = new Map<string, { readonly label_id: string; readonly tracking_number: string }>();
  const labelled = async ({ id }: Made) => {
    await shop.act(id, "pack");
    labels.set(id, await shop.label(id));
    return undefined;
  };
  const voidLabel: Act = ({ id }) => shop.app.post(`/shipping/labels/${labels.get(id)?.label_id}/void`, {});
  const scan: Act = ({ id }) =>
    shop.app.post(`/tracking/${labels.get(id)?.tracking_number}/events`, { status: "in_transit" });
  return {
    "unpack against the void of the label": {
      begins: labelled,
      acts: [unpack, voidLabel],
      ends: ["200 200 > processing", "409 200 > fulfilled"],
    },
    "unpack against the first scan": {
      begins: labelled,
      acts: [unpack, scan],
      ends: ["409 201 > shipped"],
    },
    // The parcel was voided: the order is on hold until somebody has checked what the carrier has.
    "unpack against the first scan of a void label": {
      begins: async (made) => {
        await labelled(made);
        await voidLabel(made);
        return undefined;
      },
      acts: [unpack, scan],
      ends: ["200 201 > on_hold"],
    },
  };
}

/** An act of a user while a scheduled job runs. */
function clockDuelsOf({ shop }: Ring): Record<string, Duel> {
  const process: Act = ({ id }) => shop.app.post(`/orders/${id}/process`, {});
  const pack: Act = ({ id }) => shop.app.post(`/orders/${id}/pack`, {});
  // A scheduled job is no request, so any response stands for it.
  const clock: Act = async ({ id }) => {
    await releaseHolds(shop.app.service.stores.live, shop.app.service);
    return shop.app.get(`/orders/${id}`);
  };
  const expiry: Act = async ({ id }) => {
    await expireReservations(shop.app.service.stores.live);
    return shop.app.get(`/orders/${id}`);
  };
  // All duels share the clock: nobody moves it between an advance by one duel and the response to it.
  let before: Promise<unknown> = Promise.resolve();
  const inTurn =
    (begins: NonNullable<Duel["begins"]>): typeof begins =>
    (made) => {
      const begun = before.then(() => begins(made));
      before = begun.catch(() => {});
      return begun;
    };
  return {
    "the end of a hold against process": {
      begins: inTurn(async ({ id }) => {
        const hold_until = new Date(shop.app.clocks.live.now() + 1000).toISOString();
        await shop.act(id, "hold", { hold_until });
        shop.app.clocks.live.advance(1000);
        return undefined;
      }),
      acts: [clock, process],
      ends: ["200 200 > processing", "200 409 > pending"],
    },
    // Packing also processes and picks: it takes both units, which the reservation must have released exactly once.
    "expiry against process": {
      begins: inTurn(async () => {
        const { live } = shop.app.clocks;
        const scarce = await shop.product({ units: 2 });
        const expires_at = new Date(live.now() + 1).toISOString();
        const items = [{ sku: scarce.sku, quantity: 2 }];
        await shop.app.post("/inventory/reserve", { order_id: `B-${scarce.sku}`, items, expires_at });
        const { id } = await shop.order([[scarce, 2]]);
        live.advance(1);
        return { id, sku: scarce.sku };
      }),
      acts: [expiry, pack],
      ends: ["200 200 > fulfilled"],
    },
  };
}

async function fight(ring: Ring, { acts, begins }: Duel, random: Random): Promise<string> {
  const { id } = await ring.shop.order([[ring.goods, 2]]);
  const first = { id, sku: ring.goods.sku };
  const made = (await begins?.(first)) ?? first;
  const late = random.chance(0.5) ? 0 : 1;
  const waits = random.integer(0, 3);
  const answers = await Promise.all(
    acts.map(async (act, at) => {
      if (at === late) for (let turn = 0; turn < waits; turn++) await null;
      return act(made);
    }),
  );
  const { status } = await ring.shop.get(made.id);
  return `${answers.map((answer) => answer.status).join(" ")} > ${status}`;
}

test(`${duels} duels of seed ${seed} each have a valid outcome, and leave every count correct`, async () => {
  console.log(`SEED=${seed} DUELS=${duels}`);
  const shop = await openShop();
  const ring = { shop, goods: await shop.product({ units: 4 * duels }) };
  const kinds = Object.entries({
    ...duelsOf(ring),
    ...undoDuelsOf(ring),
    ...labelDuelsOf(ring),
    ...clockDuelsOf(ring),
  });
  const random = seededRandom(seed);
  const ends = new Map<string, number>();
  for (let done = 0; done < duels; done += together) {
    const round = Array.from({ length: together }, async () => {
      const [name, duel] = random.pick(kinds);
      const end = await fight(ring, duel, seededRandom(random.integer(0, 2 ** 32 - 1)));
      expect([name, duel.ends.includes(end), end]).toEqual([name, true, end]);
      ends.set(`${name}: ${end}`, (ends.get(`${name}: ${end}`) ?? 0) + 1);
    });
    await Promise.all(round);
  }
  console.log(
    [...ends]
      .sort()
      .map(([end, count]) => `${end} × ${count}`)
      .join("\n"),
  );
  // Each transition emits one event: an order that was shipped, delivered or cancelled twice would show here. One that
  // was packed again after it was unpacked was fulfilled twice.
  const told = (await shop.app.takeEvents()).filter(({ type }) => type.startsWith("order."));
  const names = told.map(({ type, data }) => `${type} ${data["id"]}`);
  const again = ends.get("unpack against ship: 200 200 > shipped") ?? 0;
  expect(names.length - new Set(names).size).toBe(again);
}, 600_000);
