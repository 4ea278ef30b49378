// Queries for personal data that was added to orders after they were erased: a return with notes, a label, a scan.
import { and, eq, inArray, isNotNull, ne, or, type SQL, sql as template } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, list } from "../../db/kit.ts";
import { order_history, order_holds, orders, staff_notes } from "../../db/schema/orders.ts";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { platform_imports } from "../../db/schema/platforms.ts";
import { refunds, return_inspections, return_items, returns } from "../../db/schema/returns.ts";
import { label_documents, labels, shipments } from "../../db/schema/shipments.ts";
import { tracking_events, tracking_records } from "../../db/schema/tracking.ts";
import type { Db, ReadStatements } from "../storage/database.ts";
import { erased_email, type PersonalKind, personalRecords } from "./personal_records.ts";

const nulled = new Map(
  personalRecords.map(({ kind, columns }) => [
    kind,
    Object.keys(columns).filter((column) => columns[column] === "null"),
  ]),
);

/** The condition that a row of a kind has a value in a column that an erasure sets to null. */
function holdsPersonalData(kind: PersonalKind, rows: PgTable): SQL {
  const columns = rows as PgTable & { readonly [column: string]: AnyPgColumn };
  return or(...(nulled.get(kind) ?? []).map((column) => isNotNull(columns[column] as AnyPgColumn))) as SQL;
}

type OrderOwned = { readonly order_id: AnyPgColumn };

/** One query per kind for the orders among `ids` (as `list` formats them) whose records contain personal data. */
function queriesOf(sql: ReadStatements, ids: string) {
  const of = ({ order_id }: OrderOwned) => among(order_id, template`${ids}`);
  const own = (kind: PersonalKind, rows: PgTable & OrderOwned, condition = holdsPersonalData(kind, rows)) =>
    sql
      .selectDistinct({ id: rows.order_id })
      .from(rows as PgTable)
      .where(and(of(rows), condition));
  // Every label has a fingerprint until it is erased.
  const label = or(ne(labels.fingerprint, ""), holdsPersonalData("labels", labels)) as SQL;
  const back = or(
    holdsPersonalData("returns", returns),
    template`${returns.return_shipping} ->> 'label_url' is not null`,
  ) as SQL;
  const ofReturns = () => sql.selectDistinct({ id: returns.order_id }).from(returns).$dynamic();
  return [
    own("staff_notes", staff_notes, template`1 = 1`),
    ...[own("holds", order_holds), own("history", order_history), own("shipments", shipments)],
    ...[own("labels", labels, label), own("returns", returns, back), own("tracking", tracking_records)],
    ...[own("reports_to_platforms", platform_reports), own("imports", platform_imports)],
    sql
      .selectDistinct({ id: labels.order_id })
      .from(labels)
      .innerJoin(label_documents, eq(label_documents.label_id, labels.id))
      .where(of(labels)),
    sql
      .selectDistinct({ id: shipments.order_id })
      .from(shipments)
      .innerJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
      .where(and(of(shipments), holdsPersonalData("tracking", tracking_records))),
    sql
      .selectDistinct({ id: shipments.order_id })
      .from(shipments)
      .innerJoin(tracking_records, eq(tracking_records.shipment_id, shipments.id))
      .innerJoin(tracking_events, eq(tracking_events.record_id, tracking_records.id))
      .where(and(of(shipments), holdsPersonalData("scans", tracking_events))),
    sql
      .selectDistinct({ id: tracking_records.order_id })
      .from(tracking_records)
      .innerJoin(tracking_events, eq(tracking_events.record_id, tracking_records.id))
      .where(and(of(tracking_records), holdsPersonalData("scans", tracking_events))),
    ofReturns()
      .innerJoin(return_items, eq(return_items.return_id, returns.id))
      .where(and(of(returns), holdsPersonalData("return_items", return_items))),
    ofReturns()
      .innerJoin(return_items, eq(return_items.return_id, returns.id))
      .innerJoin(return_inspections, eq(return_inspections.return_item_id, return_items.id))
      .where(and(of(returns), holdsPersonalData("inspections", return_inspections))),
    ofReturns()
      .innerJoin(refunds, eq(refunds.return_id, returns.id))
      .where(and(of(returns), holdsPersonalData("refunds", refunds))),
  ];
}

/** The orders among `ids` whose records contain personal data, possibly again. */
export async function ordersWithPersonalData(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const found = new Set<number>();
  for (const query of queriesOf(db.sql, list(ids))) for (const { id } of await query) found.add(Number(id));
  return found;
}

/** The condition that an order itself contains personal data. */
export const namesBuyer = or(
  ne(orders.customer_email, erased_email),
  isNotNull(orders.order_notes),
  isNotNull(orders.packing_note),
  template`cast(${orders.tags} as text) <> '[]'`,
  template`cast(${orders.metadata} as text) <> '{}'`,
) as SQL;

/** Whether orders of these erased customers contain personal data that was added since. */
export async function hasNewData(db: Db, customers: readonly number[]): Promise<boolean> {
  const theirs = await db.sql
    .select({ id: orders.id, names_buyer: template<boolean>`${namesBuyer}` })
    .from(orders)
    .where(inArray(orders.customer_id, [...customers]));
  if (theirs.some(({ names_buyer }) => Boolean(names_buyer))) return true;
  const ids = theirs.map(({ id }) => id);
  return (await ordersWithPersonalData(db, ids)).size > 0;
}
