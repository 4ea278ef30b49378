import { asc, count, isNull, lt, type SQL, sql as template } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { isOneOf } from "../../../db/kit.ts";
import { events } from "../../../db/schema/outbox.ts";
import { platform_reports } from "../../../db/schema/platform_reports.ts";
import { platform_imports } from "../../../db/schema/platforms.ts";
import { reservation_lines } from "../../../db/schema/reservations.ts";
import { deliveries, notices, subscriptions } from "../../../db/schema/webhooks.ts";
import { unsentMails } from "../../core/email.ts";
import { queuedImports, queuedShipmentUpdates } from "../../platforms/platforms.transitions.ts";
import type { Db } from "../../storage/database.ts";
import { listSendable } from "../../webhooks/deliveries/deliveries.sql.ts";
import { unsentDeliveries } from "../../webhooks/webhooks.transitions.ts";
import type { QueueFigures } from "./metrics.ts";

/** The highest count of a queue. Counting further would take time and not help the operator. */
export const counted_max = 10_000;

/** The queues of one store. */
type QueueCounts = Omit<QueueFigures, "now">;

const isUnsent = isOneOf(deliveries.status, unsentDeliveries);

/** Counts each queue by a partial index, up to `counted_max`. */
export async function findQueues(db: Db): Promise<QueueCounts> {
  const pending = (lane: SQL) => counted(db, deliveries, template`${isUnsent} and ${lane}`);
  const [oldest] = await db.sql
    .select({ created_at: events.created_at })
    .from(events)
    .where(isNull(events.fanned_out_at))
    .orderBy(asc(events.seq))
    .limit(1);
  const waiting = await listSendable(db);
  const earliest = (moments: readonly (number | null)[]) => {
    const known = moments.filter((moment) => moment !== null);
    return known.length === 0 ? null : Math.min(...known);
  };
  const [circuits] = await db.sql
    .select({ open: count(subscriptions.circuit_wait_ms) })
    .from(subscriptions)
    .where(isNull(subscriptions.deleted_at));
  return {
    events: await counted(db, events, isNull(events.fanned_out_at)),
    oldest_event_at: oldest?.created_at ?? null,
    first: await pending(template`trigger = 'scheduled' and attempts < 2`),
    late: await pending(template`(trigger <> 'scheduled' or attempts >= 2)`),
    first_due_at: earliest(waiting.map(({ first_at }) => first_at)),
    late_due_at: earliest(waiting.map(({ late_at }) => late_at)),
    backorders: await counted(db, reservation_lines, lt(reservation_lines.reserved, reservation_lines.wanted)),
    imports: await counted(db, platform_imports, isOneOf(platform_imports.status, queuedImports)),
    reports: await counted(db, platform_reports, isOneOf(platform_reports.status, queuedShipmentUpdates)),
    mails: await counted(db, notices, isOneOf(notices.mail_status, unsentMails)),
    subscriptions: await db.sql
      .select({ status: subscriptions.status, count: count() })
      .from(subscriptions)
      .where(isNull(subscriptions.deleted_at))
      .groupBy(subscriptions.status),
    open_circuits: circuits?.open ?? 0,
  };
}

async function counted(db: Db, table: PgTable, condition: SQL | undefined): Promise<number> {
  const some = db.sql
    .select({ one: template`1`.as("one") })
    .from(table)
    .where(condition)
    .limit(counted_max)
    .as("some");
  const [row] = await db.sql.select({ count: count() }).from(some);
  return row?.count ?? 0;
}
