import type { Actor } from "../../core/actor.ts";
import type { CsvRowGroup, CsvRowOutcome } from "../../core/csv_columns.ts";
import { Fault } from "../../core/faults.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { insertPastShipments } from "../fulfillment/shipments.sql.ts";
import { draftOrders, fromApi } from "../lifecycle/draft_orders.ts";
import { insertLinesOf } from "../order_lines.sql.ts";
import { asActive } from "../order_lines.ts";
import { findOrdersByNumber, insertOrders } from "../orders.sql.ts";
import { insertFirstHistory } from "../search/order_history.sql.ts";
import { inputsOf, outcomeOf, saveCsvOrders } from "./import_orders.ts";
import { type PastCsvOrder, pastCsvOrderOf, pastDraft, pastParcels, refuseKnown } from "./past_order.ts";
import type { PastOrderCsvLine } from "./past_order_csv.schema.ts";

/**
 * Imports past orders, each once: they change no stock and emit no events. An existing order stays as it is and must be
 * the same. New customers and addresses are created. An order that fails writes nothing, and the others continue.
 * Refuses: validation_failed, resource_missing, duplicate_order_number (each as an outcome).
 */
export async function savePastGroups(
  tx: Tx,
  groups: readonly CsvRowGroup<PastOrderCsvLine>[],
  actor: Actor,
): Promise<CsvRowOutcome[]> {
  const warehouses = await listCalendars(tx);
  const read = groups.map((group) => outcomeOf(() => pastCsvOrderOf(group, tx.now, warehouses)));
  return saveCsvOrders<PastCsvOrder>(tx, read, {
    refuse: () => {},
    sold: asActive,
    create: (inner, sheets) => storePast(inner, sheets, actor),
  });
}

async function storePast(tx: Tx, sheets: readonly PastCsvOrder[], actor: Actor): Promise<void> {
  const requested = (await inputsOf(tx, sheets)).map((input) => ({ input }));
  const drafts = await draftOrders(tx, requested, fromApi, true);
  const past = drafts.map((draft, at) => {
    if (draft instanceof Fault) throw draft;
    const sheet = sheets[at] as PastCsvOrder;
    return { sheet, ...pastDraft(draft, sheet) };
  });
  const ids = await insertOrders(
    tx,
    past.map(({ fields }) => fields),
  );
  const taken = past.find(({ fields }) => !ids.has(fields.order_number));
  if (taken !== undefined) {
    // Another request imported it at the same moment.
    const { order_number } = taken.fields;
    refuseKnown(taken.sheet, (await findOrdersByNumber(tx, [order_number])).get(order_number) ?? 0);
  }
  const stored = past.map(({ fields: { order_number, merchant_id, status, created_at }, sheet, lines }) => {
    const id = ids.get(order_number) ?? 0;
    const of_order = { order_id: id, merchant_id, ordered_at: created_at };
    return { id, merchant_id, status, sheet, lines: lines.map((line) => ({ ...of_order, ...line })) };
  });
  const lines = Map.groupBy(
    await insertLinesOf(
      tx,
      stored.flatMap((order) => order.lines),
    ),
    ({ order_id }) => order_id,
  );
  const parcels = stored.flatMap(({ id, merchant_id, sheet }) =>
    pastParcels({ id, merchant_id }, lines.get(id) ?? [], sheet),
  );
  if (parcels.length > 0) await insertPastShipments(tx, parcels);
  await insertFirstHistory(
    tx,
    stored.map(({ id, status }) => ({ id, status, event: "imported", actor })),
  );
}
