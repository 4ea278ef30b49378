import { asc, gt } from "drizzle-orm";
import { events } from "../../db/schema/outbox.ts";
import type { StoredEvent } from "../../src/events/events.sql.ts";
import type { Db } from "../../src/storage/database.ts";

/** The events stored after this one, with or without a position, in the order they were stored. */
export async function listEventsAfter(db: Db, seq: number): Promise<StoredEvent[]> {
  return db.sql.select().from(events).where(gt(events.seq, seq)).orderBy(asc(events.seq));
}
