import { sql } from "drizzle-orm";
import { among, list } from "../../../db/kit.ts";
import { allocations, reservation_lines } from "../../../db/schema/reservations.ts";
import { type Args, prepared } from "../../database/statements.ts";
import type { Tx, Writing } from "../../database/store.ts";

const forget = prepared((tx: Writing, a: Args<{ lines: string }>) =>
  tx.delete(allocations).where(among(allocations.reservation_line_id, a.lines)),
);
const close = prepared((tx: Writing, a: Args<{ lines: string }>) =>
  tx.update(reservation_lines).set({ wanted: sql`0`, reserved: sql`0` }).where(among(reservation_lines.id, a.lines)),
);

/** Stores that these lines want nothing any more and that nothing is promised to them. */
export async function closeLines(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const lines = list(ids);
  await forget(tx, { lines });
  await close(tx, { lines });
}
