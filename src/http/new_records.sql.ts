// Finds the ids that a dry run allotted: their records do not exist once it is undone.
import { order_holds, order_lines, orders } from "../../db/schema/orders.ts";
import { refunds, returns } from "../../db/schema/returns.ts";
import { shipments } from "../../db/schema/shipments.ts";
import { type IdNoun, readId } from "../core/ids.ts";
import type { Db } from "../storage/database.ts";
import { preparedOf } from "../storage/statements.ts";

type CreatableTable =
  | typeof orders
  | typeof order_lines
  | typeof order_holds
  | typeof shipments
  | typeof returns
  | typeof refunds;

const existingIn = (table: CreatableTable) =>
  preparedOf((sql, isOf) => sql.select({ id: table.id }).from(table).where(isOf(table.id)));

/** The nouns of the records that an act with a dry run can create. */
const existing = {
  order: existingIn(orders),
  order_line: existingIn(order_lines),
  hold: existingIn(order_holds),
  shipment: existingIn(shipments),
  return: existingIn(returns),
  refund: existingIn(refunds),
} as const satisfies Partial<Record<IdNoun, ReturnType<typeof existingIn>>>;

/** Returns the ids without a record, among ids of records that an act with a dry run can create. */
export async function findIdsWithoutRecord(db: Db, ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const without_record = new Set<string>();
  for (const [noun, find] of Object.entries(existing)) {
    const named = [...ids].flatMap((text) => {
      const id = text.includes("_") ? readId(noun as IdNoun, text) : null;
      return id === null ? [] : [{ text, id }];
    });
    if (named.length === 0) continue;
    const found = new Set((await find(db, { ids: named.map(({ id }) => id) })).map(({ id }) => id));
    for (const { text, id } of named) if (!found.has(id)) without_record.add(text);
  }
  return without_record;
}
