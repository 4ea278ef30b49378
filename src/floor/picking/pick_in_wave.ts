import type { Actor } from "../../core/actor.ts";
import { Fault, invalid } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { countMissing } from "../../inventory/counts/counts.ts";
import { lockEachOrderAllocation } from "../../inventory/reservations/lock_order_allocation.ts";
import { findBin } from "../../inventory/warehouses/warehouses.sql.ts";
import { productsOf } from "../../orders/fulfillment/order_units.ts";
import { pickOrder } from "../../orders/fulfillment/pick_and_pack.ts";
import { unpickOrder } from "../../orders/fulfillment/undo_steps.ts";
import { isCancelled, type ShortReason } from "../../orders/order.transitions.ts";
import type { Order } from "../../orders/order.ts";
import { refuseForbidden } from "../../orders/order_lines.ts";
import { lockOrder, lockOrders } from "../../orders/orders.sql.ts";
import { type PackKind, wholePacks } from "../../products/product.ts";
import type { Tx } from "../../storage/database.ts";
import { isPickable } from "../floor.transitions.ts";
import { findScannedProduct } from "../scanning/find_scanned.ts";
import { renewClaim } from "../work/claims.ts";
import { findTote, listTotesIn, listTotesOf, lockTote, saveTote } from "./totes.sql.ts";
import { toteInUse } from "./totes.ts";
import type { AssignTote, PickInWave, shortPickReasons, UnpickInWave } from "./wave.schema.ts";
import { sumOf, type UnitsToPick, type Wave, type WaveOrder } from "./wave.ts";
import {
  distribute,
  onlyLot,
  productNamed,
  surplus,
  type UnitShare,
  type WaveProduct,
  wrongBin,
  wrongItem,
  wrongLot,
  wrongTote,
} from "./wave_units.ts";
import {
  findWaveOrder,
  listOrderToPick,
  listProductsToPick,
  listUnitsToPick,
  listWaveOrders,
  listWaveProducts,
  lockWave,
} from "./waves.sql.ts";
import { advanceWave, waveClosed } from "./waves.ts";

/** Units of an order that an act in a wave moved. */
export interface MovedShare extends UnitShare {
  readonly sku: string;
}

/** What an act in a wave did. */
export interface WaveAct {
  readonly wave: Wave;
  readonly picked: readonly MovedShare[];
  readonly short: readonly (MovedShare & { readonly held: boolean })[];
  readonly returned: readonly MovedShare[];
  readonly count_id: number | null;
  /** What is left to pick. */
  readonly left: readonly UnitsToPick[];
  /** The code of the bin where the picker is; null if unknown. */
  readonly bin: string | null;
}

const nothing = { picked: [], short: [], returned: [], count_id: null } as const;

/** Locks a wave that may be picked, and renews the claim on it. Refuses: resource_missing, wave_closed, task_taken. */
async function lockForWork(tx: Tx, id: string, actor: Actor, device: string | undefined): Promise<Wave> {
  const wave = await lockWave(tx, id);
  if (!isPickable(wave.status)) throw waveClosed(wave);
  await renewClaim(tx, { kind: "pick", subject_id: wave.id }, { actor, device: device ?? null });
  return wave;
}

/**
 * Records what was taken from a bin for a wave, or that it was not there. Refuses: resource_missing, wave_closed,
 * task_taken, validation_failed, wrong_bin, wrong_item, wrong_lot, wrong_tote, surplus_item, ambiguous_barcode,
 * unknown_barcode, unreadable_barcode, ambiguous_stock, order_cancelled, invalid_state_transition, lot_not_pickable,
 * insufficient_inventory.
 */
export async function pickInWave(tx: Tx, id: string, input: PickInWave, actor: Actor): Promise<WaveAct> {
  const { short = false, reason } = input;
  if (short !== (reason !== undefined)) {
    throw short
      ? invalid("reason", "is required for a short pick", "required")
      : invalid("reason", "is only for short picks");
  }
  const wave = await lockForWork(tx, id, actor, input.device);
  // Missing units go into no tote.
  if (wave.mode === "cluster" && input.tote === undefined && !short) {
    throw invalid("tote", "is required: scan the tote that the units go into", "required");
  }
  const order_id = await targetOrder(tx, wave, input);
  const bin = await findBin(tx, wave.warehouse_id, input.bin);
  if (bin === null) throw wrongBin(input.bin, []);
  const item = await itemOfWave(tx, wave, { ...input, bin_id: bin.id }, order_id);
  const wanted = await wantedOf(tx, wave, item, input, order_id);
  const done =
    reason === undefined
      ? { picked: await take(tx, wanted, input, actor) }
      : await missShares(tx, wave, bin.id, wanted, input, reason, actor);
  const left = await listUnitsToPick(tx, wave.id);
  return { ...nothing, ...done, wave: await advanceWave(tx, wave, sumOf(left)), left, bin: input.bin };
}

/** The order that units are for, by its tote or id; null if the request leaves it open. */
async function targetOrder(tx: Tx, wave: Wave, input: Pick<PickInWave, "tote" | "order_id">): Promise<number | null> {
  const named = input.order_id === undefined ? null : (readId("order", input.order_id) ?? 0);
  if (input.tote === undefined) {
    if (named !== null) await openOrder(tx, wave, named, "order_id");
    return named;
  }
  const tote = await findTote(tx, wave.warehouse_id, input.tote);
  if (tote === null) throw wrongTote(input.tote, "is not the code of a tote here");
  if (tote.order_id === null) {
    if (named === null) throw wrongTote(input.tote, "is free: assign it to an order first");
    await assign(tx, wave, input.tote, await openOrder(tx, wave, named, "order_id"));
    return named;
  }
  if (named !== null && named !== tote.order_id) throw wrongTote(input.tote, `holds order ${tote.order_number}`);
  const order = await findWaveOrder(tx, wave.id, tote.order_id);
  if (order === null) throw wrongTote(input.tote, `holds order ${tote.order_number}, which is not in this wave`);
  await openOrder(tx, wave, order.order_id, "tote");
  return order.order_id;
}

/** An order of the wave that may be picked. Refuses: resource_missing, order_cancelled, invalid_state_transition. */
async function openOrder(tx: Tx, wave: Wave, order_id: number, field: string): Promise<WaveOrder> {
  const order = await findWaveOrder(tx, wave.id, order_id);
  if (order === null) {
    const fields = [{ field, code: "resource_missing", message: "names no order of the wave" }];
    throw new Fault("resource_missing", `The wave has no order ${wireId("order", order_id)}.`, { fields });
  }
  if (isCancelled(order.status)) {
    throw new Fault("order_cancelled", `Order ${order.order_number} is cancelled. Put its units back.`, {
      order_id: wireId("order", order_id),
    });
  }
  if (order.held || !order.open) refuseForbidden(await lockOrder(tx, order_id), "pick");
  return order;
}

/** What a person scanned or chose on an item, in a bin if they are at one. */
interface ScannedItem {
  readonly code?: string | undefined;
  readonly sku?: string | undefined;
  readonly bin: string | null;
  readonly bin_id?: number | undefined;
}

/** A product of the wave, and the lot and the pack that its code names. */
interface ItemOfWave {
  readonly product: WaveProduct;
  readonly lot_number: string | null;
  readonly pack: PackKind | null;
  /** The units that the code stands for. */
  readonly code_units: number;
}

/**
 * The product of the wave that was scanned. Refuses: validation_failed, wrong_item, ambiguous_barcode,
 * unknown_barcode, unreadable_barcode.
 */
async function itemOfWave(
  tx: Tx,
  wave: Wave,
  { code, sku, bin, bin_id }: ScannedItem,
  order_id: number | null,
): Promise<ItemOfWave> {
  if ((code === undefined) === (sku === undefined)) {
    throw invalid(code === undefined ? "code" : "sku", "is required: send either code or sku", "required");
  }
  const wrong = async (read: string) => wrongItem(read, bin, await listUnitsToPick(tx, wave.id));
  const products = await listWaveProducts(tx, wave.id);
  /** Of several products, those of the order's merchant if there are any. */
  const ofMerchant = async (all: readonly WaveProduct[]) => {
    const order = order_id === null || all.length < 2 ? null : await findWaveOrder(tx, wave.id, order_id);
    const own = all.filter(({ merchant_id }) => merchant_id === order?.merchant_id);
    return own.length > 0 ? own : all;
  };
  if (sku !== undefined) {
    const named = await ofMerchant(products.filter((product) => product.sku === sku));
    // Only several merchants' products need more than their names.
    const ids = named.length < 2 ? [] : named.map(({ product_id }) => product_id);
    const product = productNamed(named, await listProductsToPick(tx, wave.id, ids), { sku, bin, order_id });
    if (product === undefined) throw await wrong(sku);
    return { product, lot_number: null, pack: null, code_units: 1 };
  }
  const product_ids = products.map(({ product_id }) => product_id);
  const ordered = order_id === null ? [] : await listOrderToPick(tx, wave.id, order_id);
  const expected = ordered.length > 0 ? ordered : await ofMerchant(products);
  const own = expected.map(({ product_id }) => product_id);
  const where = bin_id === undefined ? {} : { bin_id };
  const find = (ids: readonly number[]) => findScannedProduct(tx, code ?? "", { ...where, product_ids: ids });
  const isWrong = (error: unknown) => error instanceof Fault && error.code === "wrong_item";
  const found = await find(own).catch((error: unknown) => {
    if (!isWrong(error)) throw error;
    return find(product_ids).catch(async (again: unknown) => {
      throw isWrong(again) ? await wrong(code ?? "") : again;
    });
  });
  const product = products.find(({ product_id }) => product_id === found.id);
  if (product === undefined) throw await wrong(found.sku);
  return { product, lot_number: found.lot_number, pack: found.pack, code_units: found.quantity };
}

/** Scanned units of an item, and what is left to pick of it for the order, or for all. */
interface WantedItem extends ItemOfWave {
  readonly quantity: number;
  readonly units: readonly UnitsToPick[];
}

/** What is left to pick of a scanned item. Refuses: surplus_item, wrong_tote. */
async function wantedOf(
  tx: Tx,
  wave: Wave,
  item: ItemOfWave,
  input: PickInWave,
  order_id: number | null,
): Promise<WantedItem> {
  const { sku, product_id } = item.product;
  const { quantity = item.code_units } = input;
  const found = await listProductsToPick(tx, wave.id, [product_id]);
  if (found.length === 0) throw surplus(sku, quantity, 0, item.pack);
  const own = order_id === null ? found : found.filter((unit) => unit.order_id === order_id);
  const units = own.toSorted((a, b) => a.position - b.position);
  if (units.length > 0) return { ...item, quantity, units };
  const totes = await listTotesOf(tx, [...new Set(found.map((unit) => unit.order_id))]);
  const right = totes.map(({ code }) => code);
  throw wrongTote(input.tote ?? wireId("order", order_id ?? 0), `is not for ${sku}`, right);
}

/** Locks the orders of shares and their stock, all at once, so that two scans do not wait for each other. */
async function lockShares(tx: Tx, shares: readonly UnitShare[]): Promise<void> {
  const orders = await lockOrders(
    tx,
    shares.map(({ order_id }) => order_id),
  );
  await lockEachOrderAllocation(
    tx,
    [...orders.values()].map((order) => ({ order_id: order.id, products: productsOf(order) })),
  );
}

/** Takes units for the orders that need them. */
async function take(tx: Tx, wanted: WantedItem, input: PickInWave, actor: Actor): Promise<MovedShare[]> {
  const { units, product, pack, quantity } = wanted;
  const { bin } = input;
  const { sku } = product;
  const lot_number = input.lot_number ?? wanted.lot_number ?? onlyLot(units, bin);
  const isPlanned = (unit: UnitsToPick) =>
    unit.bin === bin && (lot_number === undefined || unit.lot_number === lot_number);
  const { shares, over } = distribute(units, isPlanned, quantity);
  if (over > 0) throw surplus(sku, quantity, quantity - over, pack);
  const item = { sku, bin, ...(lot_number !== undefined && { lot_number }) };
  await lockShares(tx, shares);
  for (const share of shares) {
    const share_pack = wholePacks(pack, share.quantity);
    const items = [{ ...item, quantity: share.quantity, ...(share_pack !== null && { pack: share_pack }) }];
    await pickOrder(tx, wireId("order", share.order_id), { items }, actor).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== "insufficient_inventory") throw error;
      const here = units.filter((unit) => unit.bin === bin);
      if (here.length === 0) throw wrongBin(bin, units);
      throw here.some(isPlanned) || lot_number === undefined ? error : wrongLot(lot_number, here);
    });
  }
  return shares.map((share) => ({ ...share, sku }));
}

const shortReasonOf: Readonly<Record<(typeof shortPickReasons)[number], ShortReason>> = {
  not_found: "not_found",
  damaged: "damaged",
  wrong_item: "other",
  blocked: "unreachable",
};

/** Records units that were not there: others are planned, or their orders are held and their totes set aside. */
async function missShares(
  tx: Tx,
  wave: Wave,
  bin_id: number,
  wanted: WantedItem,
  input: PickInWave,
  reason: (typeof shortPickReasons)[number],
  actor: Actor,
): Promise<Pick<WaveAct, "short" | "count_id">> {
  const { units, product, quantity } = wanted;
  const { bin } = input;
  const { sku } = product;
  const lot_number = input.lot_number ?? wanted.lot_number ?? onlyLot(units, bin);
  const there = units.filter(
    (unit) => unit.bin === bin && (lot_number === undefined || unit.lot_number === lot_number),
  );
  if (there.length === 0) throw wrongBin(bin, units);
  // The last orders of the wave go without.
  const { shares, over } = distribute(there.toReversed(), () => true, quantity);
  if (over > 0) throw invalid("quantity", `exceeds what is planned there by ${over}`, "too_large");
  await lockShares(tx, shares);
  // First, so that no other order is promised what is not there. Damaged units are written off instead.
  const place = { warehouse_id: wave.warehouse_id, bin_id, bin, product_id: product.product_id, sku };
  const count_id = reason === "damaged" ? null : await countMissing(tx, place, actor);
  const short: WaveAct["short"][number][] = [];
  for (const share of shares) {
    const item = { sku, bin, quantity: share.quantity, ...(lot_number !== undefined && { lot_number }) };
    const items = [{ ...item, short: true, reason: shortReasonOf[reason] }];
    const order = await pickOrder(tx, wireId("order", share.order_id), { items }, actor);
    const held = isShort(order);
    if (held) for (const tote of await listTotesOf(tx, [order.id])) await saveTote(tx, tote, { set_aside_at: tx.now });
    short.push({ ...share, sku, held });
  }
  return { short, count_id };
}

const isShort = ({ holds }: Order) => holds.some(({ reason }) => reason === "short_pick");

/**
 * Returns picked units of an order of the wave to their bins. Refuses: resource_missing, wave_closed, task_taken,
 * validation_failed, wrong_tote, order_cancelled, invalid_state_transition, bin_full.
 */
export async function unpickInWave(tx: Tx, id: string, input: UnpickInWave, actor: Actor): Promise<WaveAct> {
  const wave = await lockForWork(tx, id, actor, input.device);
  const only = wave.mode === "order" ? (await listWaveOrders(tx, wave.id))[0]?.order_id : undefined;
  const order_id = (await targetOrder(tx, wave, input)) ?? only;
  if (order_id === undefined) throw invalid("order_id", "or the tote is required", "required");
  const { reason, note } = input;
  const item = await itemOfWave(tx, wave, { ...input, bin: null }, order_id);
  const { quantity = item.code_units } = input;
  const { sku } = item.product;
  const undone = { items: [{ sku, quantity }], reason, ...(note !== undefined && { note }) };
  const order = await unpickOrder(tx, wireId("order", order_id), undone, actor);
  const { order_number, merchant_id } = order;
  const left = await listUnitsToPick(tx, wave.id);
  return {
    ...nothing,
    returned: [{ order_id, order_number, merchant_id, sku, quantity }],
    wave: await advanceWave(tx, wave, sumOf(left)),
    left,
    bin: null,
  };
}

/** An order that got a tote. */
export interface AssignedTote {
  readonly order: WaveOrder;
  readonly tote: string;
  readonly orders_without_tote: number;
}

/**
 * Assigns a free tote to an order of a wave: the one named, or the next one without. Refuses: resource_missing,
 * wave_closed, task_taken, wrong_tote, tote_in_use, nothing_to_pick, order_cancelled, invalid_state_transition.
 */
export async function assignTote(tx: Tx, id: string, input: AssignTote, actor: Actor): Promise<AssignedTote> {
  const wave = await lockForWork(tx, id, actor, input.device);
  const totes = await listTotesIn(tx, wave.id);
  const filled = new Set(totes.map(({ order_id }) => order_id));
  const open = (await listWaveOrders(tx, wave.id)).filter((order) => order.open && !order.held);
  const bare = open.filter(({ order_id }) => !filled.has(order_id));
  const named = input.order_id === undefined ? null : (readId("order", input.order_id) ?? 0);
  const order = named === null ? bare[0] : await openOrder(tx, wave, named, "order_id");
  if (order === undefined) throw new Fault("nothing_to_pick", "Every order of the wave has a tote.");
  const tote = await assign(tx, wave, input.tote, order);
  const rest = bare.filter(({ order_id }) => order_id !== order.order_id);
  return { order, tote, orders_without_tote: rest.length };
}

/** Assigns a tote to an order, and returns its code. Refuses: wrong_tote, tote_in_use. */
async function assign(tx: Tx, wave: Wave, code: string, order: WaveOrder): Promise<string> {
  const known = await findTote(tx, wave.warehouse_id, code);
  if (known === null) throw wrongTote(code, "is not the code of a tote here");
  const tote = await lockTote(tx, known.id);
  if (tote.order_id === order.order_id) return tote.code;
  if (tote.order_id !== null) throw toteInUse(tote);
  await saveTote(tx, tote, { order_id: order.order_id, wave_id: wave.id, assigned_at: tx.now });
  return tote.code;
}
