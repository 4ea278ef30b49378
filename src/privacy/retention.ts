import { randomBytes } from "node:crypto";
import { day_ms } from "../core/time.ts";
import { openStatuses, orderStatuses } from "../orders/order.transitions.ts";
import type { Db, Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { RetentionKind } from "../storage/retention.ts";
import { deleteDocuments, eraseOrders, erasePeople, lockPeople } from "./erased_records.sql.ts";
import {
  deleteInvitations,
  idleCustomers,
  labelsToClear,
  ordersToErase,
  pageOfCustomers,
  pageOfLabels,
  pageOfOrders,
} from "./retention.sql.ts";
import { type SweepPosition, saveSweep, sweepOf } from "./retention_settings.sql.ts";

const documents_max = 50;
const orders_max = 20;
const customers_max = 100;
const invitations_max = 500;
// The rows examined in one transaction. Most of them may have been erased long ago.
const page_max = 500;
// Orders that were open, or had an open return, are examined again for this long. So are their labels.
const again_ms = 400 * day_ms;
// An order that has shipped and not changed for the shortest retention time has ended, even without a delivery scan.
const ended_statuses = orderStatuses.filter((status) => !openStatuses.some((open) => open === status));

/** How the records of one kind are examined and deleted. */
interface RetentionRound {
  readonly kind: RetentionKind;
  /** The time (ms) at which a round starts, derived from where the last one ended. */
  readonly from: (swept_until: number) => number;
  readonly pageOf: (db: Db, page: { after: SweepPosition; to: number; limit: number }) => Promise<SweepPosition[]>;
  /** The largest number of records changed in one transaction. */
  readonly changes_max: number;
  /** Erases those of a page's rows that are due, at most `changes_max`. Returns them in their order. */
  readonly erase: (tx: Tx, ids: readonly number[], until: number) => Promise<readonly { at: number; id: number }[]>;
}

/**
 * One transaction of a round through the records of a kind. It continues after the last row that the previous
 * transaction examined. Rows older than `days` are examined; null keeps all. Returns whether more may be left.
 */
async function sweep(
  tx: Tx,
  days: number | null,
  { kind, from, pageOf, changes_max, erase }: RetentionRound,
): Promise<boolean> {
  if (days === null) return false;
  // All servers run this at the same hour, and share the position.
  await takeTurn(tx, `privacy.sweep.${kind}`);
  const until = tx.now - days * day_ms;
  const { swept_until, round } = await sweepOf(tx, kind);
  const after = round ?? ([from(swept_until), 0] as const);
  const page = await pageOf(tx, { after, to: until, limit: page_max });
  const ids = page.map(([, id]) => id);
  const erased = await erase(tx, ids, until);
  const last = erased.at(-1);
  const isCut = erased.length === changes_max && last !== undefined;
  const more = isCut || page.length === page_max;
  const at = isCut ? ([last.at, last.id] as const) : (page.at(-1) ?? after);
  await saveSweep(tx, kind, more ? { swept_until, round: at } : { swept_until: until, round: null });
  return more;
}

/**
 * Deletes carrier documents of labels that are older than `days` and no longer needed; null keeps all. Returns whether
 * more may be left.
 */
export function deleteExpiredDocuments(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    kind: "label_documents",
    from: (swept) => swept - again_ms,
    pageOf: pageOfLabels,
    changes_max: documents_max,
    async erase(inner, ids) {
      const found = await labelsToClear(inner, ids, ended_statuses, documents_max);
      await deleteDocuments(inner, found);
      return found;
    },
  });
}

/**
 * Removes personal data from orders that have ended and not changed for `days`, including data added after an earlier
 * removal; null keeps all. Returns whether more may be left.
 */
export function deleteExpiredOrders(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    kind: "closed_orders",
    from: (swept) => swept - again_ms,
    pageOf: pageOfOrders,
    changes_max: orders_max,
    async erase(inner, ids, until) {
      const found = await ordersToErase(inner, ids, { ended: ended_statuses, until, limit: orders_max });
      if (found.length > 0) await eraseOrders(inner, found);
      return found;
    },
  });
}

/**
 * Erases customers who have not changed for `days` and have no order that changed since then or still names them; null
 * keeps all. Returns whether more may be left.
 */
export function deleteIdleCustomers(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    kind: "idle_customers",
    from: () => -1,
    pageOf: pageOfCustomers,
    changes_max: customers_max,
    async erase(inner, ids, until) {
      const found = await idleCustomers(inner, ids, until, customers_max);
      const found_ids = found.map(({ id }) => id);
      await lockPeople(inner, found_ids);
      // A customer may have ordered before the lock was taken.
      const idle = await idleCustomers(inner, found_ids, until, customers_max);
      const gone = idle.map(({ id }) => id);
      if (gone.length > 0) await erasePeople(inner, gone, randomBytes(6).toString("hex"));
      return found;
    },
  });
}

/**
 * Deletes invitations that were accepted, withdrawn or expired more than `days` ago; null keeps all. Returns whether
 * more may be left.
 */
export async function deleteExpiredInvitations(tx: Tx, days: number | null): Promise<boolean> {
  if (days === null) return false;
  const gone = await deleteInvitations(tx, tx.now - days * day_ms, invitations_max);
  return gone === invitations_max;
}
