import type { Tx } from "../../../database/store.ts";
import { listCalendars } from "../../../inventory/warehouses/store.ts";
import type { Actor } from "../../../kit/actor.ts";
import { Fault } from "../../../kit/fault.ts";
import type { Group, Outcome } from "../../../kit/sheet.ts";
import { draftOrders, fromApi } from "../../drafts/commands.ts";
import { insertFirstHistory } from "../../history/store.ts";
import { asActive } from "../../rules.ts";
import { insertPastShipments } from "../../shipments/store.ts";
import { findOrdersByNumber, insertLinesOf, insertOrders } from "../../store.ts";
import { inputsOf, outcomeOf, saveSheets } from "../open/commands.ts";
import type { PastLine } from "./columns.ts";
import { type PastSheet, pastDraft, pastParcels, pastSheetOf, refuseKnown } from "./rules.ts";

/**
 * Brings in orders of the past, each once: they touch no stock and nobody is told of them. One that is there already
 * stays as it is and must be the same. Customers and addresses that are new are made. Of an order that fails nothing is
 * written, and others go on.
 * Refuses: validation_failed, resource_missing, duplicate_order_number (each as an outcome).
 */
export async function savePastGroups(tx: Tx, groups: readonly Group<PastLine>[], actor: Actor): Promise<Outcome[]> {
  const warehouses = await listCalendars(tx);
  const read = groups.map((group) => outcomeOf(() => pastSheetOf(group, tx.now, warehouses)));
  return saveSheets<PastSheet>(tx, read, {
    refuse: () => {},
    sold: asActive,
    create: (inner, sheets) => storePast(inner, sheets, actor),
  });
}

async function storePast(tx: Tx, sheets: readonly PastSheet[], actor: Actor): Promise<void> {
  const drafts = await draftOrders(tx, await inputsOf(tx, sheets), fromApi, true);
  const past = drafts.map((draft, at) => {
    if (draft instanceof Fault) throw draft;
    const sheet = sheets[at] as PastSheet;
    return { sheet, ...pastDraft(draft, sheet) };
  });
  const ids = await insertOrders(
    tx,
    past.map(({ fields }) => fields),
  );
  const taken = past.find(({ fields }) => !ids.has(fields.order_number));
  if (taken !== undefined) {
    // Another request brought it in at this moment.
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
