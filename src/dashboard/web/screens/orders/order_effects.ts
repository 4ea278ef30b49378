// The effects of an action on an order as texts, from the order before and after a rehearsal.
import type { RehearsedEvent } from "../../api/client.ts";
import type { Order, OrderPreview, RehearsedOrder } from "../../api/types.ts";
import { count, date, dateTime, money } from "../../text/format.ts";
import { effectTexts as texts } from "../../text/order.ts";
import { stateWords } from "../../text/states.ts";
import { type LineCounter, parcelTitle, unitsOf } from "./order_facts.ts";

const counters = ["cancelled", "picked", "packed", "shipped", "delivered"] as const;
/** What a counter that goes down is called. */
const undone = { picked: "unpicked", packed: "unpacked" } as const;

type LineCounters = Parameters<typeof unitsOf>[0];

const counted = (line: LineCounters | undefined, counter: LineCounter) =>
  line === undefined ? 0 : unitsOf(line, counter);

/** Finds records of the order by id. What the action would create has none. */
function finder<Found extends { readonly id: string | null }>(records: readonly Found[]) {
  const of = new Map(records.map((one) => [one.id, one]));
  return (id: string | null) => (id === null ? undefined : of.get(id));
}

/** The effects of an action, most important first. */
export function orderEffects(before: Order, after: RehearsedOrder, events: readonly RehearsedEvent[]): string[] {
  const split_off = "split_off" in after ? after.split_off : null;
  return [
    ...stateEffects(before, after),
    ...parcelEffects(before, after),
    ...lineEffects(before, after, split_off !== null),
    ...(split_off === null ? [] : splitEffects(split_off)),
    ...otherEffects(before, after, split_off !== null),
    ...stockEffects(events),
  ];
}

function stateEffects(before: Order, after: RehearsedOrder): string[] {
  const changed = before.status !== after.status;
  const known = finder(before.holds);
  const effects: string[] = [];
  for (const hold of after.holds) {
    const old = known(hold.id);
    if (old !== undefined && old.note === hold.note && old.hold_until === hold.hold_until) continue;
    const reason = stateWords(hold.reason).toLowerCase();
    effects.push(hold.hold_until === null ? texts.held(reason) : texts.heldUntil(reason, dateTime(hold.hold_until)));
  }
  const left = finder(after.holds);
  const ended = before.holds.filter(({ id }) => left(id) === undefined);
  for (const { reason } of ended) effects.push(texts.released(stateWords(reason).toLowerCase()));
  if (ended.length > 0 && after.holds.length > 0) {
    effects.push(texts.heldStill(after.holds.map(({ reason }) => stateWords(reason).toLowerCase()).join(", ")));
  }
  if (changed && after.status !== "on_hold") effects.push(texts.becomes(stateWords(after.status).toLowerCase()));
  return effects;
}

function parcelEffects(before: Order, after: RehearsedOrder): string[] {
  const known = finder(before.shipments);
  return after.shipments.flatMap((parcel) => {
    const old = known(parcel.id);
    const name = parcelTitle(after.shipments, parcel);
    if (old === undefined) return texts.parcelOpened(parcel.items.reduce((sum, { quantity }) => sum + quantity, 0));
    if (old.status === parcel.status) return [];
    if (parcel.status === "voided") {
      return parcel.tracking_number === null ? texts.parcelGivenUp(name) : texts.parcelVoided(name);
    }
    if (parcel.status === "shipped") return texts.parcelShipped(name);
    return parcel.status === "delivered" ? texts.parcelArrived(name) : [];
  });
}

function lineEffects(before: Order, after: RehearsedOrder, is_split: boolean): string[] {
  const known = finder(before.line_items);
  const left = finder(after.line_items);
  const done = after.line_items.flatMap((line) =>
    counters.flatMap((counter) => {
      const more = counted(line, counter) - counted(known(line.id), counter);
      return more > 0 ? texts[counter](line.sku, more) : [];
    }),
  );
  const taken_back = after.line_items.flatMap((line) =>
    (["packed", "picked"] as const).flatMap((counter) => {
      const old = known(line.id);
      const fewer = counted(old, counter) - counted(line, counter);
      // Cancelled units are not unpicked or unpacked as well.
      return fewer > 0 && counted(line, "cancelled") === counted(old, "cancelled")
        ? texts[undone[counter]](line.sku, fewer)
        : [];
    }),
  );
  const changed = before.line_items.flatMap(({ id, sku, quantity }) => {
    const more = (left(id)?.quantity ?? 0) - quantity;
    if (more > 0) return texts.added(sku, more);
    return more < 0 ? (is_split ? texts.moved : texts.removed)(sku, -more) : [];
  });
  const added = after.line_items.filter(({ id }) => known(id) === undefined);
  return [...changed, ...taken_back, ...added.map(({ sku, quantity }) => texts.added(sku, quantity)), ...done];
}

function splitEffects(split_off: OrderPreview): string[] {
  const units = split_off.line_items.reduce((sum, line) => sum + line.quantity, 0);
  const waiting = split_off.allocation.backordered_units;
  const made = texts.splitOff(split_off.order_number, units);
  return waiting === 0 ? [made] : [made, texts.splitWaits(split_off.order_number, waiting)];
}

function otherEffects(before: Order, after: RehearsedOrder, is_split: boolean): string[] {
  const effects: string[] = [];
  if (after.status === "cancelled") return effects;
  const waits = after.allocation.backordered_units;
  if (waits !== before.allocation.backordered_units) effects.push(waits === 0 ? texts.waitsNoMore : texts.waits(waits));
  if (before.shipping_address_id !== after.shipping_address_id) effects.push(texts.address);
  if (before.subtotal !== after.subtotal && !is_split) {
    effects.push(texts.goodsCost(money(before.subtotal, before.currency), money(after.subtotal, after.currency)));
  }
  const leaves = after.estimated_ship_date;
  if (after.shipped_at === null && leaves !== null && leaves !== before.estimated_ship_date)
    effects.push(texts.shipsBy(date(leaves)));
  return effects;
}

/** The effects on the stock of each SKU. */
export function stockEffects(events: readonly RehearsedEvent[]): string[] {
  return events.flatMap(({ type, id, changes }) => {
    if (type !== "inventory.updated" || id === null) return [];
    const words = Object.entries(texts.stockFields).flatMap(([field, name]) => {
      const change = changes[field];
      return change ? texts.stockChange(name, count(Number(change.from)), count(Number(change.to))) : [];
    });
    return words.length === 0 ? [] : texts.stock(id, words);
  });
}
