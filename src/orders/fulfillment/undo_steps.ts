// Steps of an order that are taken back: units are unpicked or unpacked, and parcels are reopened.
import type { Actor } from "../../core/actor.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { transition } from "../../core/transitions.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import { type ReturnedUnits, returnPickedUnits } from "../../inventory/reservations/return_picked_units.ts";
import type { Tx } from "../../storage/database.ts";
import { type LosingParcel, losingParcels, withoutContents } from "../changes/cancel_order.ts";
import { isFulfilled, isUnshipped, orderTransitions } from "../order.transitions.ts";
import { actionsOf, hindrance, loosePicks, type Order } from "../order.ts";
import { refusal, refuseForbidden, withAllocations } from "../order_lines.ts";
import { lockOrder, saveOrder, saveSteps, stepOf } from "../orders.sql.ts";
import type { HistoryEntry } from "../search/order_history.sql.ts";
import {
  addedUp,
  chosenShipment,
  namedLoosePicks,
  namedUnits,
  packedUnshipped,
  raised,
  unitsInParcels,
  unitsOf,
  unitsText,
} from "./order_units.ts";
import type { ReopenParcel, UnpackOrder, UnpickOrder } from "./undo_steps.schema.ts";
import { undoPackFacts, undoPickFacts } from "./undone_facts.ts";

/** The history entry of an undone step: what it concerned, then the note of the request. */
function entryOf(event: string, actor: Actor, { reason, note }: ReopenParcel, words: string): HistoryEntry {
  return { event, actor, reason, note: note === undefined ? words : `${words}. ${note}` };
}

/** Refuses: validation_failed (the reason `other` without a note). */
function requireNote({ reason, note }: ReopenParcel): void {
  if (reason === "other" && note === undefined) throw invalid("note", "is required for the reason other", "required");
}

/**
 * Returns picked units that are not packed to their bins: the items given, or all of them. They stay reserved for the
 * order. Refuses: resource_missing, invalid_state_transition, validation_failed, bin_full.
 */
export async function unpickOrder(tx: Tx, id: string, input: UnpickOrder, actor: Actor): Promise<Order> {
  requireNote(input);
  const before = await lockOrder(tx, id);
  refuseForbidden(before, "unpick");
  const units = input.items === undefined ? loosePicks(before) : namedLoosePicks(before, input.items);
  const { claims, returned } = await returnPickedUnits(tx, before.id, units, actor);
  const status = transition(orderTransitions, "unpick", before.status);
  const less = { ...withAllocations(before, claims), status };
  const order = await saveOrder(tx, before, less, entryOf("unpick", actor, input, returnedText(returned)));
  await undoPickFacts(tx, before, order, returned);
  return order;
}

/** Returned units as text: `2 of TEA to A-01, 1 of CUP to B-02 instead of A-03`. */
function returnedText(returned: readonly ReturnedUnits[]): string {
  const parts = Map.groupBy(returned, ({ sku, bin, picked_from }) => {
    const instead = picked_from === null || picked_from === bin ? "" : ` instead of ${picked_from}`;
    return `${sku} to ${bin}${instead}`;
  });
  const sum = (units: readonly ReturnedUnits[]) => units.reduce((all, { quantity }) => all + quantity, 0);
  return [...parts].map(([words, units]) => `${sum(units)} of ${words}`).join(", ");
}

/** Units to be unpacked, and the parcels that lose them. */
interface Unpacking {
  readonly units: readonly LineUnits[];
  readonly parcels: readonly LosingParcel[];
}

/**
 * The packed units that the items of a request name, or all of them, and the parcels that lose them.
 * Refuses: invalid_state_transition, validation_failed, resource_missing.
 */
export function unpackingOf(order: Order, { items }: UnpackOrder): Unpacking {
  refuseForbidden(order, "unpack");
  const units =
    items === undefined ? unitsOf(order, packedUnshipped) : addedUp(namedUnits(order, items, packedUnshipped));
  const parcelled = unitsInParcels(order);
  const loose = unitsOf(order, (line) => packedUnshipped(line) - (parcelled.get(line.id) ?? 0));
  const losing = losingParcels(order, units, loose);
  const emptied = unitsOf(unpacked(order, units), packedUnshipped).length === 0;
  const cartons = order.shipments.filter(({ status, lines }) => emptied && isUnshipped(status) && lines.length === 0);
  return { units, parcels: [...losing, ...cartons.map((shipment) => ({ shipment, units: [] }))] };
}

/**
 * The packed units of a parcel that a request names.
 * Refuses: resource_missing, invalid_state_transition (it has shipped, is voided, or holds nothing that is packed).
 */
export function reopeningOf(order: Order, shipment_id: string): Unpacking {
  const shipment = chosenShipment(order, shipment_id);
  if (!isUnshipped(shipment.status)) throw refusal(order, "reopen", `that parcel is ${shipment.status}`);
  if (!actionsOf(order).includes("unpack")) throw refusal(order, "reopen", hindrance(order, "unpack"));
  const packed = new Map(order.lines.map((line) => [line.id, packedUnshipped(line)]));
  const units = shipment.lines.flatMap(({ order_line_id, quantity }) => {
    const there = Math.min(quantity, packed.get(order_line_id) ?? 0);
    return there > 0 ? [{ order_line_id, quantity: there }] : [];
  });
  if (units.length === 0) throw refusal(order, "reopen", "that parcel holds no packed units");
  return { units, parcels: [{ shipment, units: shipment.lines }] };
}

const unpacked = (order: Order, units: readonly LineUnits[]): Order =>
  raised(
    order,
    "quantity_packed",
    units.map(({ order_line_id, quantity }) => ({ order_line_id, quantity: -quantity })),
  );

/**
 * Unpacks units of an order, which is `processing` again: the items given, or all packed ones. Its parcels without a
 * label lose them; labels must have been voided.
 * Refuses: resource_missing, invalid_state_transition, validation_failed.
 */
export async function unpackOrder(tx: Tx, id: string, input: UnpackOrder, actor: Actor): Promise<Order> {
  requireNote(input);
  const before = await lockOrder(tx, id);
  return unpack(tx, before, unpackingOf(before, input), (words) => [entryOf("unpack", actor, input, words)]);
}

/**
 * Gives up a parcel that has not shipped, and unpacks its units. Its label must have been voided.
 * Refuses: resource_missing, invalid_state_transition, validation_failed.
 */
export async function reopenParcel(
  tx: Tx,
  id: string,
  shipment_id: string,
  input: ReopenParcel,
  actor: Actor,
): Promise<Order> {
  requireNote(input);
  const before = await lockOrder(tx, id);
  const unpacking = reopeningOf(before, shipment_id);
  const parcels = unpacking.parcels.map(({ shipment }) => wireId("shipment", shipment.id)).join(", ");
  return unpack(tx, before, unpacking, (words) => [
    entryOf("reopen", actor, input, parcels),
    entryOf("unpack", actor, input, words),
  ]);
}

/** Unpacks units, with the history entries that `entriesOf` makes of their text. The last one changes the status. */
async function unpack(
  tx: Tx,
  before: Order,
  { units, parcels }: Unpacking,
  entriesOf: (words: string) => HistoryEntry[],
): Promise<Order> {
  const emptied = await withoutContents(tx, before, parcels);
  const outcome = isFulfilled(before.status) ? "unpack" : "unpack_part";
  const status = transition(orderTransitions, outcome, before.status);
  const less: Order = { ...unpacked(emptied, units), status, fulfilled_at: null };
  const entries = entriesOf(unitsText(before, units));
  const steps = entries.map((entry, at) => {
    const after = at === entries.length - 1 ? less : emptied;
    const revised = { ...before, revision: before.revision + at };
    return stepOf(tx, revised, after, entry.event === "unpack" ? { ...entry, event: outcome } : entry);
  });
  const order = await saveSteps(tx, before, steps);
  await undoPackFacts(tx, before, order, units);
  return order;
}
