// Acts on open packing sessions. The last correct scan closes the parcel.
import type { Actor } from "../../core/actor.ts";
import { asFault, Fault, invalid } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import { type Order, partsOf } from "../../orders/order.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import { readParcel } from "../../shipping/parcel.ts";
import type { Tx } from "../../storage/database.ts";
import { packingTransitions } from "../floor.transitions.ts";
import { findScannedProduct } from "../scanning/find_scanned.ts";
import { deleteClaim } from "../work/claims.sql.ts";
import { renewClaim } from "../work/claims.ts";
import { closeParcel, lockSession, whyOpen } from "./close_parcel.ts";
import { openFor, type PackingPlace, packTask, placeOf, refuseUnpackable } from "./open_session.ts";
import { describeParcel, packable, packingFacts, refuseUnweighed } from "./packed_parcel.ts";
import type { PackFromItem, ScanUnit, UpdatePackingSession } from "./packing.schema.ts";
import { isComplete, type PackableOrder, type PackingSession, partsToPack, scannedLines } from "./packing_session.ts";
import { listCartons, listOrdersWanting, lockOpenSession, savePackingSession } from "./packing_sessions.sql.ts";
import { type ScannedItem, scannedInto, scanText, takenOut } from "./scan_unit.ts";

/** What a request scans: products of the order, or of the parcel. */
async function itemOf(tx: Tx, order: Order, input: ScanUnit): Promise<ScannedItem> {
  const read = scanText(input);
  const parts = order.lines.flatMap(partsOf);
  if (input.sku !== undefined) {
    const product_ids = parts.flatMap(({ sku, product_id }) => (sku === input.sku ? [product_id] : []));
    return { product_ids, lot_number: input.lot_number ?? null, quantity: input.quantity ?? 1, pack: null, read };
  }
  const product_ids = [...new Set(parts.map(({ product_id }) => product_id))];
  const found = await findScannedProduct(tx, read, { product_ids });
  const lot_number = input.lot_number ?? found.lot_number;
  const { pack, quantity } = found;
  return { product_ids: [found.id], lot_number, quantity: input.quantity ?? quantity, pack, read: found.code };
}

/**
 * Scans units into a parcel. The last one closes it, unless its weight is unknown or differs.
 * Refuses: resource_missing, invalid_state_transition, order_cancelled, order_on_hold, already_packed,
 * task_taken, unreadable_barcode, unknown_barcode, ambiguous_barcode, wrong_item, surplus_item, wrong_lot, lot_expired,
 * validation_failed. Emits: order.fulfilled.
 */
export async function scanUnit(tx: Tx, id: string, input: ScanUnit, actor: Actor): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  transition(packingTransitions, "scan", session.status);
  refuseUnpackable(order);
  await renewClaim(tx, packTask(order.id), { actor, device: session.device });
  return scanItem(tx, order, session, await itemOf(tx, order, input), actor);
}

async function scanItem(tx: Tx, order: PackableOrder, session: PackingSession, item: ScannedItem, actor: Actor) {
  const facts = await packingFacts(tx, session, order);
  const units = await scannedInto(tx, facts, item);
  const scanned = await savePackingSession(tx, session, { units });
  if (!isComplete(partsToPack(order, units))) return scanned;
  const parcel = { ...facts, session: scanned };
  return whyOpen(parcel) === null ? closeParcel(tx, parcel, actor) : scanned;
}

/** Takes scanned units out of a parcel. Refuses: as `scanUnit`. */
export async function unscanUnit(tx: Tx, id: string, input: ScanUnit): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  transition(packingTransitions, "scan", session.status);
  return savePackingSession(tx, session, { units: takenOut(session, order, await itemOf(tx, order, input)) });
}

/**
 * Chooses the carton of a parcel and enters its weight. Closes it if it only waited for that.
 * Refuses: resource_missing, invalid_state_transition, validation_failed. Emits: order.fulfilled.
 */
export async function updatePackingSession(
  tx: Tx,
  id: string,
  input: UpdatePackingSession,
  actor: Actor,
): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  transition(packingTransitions, "scan", session.status);
  const weighed =
    input.weight == null ? null : readParcel({ weight: input.weight, weight_unit: input.weight_unit }, "").package;
  const change = {
    ...(input.carton_id !== undefined && { carton_id: await chosenCarton(tx, input.carton_id) }),
    ...(input.weight !== undefined && {
      weight: weighed?.weight ?? null,
      weight_unit: weighed?.weight_unit ?? null,
      weight_reason: null,
    }),
    ...(input.weight_reason !== undefined && { weight_reason: input.weight_reason }),
  };
  const facts = await packingFacts(tx, await savePackingSession(tx, session, change), order);
  if (weighed !== null) refuseUnweighed(facts, describeParcel(facts));
  if (!isComplete(partsToPack(order, session.units)) || whyOpen(facts) !== null) return facts.session;
  refuseUnpackable(order);
  return closeParcel(tx, facts, actor);
}

/** Refuses: validation_failed (no such carton, or it is not used any more). */
async function chosenCarton(tx: Tx, name: string | number | null): Promise<number | null> {
  if (name === null) return null;
  const carton = (await listCartons(tx)).find(({ id }) => id === readId("carton", name));
  if (carton === undefined) throw invalid("carton_id", "names no carton", "resource_missing");
  if (carton.active) return carton.id;
  throw invalid("carton_id", "names a carton that is not used any more", "inactive");
}

/**
 * Closes a parcel before all of the order is in it. Another one follows.
 * Refuses: resource_missing, invalid_state_transition, order_cancelled, order_on_hold, already_packed,
 * bundle_incomplete, surplus_item, validation_failed (nothing is scanned, or the weight). Emits: order.fulfilled.
 */
export async function closePackingSession(tx: Tx, id: string, actor: Actor): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  transition(packingTransitions, "close", session.status);
  refuseUnpackable(order);
  if (session.units.length === 0) throw invalid("units", "are missing: scan the contents of the parcel", "required");
  const facts = await packingFacts(tx, session, order);
  refuseUnweighed(facts, describeParcel(facts, scannedLines(order, session.units)));
  return closeParcel(tx, facts, actor);
}

/** Gives up an open session. Its units stay picked. Refuses: resource_missing, invalid_state_transition. */
export async function cancelPackingSession(tx: Tx, id: string): Promise<PackingSession> {
  const { order, session } = await lockSession(tx, id);
  const status = transition(packingTransitions, "cancel", session.status);
  await deleteClaim(tx, packTask(order.id));
  return savePackingSession(tx, session, { status });
}

const candidates_max = 20;

/**
 * Packs an item into the parcel of an order that needs it: of the wave, or a one-unit order. Two packers who scan the
 * same product at once get two orders. Refuses: resource_missing, no_matching_order, task_taken (someone else packs the
 * order for which the item was picked), and what `scanUnit` refuses.
 */
export async function packFromItem(tx: Tx, input: PackFromItem, actor: Actor): Promise<PackingSession> {
  const place = await placeOf(tx, input);
  const wave_id = input.wave_id === undefined ? null : (readId("wave", input.wave_id) ?? 0);
  const read = scanText(input);
  const found = await findScannedProduct(tx, read);
  const { quantity } = found;
  const wanted = { product_id: found.id, quantity, warehouse_id: place.station?.warehouse_id ?? 0, wave_id };
  const item = {
    product_ids: [found.id],
    lot_number: input.lot_number ?? found.lot_number,
    quantity,
    pack: found.pack,
    read: found.code,
  };
  let taken: Fault | null = null;
  for (const { id, is_picked } of await listOrdersWanting(tx, wanted, candidates_max)) {
    // The item may be the one that was picked for an order which someone else packs.
    if (taken !== null && !is_picked) break;
    const next = await sessionFor(tx, id, item, place, actor);
    if (next !== null && !(next instanceof Fault)) return scanItem(tx, next.order, next.session, item, actor);
    if (is_picked && next?.code === "task_taken") taken ??= next;
  }
  if (taken !== null) throw taken;
  const units = found.pack === null ? found.sku : `${found.quantity} units of ${found.sku} together`;
  const message = `No order that can be packed here needs ${units}.`;
  throw new Fault("no_matching_order", message, { sku: found.sku });
}

/** The session of an order that needs scanned units; null if it needs fewer, and why it cannot be packed. */
async function sessionFor(tx: Tx, order_id: number, item: ScannedItem, place: PackingPlace, actor: Actor) {
  const order = await packable(tx, await lockOrder(tx, order_id));
  const open = await lockOpenSession(tx, order_id);
  const needed = partsToPack(order, open?.units ?? [])
    .filter(({ part }) => item.product_ids.includes(part.product_id))
    .reduce((sum, { needed: all, scanned }) => sum + Math.max(0, all - scanned), 0);
  if (needed < item.quantity) return null;
  try {
    return { order, session: await openFor(tx, order, place, { actor, partial: false }) };
  } catch (error) {
    const fault = asFault(error);
    if (!passed_over.has(fault.code)) throw fault;
    return fault;
  }
}

// What keeps an order from being packed: an item goes to the next one that needs it. Nothing was written then.
const passed_over: ReadonlySet<string> = new Set([
  "already_packed",
  "insufficient_inventory",
  "order_cancelled",
  "order_not_picked",
  "order_on_hold",
  "task_taken",
  "wrong_warehouse",
]);
