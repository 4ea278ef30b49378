import { and, desc, eq, gt, sql as template } from "drizzle-orm";
import { merchants } from "../../../db/schema/merchants.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_listings } from "../../../db/schema/platform_stock.ts";
import { platform_connections, platform_imports } from "../../../db/schema/platforms.ts";
import { delivery_attempts, notices, subscriptions } from "../../../db/schema/webhooks.ts";
import type { Db } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";

/** A list that jobs change without an event. */
export type JobNoun = "notices" | "orders" | "platforms" | "webhooks";

/** The time (ms) from which changes by jobs are still unread. */
export interface JobMarks {
  readonly at: number;
}

// A transaction's changes carry its start time but become visible when it ends. The margin covers transactions that
// were still running at the last query. A change found twice is reported twice.
const margin_ms = 60_000;

// More rows than jobs change between two queries.
const rows_max = 1000;
const suspension_ms = 3_600_000;

/** Returns the marks for the current time. */
export function jobMarks(db: Pick<Db, "now">): JobMarks {
  return { at: db.now - margin_ms };
}

/** Returns the ids of the merchants whose part of a list jobs have changed since these marks. */
export async function changedOwners(db: Db, noun: JobNoun, since: JobMarks): Promise<number[]> {
  const owners = (await ownersIn[noun](db.scoped(unscoped), since)).map(({ owner }) => owner);
  return [...new Set(owners)].filter((owner) => owner !== null);
}

type OwnersOfChanges = (db: Db, since: JobMarks) => Promise<{ readonly owner: number | null }[]>;

const ownersIn: Readonly<Record<JobNoun, OwnersOfChanges>> = {
  webhooks: (db, { at }) => {
    const { subscription_id, started_at } = delivery_attempts;
    const recent = db.sql
      .select({ subscription_id, started_at })
      .from(delivery_attempts)
      .orderBy(desc(delivery_attempts.id))
      .limit(rows_max)
      .as("recent");
    return db.sql
      .selectDistinct({ owner: subscriptions.merchant_id })
      .from(recent)
      .innerJoin(subscriptions, eq(subscriptions.id, recent.subscription_id))
      .where(gt(recent.started_at, at));
  },
  notices: (db, { at }) =>
    db.sql
      .selectDistinct({ owner: notices.merchant_id })
      .from(notices)
      .where(gt(notices.created_at, at))
      .limit(rows_max),
  platforms: async (db, { at }) => {
    const changed = (table: typeof platform_imports | typeof platform_reports | typeof platform_listings) =>
      db.sql
        .selectDistinct({ owner: platform_connections.merchant_id })
        .from(table)
        .innerJoin(platform_connections, eq(platform_connections.id, table.connection_id))
        .where(and(gt(table.updated_at, at), gt(table.id, template`(select max(id) - ${rows_max} from ${table})`)));
    const tables = [platform_imports, platform_reports, platform_listings] as const;
    const found = [];
    for (const table of tables) found.push(...(await changed(table)));
    return found;
  },
  orders: (db) =>
    db.sql
      .select({ owner: merchants.id })
      .from(merchants)
      .where(gt(merchants.updated_at, db.now - suspension_ms)),
};
