import { and, eq, gte, lt, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { EventFilter } from "./schemas.ts";

/** The rows of one subscription that match a filter; their moment is the one that the filter's time is about. */
export function aboutEvents(
  row: { readonly subscription_id: AnyPgColumn; readonly event_type: AnyPgColumn; readonly event_id: AnyPgColumn },
  moment: AnyPgColumn,
  { subscription_id, event_type, event_id, since, until }: EventFilter & { readonly subscription_id: number },
): SQL | undefined {
  return and(
    eq(row.subscription_id, subscription_id),
    event_type === undefined ? undefined : eq(row.event_type, event_type),
    event_id === undefined ? undefined : eq(row.event_id, event_id),
    since === undefined ? undefined : gte(moment, since),
    until === undefined ? undefined : lt(moment, until),
  );
}
