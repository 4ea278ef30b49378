import { and, asc, eq, or, sql } from "drizzle-orm";
import { among, amongTexts, list, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { reservations } from "../../../db/schema/reservations.ts";
import { Fault } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db } from "../../storage/database.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import { refuseAmbiguousOwner } from "../../storage/tenant.ts";
import type { Reservation } from "./reservation.ts";

const ofOrders = prepared((select, a: StatementArgs<{ order_id: number; order_ref: string }>) =>
  select
    .select()
    .from(reservations)
    .where(
      and(
        sql`${reservations.order_id} is not null`,
        or(eq(reservations.order_id, opaque(a.order_id)), eq(reservations.order_ref, a.order_ref)),
      ),
    )
    .orderBy(asc(reservations.id)),
);

/** Whether a client's name for an order may be its number. Integers and `ord_N` are always ids. */
export function mayBeNumber(name: string | number): name is string {
  return typeof name === "string" && !/^ord_\d+$/.test(name);
}

/**
 * The reservation of the order that a client names, or null. Integers and `ord_N` are ids. Any other text is a number;
 * all digits may also be an id. With `merchant_id`, only that merchant's orders count.
 * Refuses: ambiguous_identifier, merchant_required.
 */
export async function findOrderNumber(
  db: Db,
  name: string | number,
  merchant_id: number | null,
): Promise<Reservation | null> {
  const order_ref = mayBeNumber(name) ? name : "";
  const matches = await ofOrders(db, { order_id: readId("order", name) ?? 0, order_ref });
  const [own = null, ...others] = matches.filter((row) => merchant_id === null || row.merchant_id === merchant_id);
  if (others.length === 0) return own;
  refuseAmbiguousOwner(
    matches.filter((row) => row.order_ref === order_ref),
    () => order_ref,
  );
  throw new Fault("ambiguous_identifier", `${name} is the number of one order and the id of another.`, {
    fields: [{ field: "order_id", code: "ambiguous_identifier", message: "may be two orders; write ord_N" }],
  });
}

const claimed = prepared((select, a: StatementArgs<{ ids: string; refs: string }>) =>
  select
    .select({ id: reservations.order_id, number: reservations.order_ref, merchant_id: reservations.merchant_id })
    .from(reservations)
    .where(
      and(
        sql`${reservations.order_id} is not null`,
        or(among(reservations.order_id, a.ids), amongTexts(reservations.order_ref, a.refs)),
      ),
    ),
);
const past = prepared((select, a: StatementArgs<{ ids: string; numbers: string }>) =>
  select
    .select({ id: orders.id, number: orders.order_number, merchant_id: orders.merchant_id })
    .from(orders)
    .where(and(orders.imported, or(among(orders.id, a.ids), amongTexts(orders.order_number, a.numbers)))),
);

/** Those of these names that match an existing order of the merchant, imported past orders included. */
export async function findKnownOrderNumbers(
  db: Db,
  names: readonly (string | number)[],
  merchant_id: number,
): Promise<Set<string | number>> {
  if (names.length === 0) return new Set();
  const ids = list(names.map((name) => readId("order", name) ?? 0));
  const numbers = list(names.filter(mayBeNumber));
  const all = [...(await claimed(db, { ids, refs: numbers })), ...(await past(db, { ids, numbers }))];
  const matches = all.filter((row) => row.merchant_id === merchant_id);
  const known = new Set(matches.flatMap(({ id, number }) => [id ?? 0, number]));
  return new Set(
    names.filter((name) => known.has(readId("order", name) ?? 0) || (mayBeNumber(name) && known.has(name))),
  );
}

const ofThePast = prepared((select, a: StatementArgs<{ id: number; order_number: string }>) =>
  select
    .select({ id: orders.id, merchant_id: orders.merchant_id })
    .from(orders)
    .where(and(orders.imported, or(eq(orders.id, opaque(a.id)), eq(orders.order_number, a.order_number)))),
);

/**
 * The id of the merchant's imported past order that a client names, or null. Such an order has no reservation: its
 * goods left elsewhere.
 */
export async function findPastOrderNumber(db: Db, name: string | number, merchant_id: number): Promise<number | null> {
  const order_number = mayBeNumber(name) ? name : "";
  const matches = await ofThePast(db, { id: readId("order", name) ?? 0, order_number });
  return matches.find((row) => row.merchant_id === merchant_id)?.id ?? null;
}
