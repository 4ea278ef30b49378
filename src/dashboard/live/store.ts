import { and, desc, eq, gt, max, sql as template } from "drizzle-orm";
import { merchants } from "../../../db/schema/merchants.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_connections, platform_imports } from "../../../db/schema/platforms.ts";
import { delivery_attempts, notices, subscriptions } from "../../../db/schema/webhooks.ts";
import { unscoped } from "../../database/scope.ts";
import type { Db } from "../../database/store.ts";

/** A list that jobs change without an event. */
export type JobNoun = "notices" | "orders" | "platforms" | "webhooks";

/** How far the changes of jobs were read: the last ids of what is only added, and a moment (ms) for what is updated. */
export interface JobMarks {
  readonly attempt: number;
  readonly notice: number;
  readonly at: number;
}

// More rows than a job changes between two looks.
const rows_max = 1000;
const suspension_ms = 3_600_000;

/** The marks of now. */
export async function jobMarks(db: Db): Promise<JobMarks> {
  const whole = db.scoped(unscoped);
  const [attempt] = await whole.sql.select({ id: max(delivery_attempts.id) }).from(delivery_attempts);
  const [notice] = await whole.sql.select({ id: max(notices.id) }).from(notices);
  return { attempt: Number(attempt?.id ?? 0), notice: Number(notice?.id ?? 0), at: db.now };
}

/** The merchants whose part of a list jobs have changed since these marks. */
export async function changedOwners(db: Db, noun: JobNoun, since: JobMarks): Promise<number[]> {
  const owners = (await ownersIn[noun](db.scoped(unscoped), since)).map(({ owner }) => owner);
  return [...new Set(owners)].filter((owner) => owner !== null);
}

type Owners = (db: Db, since: JobMarks) => Promise<{ readonly owner: number | null }[]>;

const ownersIn: Readonly<Record<JobNoun, Owners>> = {
  webhooks: (db, { attempt }) => {
    const recent = db.sql
      .select({ subscription_id: delivery_attempts.subscription_id })
      .from(delivery_attempts)
      .where(gt(delivery_attempts.id, attempt))
      .orderBy(desc(delivery_attempts.id))
      .limit(rows_max)
      .as("recent");
    return db.sql
      .selectDistinct({ owner: subscriptions.merchant_id })
      .from(recent)
      .innerJoin(subscriptions, eq(subscriptions.id, recent.subscription_id));
  },
  notices: (db, { notice }) =>
    db.sql.select({ owner: notices.merchant_id }).from(notices).where(gt(notices.id, notice)).limit(rows_max),
  platforms: async (db, { at }) => {
    const changed = (table: typeof platform_imports | typeof platform_reports) =>
      db.sql
        .selectDistinct({ owner: platform_connections.merchant_id })
        .from(table)
        .innerJoin(platform_connections, eq(platform_connections.id, table.connection_id))
        .where(and(gt(table.updated_at, at), gt(table.id, template`(select max(id) - ${rows_max} from ${table})`)));
    return [...(await changed(platform_imports)), ...(await changed(platform_reports))];
  },
  orders: (db) =>
    db.sql
      .select({ owner: merchants.id })
      .from(merchants)
      .where(gt(merchants.updated_at, db.now - suspension_ms)),
};
