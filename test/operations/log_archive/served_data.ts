// Serves data in this process for a while, and archives it.
import { leases } from "../../../db/schema/service.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openLog } from "../../../src/core/log.ts";
import type { ArchiveDestination } from "../../../src/operations/log_archive/archive_destination.ts";
import { startLogArchiving } from "../../../src/operations/log_archive/archive_logs.ts";
import { openStores } from "../../../src/storage/open_stores.ts";
import { insert } from "../../../src/storage/statements.ts";

const isAway = () => Promise.reject(new Error("away"));

/** Makes a destination unavailable. */
export const away = (place: ArchiveDestination): ArchiveDestination => ({ ...place, list: isAway, write: isAway });

interface Serving {
  /** Called before the second row. Returns how far (ms) the clock jumps then. */
  readonly between?: () => number;
  readonly most_waiting_bytes?: number;
  readonly backUp?: () => Promise<void>;
  /** Called with the state after each row. */
  readonly onArchived?: (state: ReturnType<ReturnType<typeof startLogArchiving>["state"]>) => void;
}

/** Serves data: writes rows, archives each one, and stops. Returns the log. */
export async function serve(
  data: string,
  place: ArchiveDestination,
  rows: readonly string[],
  { between = () => 0, backUp = async () => {}, onArchived, ...bounds }: Serving = {},
): Promise<string> {
  const clock = systemClock();
  let jumped_ms = 0;
  const lines: string[] = [];
  const log = openLog({ level: "warn", format: "text", write: (line) => void lines.push(line) });
  const now = () => clock.now() + jumped_ms;
  const backups = async () => [];
  const continuous = startLogArchiving({ data, place, log, now, every_ms: 60_000, backUp, backups, ...bounds });
  const fatal = (error: unknown) => {
    throw error;
  };
  const { followers } = continuous;
  const stores = await openStores({ data, database_url: null, purpose: "serve", log, fatal, followers });
  await continuous.archive();
  for (const [at, name] of rows.entries()) {
    if (at === 1) jumped_ms = between();
    await stores.live.write((tx) => insert(tx, leases, [{ name, owner: "one", until: 1 }]));
    await continuous.archive();
    onArchived?.(continuous.state());
  }
  await stores.close();
  await continuous.finish(10_000);
  return lines.join("\n");
}
