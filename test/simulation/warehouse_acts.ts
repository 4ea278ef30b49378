// Acts in the warehouse other than orders: lots, deliveries, transfers and counts.

import fc from "fast-check";
import { iso } from "../../src/core/clock.ts";
import { hour_ms } from "../../src/core/time.ts";
import { openCount, postCount, recordLines, reviewCount } from "../../src/inventory/counts/counts.ts";
import { moveStock } from "../../src/inventory/receiving/move_stock.ts";
import { cancelReceipt, closeReceipt, createReceipt, scanReceipt } from "../../src/inventory/receiving/receipts.ts";
import {
  closeTransfer,
  createTransfer,
  receiveTransfer,
  shipTransfer,
} from "../../src/inventory/receiving/transfers.ts";
import { extendClientReservation } from "../../src/inventory/reservations/client_reservations.ts";
import { setLotStatus } from "../../src/inventory/stock/change_lot.ts";
import { findLot } from "../../src/inventory/stock/lots.sql.ts";
import { restockOrderUnits } from "../../src/orders/fulfillment/order_stock.ts";
import type { Tx } from "../../src/storage/database.ts";
import {
  act,
  bookingOf,
  both,
  days,
  few,
  hasBooking,
  house,
  lotOf,
  nth,
  option,
  orderAt,
  rarely,
  same,
  seldom,
  sku,
  storage,
  whs,
} from "./acts.ts";
import { gtinOf, meantBy } from "./bin_model.ts";
import { type BinCode, goods, gtins, houses, lotName, type Sku } from "./business.ts";
import type { Model } from "./model.ts";
import { clerk, type Service, scanned } from "./service.ts";
import type { Arrival, Condition, GivenStatus, HouseModel, Moving } from "./warehouse_model.ts";

const inHouse = (model: unknown) => model as HouseModel;

const extend = act({
  weight: 2,
  input: fc.record({ nth, hours: fc.integer({ min: 1, max: 48 }) }),
  ready: hasBooking,
  play: async (model, service, { nth, hours }) => {
    const found = bookingOf(service, nth);
    if (found === null) return null;
    const expires_at = model.now + hours * hour_ms;
    const { code } = await both(
      model,
      service,
      () => inHouse(model).extend(model.booking(found.model_id), expires_at),
      (tx) => extendClientReservation(tx, String(found.id), { expires_at: iso(expires_at) }),
    );
    return code;
  },
});

const statuses = ["available", "available", "on_hold", "quarantined", "recalled", "damaged"] as const;

const lot = act({
  weight: 3,
  input: fc.record({ nth, staged: fc.boolean(), status: fc.constantFrom<GivenStatus>(...statuses) }),
  ready: (model) => model.lots.size > 0,
  play: async (model, service, { nth, staged, status }) => {
    const all = [...model.lots.keys()].sort((a, b) => b - a);
    const picked = all.filter((lot) => model.items.some((item) => item.lot === lot && item.kind === "staging"));
    const lots = staged && picked.length > 0 ? picked : all;
    const chosen = lots[nth % Math.min(8, lots.length)] ?? 0;
    const { code } = await both(
      model,
      service,
      () => inHouse(model).setLot(chosen, status),
      async (tx) => {
        const id = (await findLot(tx, service.productOf("LOTTED"), lotName(chosen)))?.id;
        return setLotStatus(tx, String(id), { status, reason: "as inspected" }, clerk);
      },
    );
    return code;
  },
});

const transfer = act({
  weight: 5,
  input: fc.record({ from: house, wants: fc.array(fc.record({ sku, quantity: few }), { minLength: 1, maxLength: 2 }) }),
  play: async (model, service, { from, wants }) => {
    const other = houses.find((one) => one !== from) ?? from;
    const { code, value } = await both(
      model,
      service,
      () => inHouse(model).send(from, wants),
      async (tx) => {
        const places = { from_location: whs(service, from), to_location: whs(service, other) };
        const { id } = await createTransfer(tx, { ...places, items: wants });
        return shipTransfer(tx, String(id), clerk);
      },
    );
    if (value !== null) service.transfers.push(value.id);
    return code;
  },
});

const arrive = act({
  weight: 6,
  input: fc.record({ nth, lost: rarely, some: option(fc.record({ load: nth, quantity: few, bin: seldom(storage) })) }),
  ready: (model) => inHouse(model).transfers.length > 0,
  play: async (model, service, { nth, lost, some }) => {
    const all = service.transfers;
    const at = all.length - 1 - (nth % Math.min(4, all.length));
    const id = String(all[at]);
    const loads = inHouse(model).loadsOf(at);
    const load = loads[(some?.load ?? 0) % loads.length];
    if (some !== null && !lost && load !== undefined) {
      const { sku, lot } = load;
      return arriveSome(model, service, at, { sku, lot, quantity: some.quantity, bin: some.bin });
    }
    const { code } = await both(
      model,
      service,
      () => inHouse(model).arrive(at, lost),
      (tx) => (lost ? closeTransfer(tx, id, {}, clerk) : receiveTransfer(tx, id, {}, clerk)),
    );
    return code;
  },
});

async function arriveSome(model: Model, service: Service, at: number, arrival: Arrival): Promise<string | null> {
  const { sku, lot, quantity, bin } = arrival;
  const place = { ...(lot === null ? {} : { lot_number: lotName(lot) }), ...(bin === null ? {} : { bin }) };
  const { code } = await both(
    model,
    service,
    () => inHouse(model).arriveSome(at, arrival),
    (tx) => receiveTransfer(tx, String(service.transfers[at]), { items: [{ sku, quantity, ...place }] }, clerk),
  );
  return code;
}

const announce = act({
  weight: 2,
  input: fc.record({ house, sku, quantity: few }),
  play: async (model, service, { house, sku, quantity }) => {
    const { code, value } = await both(
      model,
      service,
      () => inHouse(model).announce(house, sku, quantity),
      (tx) => createReceipt(tx, { location: whs(service, house), items: [{ sku, quantity }] }),
    );
    if (value !== null) service.receipts.push(value.id);
    return code;
  },
});

const conditions = ["good", "good", "good", "damaged", "quarantined"] as const;
const condition = fc.constantFrom<Condition>(...conditions);
const scan = act({
  weight: 4,
  input: fc.record({ nth, quantity: few, days: option(days), condition, close: rarely }),
  ready: (model) => inHouse(model).deliveries.length > 0,
  play: async (model, service, { nth, quantity, days, condition, close }) => {
    const all = service.receipts;
    const at = all.length - 1 - (nth % Math.min(5, all.length));
    const sku = inHouse(model).deliveries[at]?.sku ?? "PLAIN";
    const lot = lotOf(model, sku, days);
    const batch = lot === null ? {} : { lot_number: lotName(lot), expiration_date: iso(lot) };
    const { code } = await both(
      model,
      service,
      () => (close ? inHouse(model).close(at) : inHouse(model).scan(at, quantity, lot, condition)),
      async (tx) => {
        if (close) return closeReceipt(tx, String(all[at]));
        // The merchant of the delivery determines which SKU the barcode on the box identifies.
        const found = await scanned(tx, gtinOf(model.whose, sku));
        same("scan", found, { [service.merchant_id]: sku });
        const [scan = ""] = Object.values(found);
        return scanReceipt(tx, String(all[at]), { items: [{ sku: scan, quantity, condition, ...batch }] }, clerk);
      },
    );
    return code;
  },
});

const callOff = act({
  weight: 1,
  input: fc.record({ nth }),
  ready: (model) => inHouse(model).deliveries.length > 0,
  play: async (model, service, { nth }) => {
    const all = service.receipts;
    const at = all.length - 1 - (nth % Math.min(5, all.length));
    const { code } = await both(
      model,
      service,
      () => inHouse(model).callOff(at),
      (tx) => cancelReceipt(tx, String(all[at])),
    );
    return code;
  },
});

/** Whether this simulation can move the units: reserved ones would be reallocated, which is not simulated. */
function mayMove(model: HouseModel, { sku, quantity, house, bin }: Moving): boolean {
  const found = model.lyingIn(sku, house, bin);
  return !model.isDue(sku) && found.every((item) => item.on_hand - item.reserved >= quantity);
}

const move = act({
  weight: 4,
  input: fc.record({
    known: nth,
    other_code: seldom(fc.constantFrom(...gtins)),
    other_bin: seldom(storage),
    to: storage,
    quantity: few,
  }),
  play: async (model, service, { known, other_code, other_bin, to, quantity }) => {
    const all = [model, ...model.neighbours].map(inHouse).sort((one, other) => one.whose - other.whose);
    const there = all.flatMap(({ whose, items }) =>
      items.flatMap((item) => (item.kind === "storage" && item.on_hand > 0 ? [{ whose, item }] : [])),
    );
    const pointed = there[known % there.length];
    if (pointed === undefined) return null;
    const { house } = pointed.item;
    const bin = other_bin ?? (pointed.item.bin as BinCode);
    const gtin = other_code ?? gtinOf(pointed.whose, pointed.item.sku);
    const lies = (one: HouseModel, sku: Sku) => one.lyingIn(sku, house, bin).length > 0;
    const meant = all.filter((one) => lies(one, meantBy(one.whose, gtin)));
    // If a code belongs to several merchants, the SKU in the bin counts; otherwise the merchant must be named.
    const sku = meantBy((meant.length === 1 ? meant[0] : model)?.whose ?? 0, gtin);
    const moving = { sku, quantity, house, bin, to };
    const owners = all.filter((one) => lies(one, sku));
    const owner = owners.length === 1 ? owners[0] : undefined;
    if (owner !== undefined) owner.now = model.now;
    if (!mayMove(owner ?? inHouse(model), moving)) return null;
    const code = owner === undefined ? "merchant_required" : owner.attempt(() => owner.move(moving));
    const done = (tx: Tx) => moveStock(tx, { sku, quantity, location: whs(service, house), bin, to_bin: to }, clerk);
    const outcome = await service.attemptAsHouse(async (tx) => {
      const found = Object.values(await scanned(tx, gtin));
      const expected = all.map(({ whose }) => meantBy(whose, gtin));
      same("scan by the house", found, expected);
      return done(tx);
    });
    same("refusal", outcome.code, code);
    if (owner !== undefined) return code;
    const named = await both(model, service, () => inHouse(model).move(moving), done);
    return named.code === null ? code : `${code}, then ${named.code}`;
  },
});

const count = act({
  weight: 3,
  input: fc.record({
    sku,
    house,
    bin: storage,
    days: seldom(days),
    known: nth,
    off: fc.integer({ min: -4, max: 3 }),
    shortfall: fc.boolean(),
  }),
  play: async (model, service, { sku, house, bin, days, known, off, shortfall }) => {
    const own = model.items.filter((item) => item.sku === sku && item.house === house && item.kind === "storage");
    const there = own.length > 0 ? own[known % own.length] : undefined;
    const lot = days === null ? (there?.lot ?? null) : lotOf(model, sku, days);
    // Lot-tracked goods are counted per lot.
    if (goods[sku].lots && lot === null) return null;
    const place = { bin: (days === null && there ? there.bin : bin) as BinCode, lot };
    const books = own.find((item) => item.bin === place.bin && item.lot === lot)?.on_hand ?? 0;
    const found = { sku, ...place, quantity: Math.max(0, books + off) };
    const { code } = await both(
      model,
      service,
      () => inHouse(model).count(sku, house, place.bin, lot, off, shortfall),
      (tx) => counted(tx, whs(service, house), found, shortfall),
    );
    return code;
  },
});

async function counted(
  tx: Tx,
  location: number,
  { sku, bin, lot, quantity }: { sku: string; bin: string; lot: number | null; quantity: number },
  allow_shortfall: boolean,
) {
  const { id } = await openCount(tx, { location, skus: [sku] }, clerk);
  const lot_number = lot === null ? null : lotName(lot);
  await recordLines(tx, String(id), { items: [{ sku, bin, lot_number, quantity }] }, clerk);
  await reviewCount(tx, String(id));
  return postCount(tx, String(id), { allow_shortfall }, clerk);
}

/** A SKU of which a cancelled order released units, or any. */
function givenUp(model: Model, at: number, pick: number): Sku {
  const waiting = model.order(at).given_up.map((one) => model.item(one).sku);
  return waiting[pick % waiting.length] ?? "PLAIN";
}

const isCancelled = ["cancelled"];

const putBack = act({
  weight: 2,
  input: fc.record({ nth, pick: nth, quantity: fc.integer({ min: 1, max: 3 }), bin: storage }),
  ready: (model) => model.orders.some(({ status }) => status === "cancelled"),
  play: async (model, service, { nth, pick, quantity, bin }) => {
    const spoilt = [...model.orders.keys()].filter((at) => model.order(at).given_up.some((one) => one.quantity > 0));
    const at = spoilt[nth % spoilt.length] ?? orderAt(model, nth, isCancelled);
    const sku = givenUp(model, at, pick);
    const { code } = await both(
      model,
      service,
      () => model.putBack(at, sku, quantity, bin),
      (tx) => restockOrderUnits(tx, { order_id: service.orders[at]?.id ?? 0, sku, quantity, bin }, clerk),
    );
    return code;
  },
});

/** All warehouse acts, by name. */
export const houseActs = { extend, lot, transfer, arrive, announce, scan, callOff, move, count, putBack };
