import { randomBytes } from "node:crypto";
import { openStatuses, orderStatuses } from "../orders/order.transitions.ts";
import type { Db, Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { RetentionKind } from "../storage/retention.ts";
import { eraseOrders, erasePeople, forgetDocuments, lockPeople } from "./erased_records.sql.ts";
import {
  deleteInvitations,
  idleCustomers,
  overLabels,
  pageOfCustomers,
  pageOfLabels,
  pageOfOrders,
  tellingOrders,
} from "./retention.sql.ts";
import { type SweepPosition, saveSweep, sweepOf } from "./retention_settings.sql.ts";

const day_ms = 86_400_000;
const documents_together = 50;
const orders_together = 20;
const customers_together = 100;
const invitations_together = 500;
// So many rows are looked at in one transaction, of which most may have been swept long ago.
const page_max = 500;
// An order that was open, or whose return was awaited, is looked at again for so long, and so are its labels.
const again_ms = 400 * day_ms;
// What has left and was not changed for as long as the shortest time is over, whether or not anybody saw it arrive.
const ended = orderStatuses.filter((status) => !openStatuses.some((open) => open === status));

/** How the records of a kind are walked. */
interface RetentionRound {
  readonly kind: RetentionKind;
  /** The moment (ms) at which a round begins, from that up to which the last one came. */
  readonly from: (swept_until: number) => number;
  readonly pageOf: (db: Db, page: { after: SweepPosition; to: number; limit: number }) => Promise<SweepPosition[]>;
  /** Most of a page that is changed in one piece. */
  readonly together: number;
  /** Forgets those among the rows of a page that are due, no more than `together`; answers them in their order. */
  readonly forget: (tx: Tx, ids: readonly number[], until: number) => Promise<readonly { at: number; id: number }[]>;
}

/**
 * One piece of a round through the records of a kind, behind the last row that the piece before it has looked at. Rows
 * that are older than so many days are looked at; null keeps all. Answers whether more may be left.
 */
async function sweep(
  tx: Tx,
  days: number | null,
  { kind, from, pageOf, together, forget }: RetentionRound,
): Promise<boolean> {
  if (days === null) return false;
  // Every server sweeps at the same hour, and all go on from one place.
  await takeTurn(tx, `privacy.sweep.${kind}`);
  const until = tx.now - days * day_ms;
  const { swept_until, round } = await sweepOf(tx, kind);
  const after = round ?? ([from(swept_until), 0] as const);
  const page = await pageOf(tx, { after, to: until, limit: page_max });
  const ids = page.map(([, id]) => id);
  const forgotten = await forget(tx, ids, until);
  const last = forgotten.at(-1);
  const isCut = forgotten.length === together && last !== undefined;
  const more = isCut || page.length === page_max;
  const at = isCut ? ([last.at, last.id] as const) : (page.at(-1) ?? after);
  await saveSweep(tx, kind, more ? { swept_until, round: at } : { swept_until: until, round: null });
  return more;
}

/**
 * Deletes the documents of some labels that are older than so many days and not to be used any more; null keeps all.
 * Answers whether more may be left.
 */
export function deleteExpiredDocuments(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    ...{
      kind: "label_documents",
      from: (swept) => swept - again_ms,
      pageOf: pageOfLabels,
      together: documents_together,
    },
    async forget(inner, ids) {
      const found = await overLabels(inner, ids, ended, documents_together);
      await forgetDocuments(inner, found);
      return found;
    },
  });
}

/**
 * Takes out of some orders who they were for, that have ended and were not changed for so many days, and what was added
 * to such an order since; null keeps all. Answers whether more may be left.
 */
export function deleteExpiredOrders(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    ...{ kind: "closed_orders", from: (swept) => swept - again_ms, pageOf: pageOfOrders, together: orders_together },
    async forget(inner, ids, until) {
      const found = await tellingOrders(inner, ids, { ended, until, limit: orders_together });
      if (found.length > 0) await eraseOrders(inner, found);
      return found;
    },
  });
}

/**
 * Erases some customers who did not change for so many days and have had no order, or none that changed since then or
 * still tells who it was for; null keeps all. Answers whether more may be left.
 */
export function deleteIdleCustomers(tx: Tx, days: number | null): Promise<boolean> {
  return sweep(tx, days, {
    ...{ kind: "idle_customers", from: () => -1, pageOf: pageOfCustomers, together: customers_together },
    async forget(inner, ids, until) {
      const found = await idleCustomers(inner, ids, until, customers_together);
      await lockPeople(
        inner,
        found.map(({ id }) => id),
      );
      // One may have ordered until it was locked.
      const found_ids = found.map(({ id }) => id);
      const idle = await idleCustomers(inner, found_ids, until, customers_together);
      const gone = idle.map(({ id }) => id);
      if (gone.length > 0) await erasePeople(inner, gone, randomBytes(6).toString("hex"));
      return found;
    },
  });
}

/** Deletes some invitations that were accepted, withdrawn or over so many days ago; null keeps all. */
export async function deleteExpiredInvitations(tx: Tx, days: number | null): Promise<boolean> {
  if (days === null) return false;
  const gone = await deleteInvitations(tx, tx.now - days * day_ms, invitations_together);
  return gone === invitations_together;
}
