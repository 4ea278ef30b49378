// Everything that `packhouse verify` looks at.
import { verifyBilling } from "./billing/audit/store.ts";
import type { Db } from "./database/store.ts";
import type { Difference } from "./database/verifier.ts";
import { verifyAnswers } from "./http/audit/store.ts";
import { verifyInventory } from "./inventory/audit/store.ts";
import { verifyModes } from "./operations/audit/store.ts";
import { verifyOrders } from "./orders/audit/store.ts";
import { verifyEvents } from "./outbox/audit/store.ts";
import { verifyReturns } from "./returns/audit/store.ts";
import { verifyLabels } from "./shipping/labels/audit/store.ts";
import { verifyRateCards } from "./shipping/rates/audit/store.ts";
import { verifyDeliveries } from "./webhooks/audit/store.ts";

const verifiers = [
  verifyInventory,
  verifyOrders,
  verifyLabels,
  verifyRateCards,
  verifyReturns,
  verifyBilling,
  verifyEvents,
  verifyDeliveries,
  verifyAnswers,
  verifyModes,
];

/** Holds all that one store keeps against the rules that it must keep, and answers what differs. */
export async function verifyStore(db: Db): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const verify of verifiers) differences.push(...(await verify(db)));
  return differences;
}
