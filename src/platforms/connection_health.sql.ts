import { eq, isNull, sql as template } from "drizzle-orm";
import { among, isOneOf, list } from "../../db/kit.ts";
import { platform_reports } from "../../db/schema/platform_reports.ts";
import { platform_listings, platform_stock, platform_stock_differences } from "../../db/schema/platform_stock.ts";
import {
  platform_connections,
  platform_imports,
  platform_notifications,
  platform_states,
} from "../../db/schema/platforms.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import type { ConnectionHealth, ConnectionState } from "./connection_state.ts";
import { importTransitions, shipmentUpdateTransitions, stockTransitions } from "./platforms.transitions.ts";

const { connection_id: notified, created_at } = platform_notifications;
const { connection_id: reported, reported_at } = platform_reports;

const latest = prepared((sql, a: StatementArgs<{ ids: string }>) =>
  sql
    .select({
      id: platform_connections.id,
      last_notification_at: template<number | null>`(select max(${created_at}) from ${platform_notifications}
        where ${notified} = ${platform_connections.id})`.mapWith(numberOrNull),
      last_report_at: template<number | null>`(select max(${reported_at}) from ${platform_reports}
        where ${reported} = ${platform_connections.id} and ${reported_at} is not null)`.mapWith(numberOrNull),
      last_push_at: platform_stock.last_push_at,
      stock_error: platform_stock.error_message,
      state: platform_states,
    })
    .from(platform_connections)
    .leftJoin(platform_stock, eq(platform_stock.connection_id, platform_connections.id))
    .leftJoin(platform_states, eq(platform_states.connection_id, platform_connections.id))
    .where(among(platform_connections.id, a.ids)),
);

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value);
}

const count = template<number>`count(*)`.mapWith(Number);

// Few imports and reports have failed, so these read an index of all of them.
const failedImports = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ connection_id: platform_imports.connection_id, count })
    .from(platform_imports)
    .where(isOneOf(platform_imports.status, [importTransitions.give_up.to]))
    .groupBy(platform_imports.connection_id),
);
const failedReports = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ connection_id: platform_reports.connection_id, count })
    .from(platform_reports)
    .where(isOneOf(platform_reports.status, [shipmentUpdateTransitions.give_up.to]))
    .groupBy(platform_reports.connection_id),
);

const failedListings = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ connection_id: platform_listings.connection_id, count })
    .from(platform_listings)
    .where(isOneOf(platform_listings.status, [stockTransitions.give_up.to]))
    .groupBy(platform_listings.connection_id),
);
const differences = prepared((sql, _: StatementArgs<object>) =>
  sql
    .select({ connection_id: platform_stock_differences.connection_id, count })
    .from(platform_stock_differences)
    .where(isNull(platform_stock_differences.repaired_at))
    .groupBy(platform_stock_differences.connection_id),
);

/** Returns the health of connections, by id. */
export async function healthOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, ConnectionHealth>> {
  const rows = await latest(db, { ids: list(ids) });
  const countsOf = (counts: { connection_id: number; count: number }[]) =>
    new Map(counts.map((row) => [row.connection_id, row.count]));
  const [imports, reports] = [countsOf(await failedImports(db, {})), countsOf(await failedReports(db, {}))];
  const [listings, drift] = [countsOf(await failedListings(db, {})), countsOf(await differences(db, {}))];
  return new Map(
    rows.map(({ id, last_notification_at, last_report_at, last_push_at, stock_error, state }) => [
      id,
      {
        last_notification_at,
        last_report_at,
        failed_imports: imports.get(id) ?? 0,
        failed_reports: reports.get(id) ?? 0,
        stock: {
          last_push_at,
          failed_listings: listings.get(id) ?? 0,
          differences: drift.get(id) ?? 0,
          error: stock_error,
        },
        state: state as ConnectionState | null,
      },
    ]),
  );
}
