import type { Actor } from "../../core/actor.ts";
import type { CsvRowGroup, CsvRowOutcome, FailedRow } from "../../core/csv_columns.ts";
import { Fault, faults, ofFields } from "../../core/faults.ts";
import { default_currency } from "../../core/money.ts";
import type { Tx } from "../../storage/database.ts";
import { createOrders } from "../lifecycle/create_order.ts";
import { productsOf } from "../lifecycle/draft_orders.ts";
import type { CreateOrder } from "../order.schema.ts";
import { missingProducts, type OrderedProduct, orderedLines, subtotalOf } from "../order_lines.ts";
import { findOrders, findOrdersByNumber } from "../orders.sql.ts";
import { customersOf, recipientOf } from "./csv_recipients.ts";
import type { OrderCsvLine } from "./order_csv.schema.ts";
import { type CsvOrder, csvOrderOf, inFile, inputOf, refuseOldState, refuseOther } from "./order_csv.ts";

/**
 * Creates the orders of a CSV that do not exist yet. An existing order stays as it is and must be the same. New
 * customers and addresses are created. An order that fails writes nothing, and the others continue.
 * Refuses: validation_failed, resource_missing, duplicate_order_number, insufficient_inventory (each as an outcome).
 * Emits: order.created.
 */
export async function saveOrderGroups(
  tx: Tx,
  groups: readonly CsvRowGroup<OrderCsvLine>[],
  actor: Actor,
): Promise<CsvRowOutcome[]> {
  const read = groups.map((group) => outcomeOf(() => csvOrderOf(group)));
  return saveCsvOrders<CsvOrder>(tx, read, {
    refuse: refuseOldState,
    sold: (product) => product,
    create: async (inner, sheets) => {
      const inputs = await inputsOf(inner, sheets);
      for (const created of await createOrders(
        inner,
        inputs.map((input) => ({ input, actor })),
      )) {
        if (created instanceof Fault) throw created;
      }
    },
  });
}

/** How the orders of one kind of CSV are created. */
interface OrderMaker<Sheet> {
  /** Refuses an order that cannot be created. */
  readonly refuse: (sheet: Sheet) => void;
  /** Returns a product as it may be ordered. */
  readonly sold: (product: OrderedProduct) => OrderedProduct;
  /** Creates some orders, all of them or none. */
  readonly create: (inner: Tx, sheets: readonly Sheet[]) => Promise<void>;
}

/** Creates the orders that do not exist yet. An existing one stays as it is and must be the same. */
export async function saveCsvOrders<Sheet extends CsvOrder>(
  tx: Tx,
  read: readonly (Sheet | CsvRowOutcome)[],
  { refuse, sold, create }: OrderMaker<Sheet>,
): Promise<CsvRowOutcome[]> {
  const sheets = read.flatMap((sheet) => ("change" in sheet ? [] : sheet));
  const ids = await findOrdersByNumber(
    tx,
    sheets.map(({ first }) => first.order_number),
  );
  const known = new Map((await findOrders(tx, [...ids.values()])).map((order) => [order.order_number, order]));
  const named = await productsOf(
    tx,
    sheets.flatMap(({ lines }) => lines),
  );
  const products = named.map(sold);
  const checked = read.map((sheet) => {
    if ("change" in sheet) return sheet;
    return outcomeOf(() => {
      const order = known.get(sheet.first.order_number);
      if (order !== undefined) {
        refuseOther(order, sheet);
        return { change: "unchanged" } as const;
      }
      refuse(sheet);
      checkLines(sheet, products);
      return sheet;
    });
  });
  const created = await createAll(
    tx,
    checked.flatMap((sheet) => ("change" in sheet ? [] : sheet)),
    create,
  );
  let at = 0;
  return checked.map((sheet) => ("change" in sheet ? sheet : (created[at++] as CsvRowOutcome)));
}

/** The orders as a client would send them. New customers and addresses are created. */
export async function inputsOf(tx: Tx, sheets: readonly CsvOrder[]): Promise<CreateOrder[]> {
  const customers = await customersOf(
    tx,
    sheets.map(({ first }) => first),
  );
  const inputs: CreateOrder[] = [];
  for (const sheet of sheets) inputs.push(inputOf(sheet, await recipientOf(tx, customers, sheet.first)));
  return inputs;
}

/**
 * Refuses what would fail anyway, before a customer is created for it. Refuses: resource_missing, validation_failed.
 */
function checkLines({ first, lines }: CsvOrder, products: readonly OrderedProduct[]): void {
  const fields = missingProducts(lines, products);
  if (fields.length > 0) throw ofFields("resource_missing", fields);
  subtotalOf(orderedLines(lines, products, first.currency ?? default_currency));
}

async function createAll<Sheet extends CsvOrder>(
  tx: Tx,
  sheets: readonly Sheet[],
  create: (inner: Tx, sheets: readonly Sheet[]) => Promise<void>,
): Promise<CsvRowOutcome[]> {
  if (sheets.length === 0) return [];
  const together = await settled(tx, (inner) => create(inner, sheets));
  if (together.change !== "failed") return sheets.map(created);
  // A single one is tried again too: another request may have created its customer at the same moment.
  const outcomes: CsvRowOutcome[] = [];
  for (const sheet of sheets) {
    const alone = await settled(tx, (inner) => create(inner, [sheet]));
    outcomes.push(alone.change === "failed" ? alone : created(sheet));
  }
  return outcomes;
}

/** The outcome of a new order, with the fields of all of its rows. */
function created({ first, lines }: CsvOrder): CsvRowOutcome {
  const skus = lines.map(({ sku }) => sku).join(", ");
  const quantity = lines.reduce((sum, line) => sum + line.quantity, 0);
  return { change: "created", effect: { before: null, after: { ...first, sku: skus, quantity } } };
}

async function settled(tx: Tx, work: (inner: Tx) => Promise<void>): Promise<CsvRowOutcome> {
  try {
    await tx.nested(work);
    return { change: "created" };
  } catch (error) {
    return failed(error);
  }
}

/** The result of `work`, or its refusal as the outcome of a group. */
export function outcomeOf<Done>(work: () => Done): Done | FailedRow {
  try {
    return work();
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): FailedRow {
  if (error instanceof Fault && faults[error.code].status < 500) return { change: "failed", fault: inFile(error) };
  throw error;
}
