// Opens packing sessions: by the code of a tote or by an order.
import type { Actor } from "../../core/actor.ts";
import { Fault, invalid, missing } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { plansOf } from "../../inventory/reservations/reservations.sql.ts";
import { missingPicks, partsText, refuseShort } from "../../orders/fulfillment/order_units.ts";
import { withCurrentAllocation } from "../../orders/fulfillment/pick_and_pack.ts";
import { findOrderId, resolveOrder } from "../../orders/lifecycle/order_lookup.sql.ts";
import { isCancelled, isOpen } from "../../orders/order.transitions.ts";
import { hinderedBy, type Order, partsOf } from "../../orders/order.ts";
import { lockOrder } from "../../orders/orders.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { initialPackingStatus } from "../floor.transitions.ts";
import { getStation } from "../printing/printers.sql.ts";
import type { TaskName } from "../work/claim.ts";
import { claimTask } from "../work/claims.ts";
import { packable } from "./packed_parcel.ts";
import type { OpenPackingSession } from "./packing.schema.ts";
import { orderText, type PackableOrder, type PackingSession, packedLoosely, unitsToPack } from "./packing_session.ts";
import {
  findPickingWave,
  findTotes,
  insertPackingSession,
  lockOpenSession,
  savePackingSession,
} from "./packing_sessions.sql.ts";

/** The station that a request names, and the device that it comes from. */
export interface PackingPlace {
  readonly station: { readonly id: number; readonly warehouse_id: number } | null;
  readonly device: string;
}

/** The station that a request names; null if it names none. Refuses: resource_missing. */
export async function placeOf(
  db: Db,
  { station_id, device }: Pick<OpenPackingSession, "station_id" | "device">,
): Promise<PackingPlace> {
  return { station: station_id == null ? null : await getStation(db, station_id), device };
}

/**
 * Opens the session of an order's next parcel, and claims the task of packing it. An open session of the order is
 * continued by whoever has that task.
 * Refuses: resource_missing, ambiguous_identifier, validation_failed, tote_empty, and what `openFor` refuses.
 */
export async function openPackingSession(tx: Tx, input: OpenPackingSession, actor: Actor): Promise<PackingSession> {
  const place = await placeOf(tx, input);
  const order = await packable(tx, await lockOrder(tx, await namedOrder(tx, input, place)));
  return openFor(tx, order, place, { actor, partial: input.partial ?? false });
}

/** The order that a request names, by a code, a tote or itself. */
async function namedOrder(tx: Tx, { code, tote, order_id }: OpenPackingSession, place: PackingPlace): Promise<number> {
  if ([code, tote, order_id].filter((name) => name !== undefined).length !== 1) {
    throw invalid("code", "or tote or order_id is required, exactly one of them", "required");
  }
  if (order_id !== undefined) return resolveOrder(tx, order_id);
  const named = await orderInTote(tx, tote ?? code ?? "", place);
  if (named !== null) return named;
  if (tote !== undefined) throw missing("tote", tote);
  const id = await findOrderId(tx, code ?? "", "code");
  if (id !== null) return id;
  throw new Fault("unknown_barcode", `No tote and no order has this code: ${code}.`, { read: code });
}

/** The order in the tote with this code; null if there is no such tote. Refuses: tote_empty, wrong_warehouse. */
async function orderInTote(db: Db, code: string, { station }: PackingPlace): Promise<number | null> {
  const totes = await findTotes(db, code);
  const [first] = totes;
  const here = station === null ? totes : totes.filter(({ warehouse_id }) => warehouse_id === station.warehouse_id);
  if (first !== undefined && here.length === 0) {
    throw new Fault("wrong_warehouse", `Tote ${first.code} belongs to another warehouse than this station.`);
  }
  const tote = here.find(({ order_id }) => order_id !== null) ?? here[0];
  if (tote === undefined) return null;
  if (tote.order_id !== null) return tote.order_id;
  throw new Fault("tote_empty", `Tote ${tote.code} holds no order.`, { tote: tote.code });
}

/**
 * Opens the session of a locked order's next parcel, or continues the one that is open.
 * Refuses: order_cancelled, order_on_hold, already_packed, wrong_warehouse, order_not_picked, insufficient_inventory,
 * task_taken.
 */
export async function openFor(
  tx: Tx,
  locked: PackableOrder,
  place: PackingPlace,
  { actor, partial }: { readonly actor: Actor; readonly partial: boolean },
): Promise<PackingSession> {
  refuseUnpackable(locked);
  const open = await lockOpenSession(tx, locked.id);
  if (open !== null) return continued(tx, locked, open, place, actor);
  const order = { ...(await withCurrentAllocation(tx, locked)), waiting: locked.waiting };
  refuseShort(order, partial);
  const wave_id = await findPickingWave(tx, order.id);
  if (wave_id !== null) refuseUnpicked(order, wave_id);
  const { device, station } = place;
  const warehouse_id = await warehouseOf(tx, order, place);
  await claimTask(tx, { ...packTask(order.id), warehouse_id }, { actor, device });
  return insertPackingSession(tx, {
    merchant_id: order.merchant_id,
    order_id: order.id,
    warehouse_id,
    station_id: station?.id ?? null,
    status: initialPackingStatus,
    device,
    ...columnsOf(actor),
  });
}

/** The task of packing an order. */
export const packTask = (order_id: number): TaskName => ({ kind: "pack", subject_id: order_id });

const columnsOf = ({ type, id, name }: Actor) => ({ actor_type: type, actor_id: id, actor_name: name });

/** Refuses: order_cancelled, already_packed, order_on_hold. */
export function refuseUnpackable(order: PackableOrder): void {
  const name = orderText(order);
  if (isCancelled(order.status)) {
    throw new Fault("order_cancelled", `Order ${name} was cancelled. Put its units back.`, named(order));
  }
  const holds = hinderedBy(order);
  if (isOpen(order.status) && holds.length > 0) {
    const message = `Order ${name} is on hold (${holds.join(", ")}). Set it aside until it is released.`;
    throw new Fault("order_on_hold", message, { ...named(order), reasons: holds });
  }
  const waits = order.lines.some((line) => line.wanted > line.reserved);
  if (!isOpen(order.status) || (unitsToPack(order).length === 0 && !waits)) {
    throw new Fault("already_packed", `Order ${name} is packed: every unit is in a parcel.`, named(order));
  }
}

const named = ({ id, order_number }: Order) => ({ order_id: wireId("order", id), order_number });

async function continued(
  tx: Tx,
  order: Order,
  open: PackingSession,
  { station, device }: PackingPlace,
  actor: Actor,
): Promise<PackingSession> {
  const { warehouse_id } = open;
  refuseElsewhere(order, warehouse_id, station);
  await claimTask(tx, { ...packTask(order.id), warehouse_id }, { actor, device });
  const station_id = station?.id ?? open.station_id;
  const same = open.device === device && open.actor_id === actor.id && open.station_id === station_id;
  return same ? open : savePackingSession(tx, open, { device, station_id, ...columnsOf(actor) });
}

function refuseElsewhere(order: Order, warehouse_id: number, station: PackingPlace["station"]): void {
  if (station === null || station.warehouse_id === warehouse_id) return;
  const message = `The units of order ${orderText(order)} are in another warehouse than this station.`;
  throw new Fault("wrong_warehouse", message, named(order));
}

/** The warehouse that packs an order: the station's, if units of it are there. Refuses: wrong_warehouse. */
async function warehouseOf(tx: Tx, order: Order, { station }: PackingPlace): Promise<number> {
  const plans = await plansOf(tx, [order.id]);
  const staged = plans.filter(({ picked }) => picked);
  const places = new Set((staged.length > 0 ? staged : plans).map(({ warehouse_id }) => warehouse_id));
  const [first = 0] = places;
  const warehouse_id = station !== null && places.has(station.warehouse_id) ? station.warehouse_id : first;
  refuseElsewhere(order, warehouse_id, station);
  return warehouse_id;
}

/** Refuses an order that a wave is still picking: order_not_picked. Without a wave, picks follow the plan. */
function refuseUnpicked(order: PackableOrder, wave_id: number): void {
  const units = unitsToPack(order).map(({ order_line_id, quantity }) => ({
    order_line_id,
    quantity: Math.max(0, quantity - packedLoosely(order, order_line_id)),
  }));
  const missing = missingPicks(order, units);
  if (missing.length === 0) return;
  const message = `Order ${orderText(order)} is not picked yet: ${partsText(order, missing)} are missing.`;
  const skus = new Map(order.lines.flatMap(partsOf).map(({ product_id, sku }) => [product_id, sku]));
  throw new Fault("order_not_picked", message, {
    ...named(order),
    wave_id: wireId("wave", wave_id),
    missing: missing.map(({ product_id, quantity }) => ({ sku: skus.get(product_id), quantity })),
  });
}
