import type { Tx } from "../../database/store.ts";
import type { Actor } from "../../kit/actor.ts";
import { Fault, faults } from "../../kit/fault.ts";
import type { Group, GroupOutcome } from "../../kit/sheet.ts";
import { createOrders } from "../bulk/commands.ts";
import { createOrder, productsOf } from "../commands.ts";
import { missingProducts, orderedLines, subtotalOf } from "../rules.ts";
import { findOrders, findOrdersByNumber } from "../store.ts";
import type { ImportLine } from "./columns.ts";
import { customersOf, recipientOf } from "./recipients/commands.ts";
import { inFile, inputOf, type OrderSheet, refuseOldState, refuseOther, sheetOf } from "./rules.ts";

/**
 * Creates the orders of a file that are not there yet; one that is there stays as it is and must be the same.
 * Customers and addresses that are new are made. Of an order that fails nothing is written, and others go on.
 * Refuses: validation_failed, resource_missing, duplicate_order_number, insufficient_inventory (each as an outcome).
 * Emits: order.created.
 */
export async function saveOrderGroups(
  tx: Tx,
  groups: readonly Group<ImportLine>[],
  actor: Actor,
): Promise<GroupOutcome[]> {
  const read = groups.map((group) => outcomeOf(() => sheetOf(group)));
  const sheets = read.flatMap((sheet) => ("change" in sheet ? [] : sheet));
  const ids = await findOrdersByNumber(
    tx,
    sheets.map(({ first }) => first.order_number),
  );
  const known = new Map((await findOrders(tx, [...ids.values()])).map((order) => [order.order_number, order]));
  const products = await productsOf(
    tx,
    sheets.flatMap(({ lines }) => lines),
  );
  const checked = read.map((sheet) => {
    if ("change" in sheet) return sheet;
    return outcomeOf(() => {
      const order = known.get(sheet.first.order_number);
      if (order !== undefined) {
        refuseOther(order, sheet);
        return { change: "unchanged" } as const;
      }
      refuseOldState(sheet);
      checkLines(sheet, products);
      return sheet;
    });
  });
  const fresh = checked.flatMap((sheet) => ("change" in sheet ? [] : sheet));
  const created = await createAll(tx, fresh, actor);
  let at = 0;
  return checked.map((sheet) => ("change" in sheet ? sheet : (created[at++] as GroupOutcome)));
}

/** Refuses what would fail anyway, before a customer is made for it. */
function checkLines({ lines }: OrderSheet, products: Awaited<ReturnType<typeof productsOf>>): void {
  const fields = missingProducts(lines, products);
  if (fields.length > 0) throw new Fault("resource_missing", "The order names what is not there.", { fields });
  subtotalOf(orderedLines(lines, products));
}

/** All together, or, when one of them is refused, each by itself. */
async function createAll(tx: Tx, sheets: readonly OrderSheet[], actor: Actor): Promise<GroupOutcome[]> {
  const together = await settled(tx, async (inner) => {
    const customers = await customersOf(
      inner,
      sheets.map(({ first }) => first),
    );
    const inputs = [];
    for (const sheet of sheets) inputs.push(inputOf(sheet, await recipientOf(inner, customers, sheet.first)));
    for (const made of await createOrders(inner, inputs, actor)) if (made instanceof Fault) throw made;
  });
  if (together.change !== "failed") return sheets.map(() => together);
  // An only one is tried again, too: another request may have made its customer at the same moment.
  const outcomes: GroupOutcome[] = [];
  for (const sheet of sheets) {
    const alone = await settled(tx, async (inner) => {
      const recipient = await recipientOf(inner, await customersOf(inner, [sheet.first]), sheet.first);
      await createOrder(inner, inputOf(sheet, recipient), actor);
    });
    outcomes.push(alone);
  }
  return outcomes;
}

async function settled(tx: Tx, work: (inner: Tx) => Promise<void>): Promise<GroupOutcome> {
  try {
    await tx.nested(work);
    return { change: "created" };
  } catch (error) {
    return failed(error);
  }
}

function outcomeOf<Done>(work: () => Done): Done | Extract<GroupOutcome, { change: "failed" }> {
  try {
    return work();
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Extract<GroupOutcome, { change: "failed" }> {
  if (error instanceof Fault && faults[error.code].status < 500) return { change: "failed", fault: inFile(error) };
  throw error;
}
