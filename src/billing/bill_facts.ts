import { invalid } from "../core/faults.ts";
import { wireId } from "../core/ids.ts";
import type { Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { BillableEvent, BillableFact } from "./billable_event.ts";
import { eventOf, negated, reversalOf } from "./billable_event.ts";
import {
  findEvent,
  findFact,
  insertEvent,
  insertEvents,
  insertOwnEvent,
  isReversed,
  listStanding,
} from "./billable_events.sql.ts";
import type { BilledAct } from "./billable_kinds.ts";

/** Records billable activities. Those of a transaction are stored together at its end. Refuses: nothing. */
export function billFacts(tx: Tx, facts: readonly BillableFact[]): void {
  if (facts.length === 0) return;
  tx.memo("billing.facts", () => [] as BillableFact[]).push(...facts);
  tx.atEnd("billing.facts", storeFacts);
}

async function storeFacts(tx: Tx): Promise<void> {
  const facts = tx.memo("billing.facts", () => [] as BillableFact[]).splice(0);
  await insertEvents(
    tx,
    facts.map((fact) => eventOf(fact, tx.now)),
  );
}

/** Records that a label was voided, unless its purchase was before billing began. */
export async function billVoid(
  tx: Tx,
  label_id: number,
  warehouses: readonly BillableFact["warehouse"][],
): Promise<void> {
  const bought = await findFact(tx, "label.buy", label_id);
  const warehouse = warehouses.find(({ id }) => id === bought?.warehouse_id);
  if (bought === null || warehouse === undefined) return;
  const { merchant_id, quantity, attributes } = bought;
  billFacts(tx, [{ act: "label.void", merchant_id, warehouse, quantity, source: { id: label_id }, attributes }]);
}

/** The facts of an act on a record that are not reversed, newest first, including those of this transaction. */
export async function standingFacts(tx: Tx, act: BilledAct, source_id: number): Promise<BillableEvent[]> {
  await storeFacts(tx);
  return listStanding(tx, act, source_id);
}

/** A fact whose act was undone, wholly or in part. */
export interface CorrectedFact {
  readonly fact: BillableEvent;
  readonly warehouse: BillableFact["warehouse"];
  /** What is left of it; null if nothing is. */
  readonly left: Pick<BillableFact, "quantity" | "attributes"> | null;
  /** The revision of its source. */
  readonly revision: number;
}

/**
 * Takes back facts of acts that were undone. Each is reversed as a whole, and what is left of it is recorded as a new
 * fact whose `corrects` names it, so that every fact can be priced by itself. Refuses: nothing.
 */
export async function correctFacts(tx: Tx, corrected: readonly CorrectedFact[]): Promise<void> {
  const events = corrected.flatMap(({ fact, warehouse, left, revision }) => {
    const reversal = negated(fact, tx.now, warehouse.timezone);
    if (left === null) return [reversal];
    const { corrects = wireId("billable_event", fact.id) } = fact.attributes;
    const attributes = { ...left.attributes, corrects };
    const { id: _, reversal_of: _none, ...same } = { ...fact, ...left, attributes, source_revision: revision };
    const { occurred_at, business_date } = reversal;
    return [reversal, { ...same, occurred_at, business_date, reversal_of: null }];
  });
  await insertEvents(tx, events);
}

/** Records time spent for a merchant. Refuses: nothing. */
export async function addProject(tx: Tx, project: Omit<BillableFact, "act" | "source">): Promise<BillableEvent> {
  return insertOwnEvent(tx, eventOf({ ...project, act: "project.add", source: { id: 0 } }, tx.now));
}

/** Reverses a manually recorded event, once. Refuses: validation_failed. */
export async function reverseProject(tx: Tx, id: string | number, context: ReversalContext): Promise<BillableEvent> {
  await takeTurn(tx, "billing.reversals");
  const event = await findEvent(tx, id);
  if (event === null) throw invalid("reversal_of", "is not a billable event", "resource_missing");
  const reversal = reversalOf(event, tx.now, await context.timezoneOf(event.warehouse_id), context.attributes);
  if (await isReversed(tx, event.id)) throw invalid("reversal_of", "is already reversed");
  return insertEvent(tx, reversal);
}

/** The attributes of a reversal, and the time zones of warehouses. */
interface ReversalContext {
  readonly attributes: BillableFact["attributes"];
  readonly timezoneOf: (warehouse_id: number) => Promise<string>;
}
