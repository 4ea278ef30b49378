// Takes back the billable facts of picks and packs that were undone.
import { type CorrectedFact, correctFacts, standingFacts } from "../../billing/bill_facts.ts";
import { type BillableEvent, type BilledPacks, packsWithin } from "../../billing/billable_event.ts";
import { assert } from "../../core/faults.ts";
import { listStaged } from "../../inventory/reservations/allocations.sql.ts";
import type { LineUnits } from "../../inventory/reservations/reservation.ts";
import type { ReturnedUnits } from "../../inventory/reservations/return_picked_units.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { isGivenUp } from "../order.transitions.ts";
import { type Order, type OrderLine, partsOf } from "../order.ts";
import { packingPlaces, sharesOf } from "./packing.ts";
import type { Shipment } from "./shipment.ts";

type Attributes = BillableEvent["attributes"];

/** What facts of picks say about their line. */
interface PickAttributes {
  readonly sku: string;
  readonly first_of_order: boolean;
  /** The whole sets of a bundle, and the units of its components. */
  readonly sets?: number;
  readonly components?: readonly BilledComponent[];
  readonly packs?: readonly BilledPacks[];
}

const pickAttributes = (attributes: Attributes) => attributes as unknown as PickAttributes;

/** What facts of packs say about their parcels. */
interface PackAttributes {
  readonly parcels: number;
  readonly skus: number;
  readonly packages: readonly object[];
}

/** Units of a component in a fact about a bundle. */
interface BilledComponent {
  readonly sku: string;
  readonly quantity: number;
}

/** A fact, and what is left of it. */
type ChangedFact = Pick<CorrectedFact, "fact" | "left">;

/** Takes back the facts of picked units that returned to the shelf, newest first. */
export async function undoPickFacts(
  tx: Tx,
  before: Order,
  after: Order,
  returned: readonly ReturnedUnits[],
): Promise<void> {
  const facts = await standingFacts(tx, "order.pick", before.id);
  const groups = Map.groupBy(returned, ({ order_line_id, warehouse_id }) => `${order_line_id} ${warehouse_id}`);
  const lost = new Map(before.lines.map((line) => [line.id, wholeSets(line) - wholeSets(lineOf(after, line.id))]));
  const changed = [...groups.values()].flatMap((units) => {
    const [first] = units;
    const own = facts.filter(
      (fact) => fact.source_line === first?.order_line_id && fact.warehouse_id === first.warehouse_id,
    );
    return lessPicked(own, units, lost);
  });
  await correct(tx, after, withFirst(facts, changed));
}

function lineOf({ lines }: Order, id: number): OrderLine {
  const line = lines.find((one) => one.id === id);
  assert(line, `order line ${id} exists`);
  return line;
}

/** The whole sets of a line in staging. */
function wholeSets(line: OrderLine): number {
  return Math.min(...partsOf(line).map(({ picked, quantity }) => Math.floor(picked / quantity)));
}

/** What is left of the facts of a line in one warehouse, newest first. `lost` has the sets that each line loses. */
function lessPicked(
  facts: readonly BillableEvent[],
  units: readonly ReturnedUnits[],
  lost: Map<number, number>,
): readonly ChangedFact[] {
  const open = new Map<string, number>();
  for (const { sku, quantity } of units) open.set(sku, (open.get(sku) ?? 0) + quantity);
  const take = (sku: string, most: number) => {
    const taken = Math.min(open.get(sku) ?? 0, most);
    open.set(sku, (open.get(sku) ?? 0) - taken);
    return taken;
  };
  const changed = facts.flatMap((fact): ChangedFact[] => {
    const { attributes, quantity, source_line } = fact;
    const { sku, components, packs, sets: billed = 0 } = pickAttributes(attributes);
    if (components === undefined) {
      const taken = take(sku, quantity);
      const rest = quantity - taken;
      return taken === 0 ? [] : [{ fact, left: leftOf(rest, { ...attributes, ...packsWithin(packs, rest) }) }];
    }
    const rest = components.map((part) => ({ ...part, quantity: part.quantity - take(part.sku, part.quantity) }));
    const left = rest.reduce((sum, part) => sum + part.quantity, 0);
    if (left === quantity) return [];
    const gone = lost.get(source_line) ?? 0;
    const sets = Math.max(0, billed - gone);
    lost.set(source_line, gone - (billed - sets));
    return [{ fact, left: leftOf(left, { ...attributes, components: rest, sets }) }];
  });
  return asOne(changed);
}

/** An act records one fact of a line in a warehouse, so what is left of several facts about a bundle is added up. */
function asOne(changed: readonly ChangedFact[]): readonly ChangedFact[] {
  const [first, ...others] = changed.filter(({ left }) => left !== null);
  if (first === undefined || others.length === 0) return changed;
  const sum = (of: (left: NonNullable<ChangedFact["left"]>) => number) =>
    [first, ...others].reduce((all, { left }) => all + (left === null ? 0 : of(left)), 0);
  const partsIn = ({ attributes }: { readonly attributes: Attributes }) => pickAttributes(attributes).components ?? [];
  const attributes = {
    ...first.fact.attributes,
    first_of_order: [first, ...others].some(({ fact }) => isFirst(fact)),
    sets: sum((left) => pickAttributes(left.attributes).sets ?? 0),
    components: partsIn(first.fact).map((part, at) => {
      return { ...part, quantity: sum((left) => partsIn(left)[at]?.quantity ?? 0) };
    }),
  };
  const left = { quantity: sum(({ quantity }) => quantity), attributes };
  return changed.map((one) => (one === first ? { ...one, left } : { ...one, left: null }));
}

const isFirst = ({ attributes }: BillableEvent) => pickAttributes(attributes).first_of_order;

const leftOf = (quantity: number, attributes: Attributes) => (quantity === 0 ? null : { quantity, attributes });

/** If the order's first pick is taken back and others stay, the oldest of these is the first one now. */
function withFirst(facts: readonly BillableEvent[], changed: readonly ChangedFact[]): readonly ChangedFact[] {
  const loses = changed.some(({ fact, left }) => left === null && isFirst(fact));
  if (!loses) return changed;
  const leftOfFact = (fact: BillableEvent) => {
    const change = changed.find((one) => one.fact === fact);
    return change === undefined ? fact : change.left;
  };
  const oldest = facts.toReversed().find((fact) => leftOfFact(fact) !== null);
  const left = oldest === undefined ? null : leftOfFact(oldest);
  if (oldest === undefined || left === null) return changed;
  const { quantity, attributes } = left;
  const first = { fact: oldest, left: { quantity, attributes: { ...attributes, first_of_order: true } } };
  return [...changed.filter(({ fact }) => fact !== oldest), first];
}

/**
 * Takes back the facts of units that were unpacked: those of the parcels that lose units, then the newest. `after` is
 * the order without these units packed.
 */
export async function undoPackFacts(tx: Tx, before: Order, after: Order, units: readonly LineUnits[]): Promise<void> {
  const facts = await standingFacts(tx, "order.pack", before.id);
  const emptied = changedParcels(before, after);
  const emptied_at = new Set(emptied.map(({ created_at }) => created_at));
  facts.sort((a, b) => Number(emptied_at.has(b.occurred_at)) - Number(emptied_at.has(a.occurred_at)) || b.id - a.id);
  const [default_id = 0, ...others] = packingPlaces(before, []);
  const staged = others.length === 0 ? null : await listStaged(tx, before.id);
  const left = new Map(facts.map((fact) => [fact, fact.quantity]));
  for (const { warehouse_id, units: packed } of sharesOf(after, { units, parcels: 1 }, default_id, staged)) {
    let open = packed.reduce((sum, { quantity }) => sum + quantity, 0);
    // It is not recorded which units were packed, so another warehouse may have to do.
    const there = (fact: BillableEvent) => fact.warehouse_id === warehouse_id;
    for (const fact of [...facts.filter(there), ...facts.filter((one) => !there(one))]) {
      const taken = Math.min(open, left.get(fact) ?? 0);
      left.set(fact, (left.get(fact) ?? 0) - taken);
      open -= taken;
    }
  }
  const changed = facts.flatMap((fact): ChangedFact[] => {
    const quantity = left.get(fact) ?? 0;
    if (quantity === fact.quantity) return [];
    return [{ fact, left: leftOf(quantity, lessPacked(fact, before, after)) }];
  });
  await correct(tx, after, changed);
}

/** The parcels that have lost units, as they are now. */
function changedParcels(before: Order, after: Order): Shipment[] {
  return after.shipments.filter((shipment) => !before.shipments.includes(shipment));
}

/** What a fact says about parcels, without those that were given up. */
function lessPacked({ attributes, occurred_at }: BillableEvent, before: Order, after: Order): Attributes {
  const { packages: described, ...counts } = attributes as unknown as PackAttributes;
  const siblings = before.shipments.filter(({ created_at }) => created_at === occurred_at);
  const now = new Map(after.shipments.map((shipment) => [shipment.id, shipment]));
  const gone = changedParcels(before, after).filter(({ status }) => isGivenUp(status)).length;
  const packages =
    siblings.length === described.length
      ? described.flatMap((one, at) => {
          const parcel = now.get(siblings[at]?.id ?? 0);
          if (parcel === undefined || isGivenUp(parcel.status)) return [];
          return parcel === siblings[at] ? one : { ...one, weight: null, weight_unit: null, weight_is: null };
        })
      : described;
  const parcels = siblings.length === described.length ? packages.length : counts.parcels - gone;
  const skus = new Set(after.lines.flatMap((line) => (line.quantity_packed > 0 ? line.sku : []))).size;
  return {
    ...attributes,
    packages,
    parcels: Math.max(1, parcels),
    skus: Math.max(1, Math.min(counts.skus, skus)),
  };
}

async function correct(tx: Tx, { revision }: Order, changed: readonly ChangedFact[]): Promise<void> {
  if (changed.length === 0) return;
  const calendars = await listCalendars(tx);
  const corrected = changed.map(({ fact, left }) => {
    const warehouse = calendars.find(({ id }) => id === fact.warehouse_id);
    assert(warehouse, `warehouse ${fact.warehouse_id} exists`);
    return { fact, warehouse, left, revision };
  });
  await correctFacts(tx, corrected);
}
