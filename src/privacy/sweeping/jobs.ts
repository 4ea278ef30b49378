import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { retentionIn } from "../../retention/store.ts";
import { sweepCustomers, sweepDocuments, sweepInvitations, sweepOrders } from "./commands.ts";

/** Deletes documents of labels that are older than the house keeps them, some in each transaction. */
export async function forgetOldDocuments(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => sweepDocuments(tx, (await retentionIn(tx, service)).label_documents));
}

/** Takes out of orders who they were for, that ended longer ago than the house keeps it, some in each transaction. */
export async function forgetOldOrders(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => sweepOrders(tx, (await retentionIn(tx, service)).closed_orders));
}

/** Erases customers who have been idle for longer than the house keeps them, some in each transaction. */
export async function forgetIdleCustomers(store: Store, service: Service): Promise<void> {
  await writePieces(store, service, async (tx) => sweepCustomers(tx, (await retentionIn(tx, service)).idle_customers));
}

/** Deletes invitations that were over longer ago than the house keeps them. Only the live world has any. */
export async function forgetOldInvitations(store: Store, service: Service): Promise<void> {
  if (store.mode !== "live") return;
  await writePieces(store, service, async (tx) => sweepInvitations(tx, (await retentionIn(tx, service)).invitations));
}
