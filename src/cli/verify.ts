// Stands alone because it loads every feature's verifier: the checks of `packhouse verify`.
import { verifyBilling } from "../billing/billing_audit.sql.ts";
import { verifyEvents } from "../events/events_audit.sql.ts";
import { verifyAnswers } from "../http/stored_responses_audit.sql.ts";
import { verifyInventory } from "../inventory/inventory_audit.sql.ts";
import { verifyFiles } from "../merchants/branding/branding_audit.sql.ts";
import { verifyModes, verifyQueues } from "../operations/data_audit.sql.ts";
import { verifyOrders } from "../orders/orders_audit.sql.ts";
import { verifyReturns } from "../returns/returns_audit.sql.ts";
import { verifyPrinting } from "../shipping/printing/printing_audit.sql.ts";
import { verifyShipping } from "../shipping/shipping_audit.sql.ts";
import type { Db } from "../storage/database.ts";
import type { VerifierDifference } from "../storage/verifier.ts";
import { verifyDeliveries } from "../webhooks/webhooks_audit.sql.ts";

const verifiers = [
  verifyInventory,
  verifyOrders,
  verifyShipping,
  verifyPrinting,
  verifyReturns,
  verifyBilling,
  verifyEvents,
  verifyDeliveries,
  verifyAnswers,
  verifyFiles,
  verifyModes,
  verifyQueues,
];

/** Checks all invariants of one store's data and returns the differences. */
export async function verifyStore(db: Db): Promise<VerifierDifference[]> {
  const differences: VerifierDifference[] = [];
  for (const verify of verifiers) differences.push(...(await verify(db)));
  return differences;
}
