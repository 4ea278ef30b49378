import { invalid } from "../core/faults.ts";
import type { Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { BillableEvent, BillableFact } from "./billable_event.ts";
import { eventOf, reversalOf } from "./billable_event.ts";
import { findEvent, findFact, insertEvent, insertEvents, insertOwnEvent, isReversed } from "./billable_events.sql.ts";

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
