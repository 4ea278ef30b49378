// Whether every label was told of.
import { sql } from "drizzle-orm";
import { labels } from "../../../../db/schema/shipments.ts";
import { verifierOf } from "../../../database/verifier.ts";
import { tells } from "../../../outbox/audit/store.ts";

const bought = sql`select count(*) from ${labels} where ${labels.status} in ('completed', 'voided')`;

/** Holds the labels that were bought against the events of them. */
export const verifyLabels = verifierOf([tells("shipment.created", bought)], { events: async () => [] });
