import { and, eq, gte, lt, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { deliveries } from "../../db/schema/webhooks.ts";
import type { EventFilter } from "./schemas.ts";

/** The subscription and the moment by which rows are found. */
interface Row {
  readonly subscription_id: AnyPgColumn;
  readonly moment: AnyPgColumn;
}

/** The rows of one subscription that match a filter, themselves deliveries or joined to theirs. */
export function aboutEvents(
  row: Row,
  { subscription_id, event_type, event_id, since, until }: EventFilter & { readonly subscription_id: number },
): SQL | undefined {
  return and(
    eq(row.subscription_id, subscription_id),
    event_type === undefined ? undefined : eq(deliveries.event_type, event_type),
    event_id === undefined ? undefined : eq(deliveries.event_id, event_id),
    since === undefined ? undefined : gte(row.moment, since),
    until === undefined ? undefined : lt(row.moment, until),
  );
}
