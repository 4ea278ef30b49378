// Copies the two SQLite databases of a data directory into an archive, even while a server writes to them.
import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { iso } from "../../core/clock.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { noData } from "../../storage/migrations/migrate.ts";
import { commitText } from "../../storage/sqlite/commit_number.ts";
import { tryLock } from "../../storage/sqlite/directory_lock.ts";
import { type HeldView, holdView } from "../../storage/sqlite/held_view.ts";
import { walState } from "../../storage/sqlite/log_frames.ts";
import { refuseHalfPlaced } from "../../storage/sqlite/restored_files.ts";
import { startRefused } from "../../storage/start_refused.ts";
import type { ArchiveWriter, BackupCopies, EntryChunks } from "./write_archive.ts";
import { fileChunks } from "./write_archive.ts";

/** A write-ahead log cannot be recycled during a copy. The copy is aborted when the logs have grown by this. */
const log_growth_max_bytes = 4 * 1024 * 1024 * 1024;
/** The copy is also aborted when less disk space than this remains. */
const room_min_bytes = 256 * 1024 * 1024;

/**
 * Takes a view of each database, at its own point in time (see `holdView`). Refuses a folder without databases, one
 * that is being moved, restored or rolled back, and, if no server runs, one with a damaged log.
 */
export function copySqlite(data: string): BackupCopies {
  refuseHalfPlaced(data);
  for (const mode of environments) if (!existsSync(join(data, `${mode}.db`))) throw noData(data);
  refuseDamaged(data);
  const views: HeldView[] = [];
  try {
    for (const mode of environments) views.push(holdView(join(data, `${mode}.db`)));
  } catch (error) {
    for (const view of views) view.close();
    throw error;
  }
  const [live, test] = views as [HeldView, HeldView];
  const copyOf = ({ number, at }: HeldView) => ({ at: iso(at), commit: number });
  return {
    engine: "sqlite",
    migrations: { live: live.migrations, test: test.migrations },
    modes: { live: copyOf(live), test: copyOf(test) },
    size_bytes: views.reduce((sum, view) => sum + view.file_bytes + view.log_bytes, 0),
    addTo: async (archive, onChunk) => {
      for (const mode of environments) await addEnvironment(archive, mode, { live, test }[mode], onChunk);
    },
    check: () => refuseGrown(views, data),
    // The list in the data directory may belong to another location that the data was moved from.
    erased: async () => environments.flatMap((mode) => ({ live, test })[mode].erased.map((one) => ({ mode, ...one }))),
    close: async () => {
      for (const view of views) view.close();
    },
  };
}

/** Refuses a damaged log that no server has open: SQLite would take the damage for the end of the log. */
function refuseDamaged(data: string): void {
  const taken = tryLock(join(data, "instance.lock"), 0);
  if (taken === null) return;
  try {
    for (const mode of environments) {
      const path = join(data, `${mode}.db`);
      if (!/^(?:bad_header|damaged)$/.test(walState(`${path}-wal`))) continue;
      throw startRefused("damaged", `${path}-wal is damaged. A backup would miss the latest changes.`);
    }
  } finally {
    taken.release();
  }
}

async function addEnvironment(
  archive: ArchiveWriter,
  mode: Environment,
  view: HeldView,
  onChunk: (bytes: number) => void,
): Promise<void> {
  const { file, log, file_bytes, log_bytes, number } = view;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      onChunk(chunk.length);
      yield chunk;
    }
  } satisfies (chunks: AsyncIterable<Uint8Array>) => EntryChunks;
  await archive.add(`${mode}.db`, file_bytes, counted(fileChunks(file, file_bytes)));
  if (log !== null && log_bytes > 0) {
    await archive.add(`${mode}.db-wal`, log_bytes, counted(fileChunks(log, log_bytes)));
  }
  await archive.addText(`${mode}.db.commit`, commitText(number));
}

/** Refuses to continue once the logs have grown too much: the server needs the disk space more than the backup. */
function refuseGrown(views: readonly HeldView[], data: string): void {
  const growth = views.reduce((sum, view) => sum + view.grown() - view.log_bytes, 0);
  if (growth < room_min_bytes) return;
  const { bavail, bsize } = statfsSync(data);
  if (growth < log_growth_max_bytes && bavail * bsize >= room_min_bytes) return;
  const grown = `${Math.round(growth / 1024 / 1024)} MiB were written`;
  throw startRefused(
    "storage",
    `The backup was aborted: ${grown} while it ran, and the log grows until a backup ends.`,
  );
}
