// Restores an archive into a data directory.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../core/environment.ts";
import { makeFolder, removeMadeFolders } from "../../core/files.ts";
import type { Log } from "../../core/log.ts";
import {
  erasures_file,
  type LoggedErasure,
  mergedErasures,
  readErasures,
  writeErasures,
} from "../../storage/erasures.ts";
import type { Stores } from "../../storage/open_stores.ts";
import { tryLock } from "../../storage/sqlite/directory_lock.ts";
import {
  clearUnfinished,
  filesIn,
  finishRestore,
  holdsData,
  isRestored,
  placeRestored,
  restoringFolder,
} from "../../storage/sqlite/restored_files.ts";
import { startRefused } from "../../storage/start_refused.ts";
import type { BackupManifest } from "./archive.ts";
import type { BackupSource } from "./backup_source.ts";
import { unpack } from "./backup_source.ts";
import { type EraseCustomer, markAndClose, momentsOf, openRestored, type RestoredStores } from "./restored_stores.ts";

export interface RestoreSettings {
  readonly source: BackupSource;
  /** The data directory that it goes to. */
  readonly into: string;
  /** Erasures to be done again, beside those that lie with the backup and in the folder that it goes to. */
  readonly erasures: readonly LoggedErasure[];
  readonly erase: EraseCustomer;
  /**
   * Takes the databases that were unpacked into a folder forward to a later moment, and answers the moments (ms) that
   * were reached; null where they stay as the archive holds them.
   */
  readonly forward: ((folder: string) => Promise<Readonly<Record<Environment, number>>>) | null;
  /** Looks at what an archive says of itself, and refuses what could not be settled in the end. */
  readonly lookAt: (manifest: BackupManifest) => void | Promise<void>;
  /** Looks at the secret key and does to the data what follows; `data` is where it is for the moment. */
  readonly settleKey: (stores: Stores, data: string, manifest: BackupManifest) => Promise<void>;
  readonly log: Log;
  /** Tells the operator what was found or done on the way. */
  readonly say: (line: string) => void;
}

/** What was restored; `earlier` when a restore that was interrupted had happened already and was completed. */
export type RestoreResult =
  | { readonly state: "restored"; readonly manifest: BackupManifest; readonly worlds: RestoredStores }
  | { readonly state: "earlier"; readonly archive: string };

const wait_ms = 1000;

/**
 * Restores an archive into a data directory that holds no data yet. A process that ends on the way leaves the directory
 * without data, or with all of it; the next call says which. Refuses with a `StartRefused`: data is there already, the
 * archive is damaged or another's, or there is no room.
 */
export async function restoreSqlite(settings: RestoreSettings): Promise<RestoreResult> {
  const { into, say } = settings;
  refuseExisting(into);
  const lock_file = join(into, "instance.lock");
  const had_lock_file = existsSync(lock_file);
  const made = makeFolder(into);
  const lock = tryLock(lock_file, wait_ms);
  if (lock === null) throw startRefused("in_use", `Another Packhouse is at work in ${into}.`);
  let done = false;
  try {
    const archive = placeRestored(into);
    if (archive === null) refuseExisting(into);
    if (archive === null && clearUnfinished(into)) {
      say("What an interrupted restore had left here was removed; nothing of it was in use.");
    }
    const restored: RestoreResult = archive === null ? await restore(settings) : { state: "earlier", archive };
    done = true;
    return restored;
  } finally {
    if (!done) clearUnfinished(into);
    // Whoever waits for the lock waits for that of the folder, and has not opened this file yet.
    if (!done && !had_lock_file) rmSync(lock_file, { force: true });
    lock.release();
    if (!done) removeMadeFolders(into, made);
  }
}

async function restore(settings: RestoreSettings): Promise<RestoreResult> {
  const { source, into } = settings;
  const made = restoringFolder(into);
  const manifest = await unpack(source, made, "sqlite", settings.lookAt);
  refuseConflicts(into, made);
  const erasures = mergedErasures([
    settings.erasures,
    readErasures(join(into, erasures_file)),
    await source.erasures(),
  ]);
  const reached = await settings.forward?.(made);
  const stores = await openRestored(source.place, { data: made, database_url: null, log: settings.log });
  const moments = reached ?? momentsOf(manifest);
  const worlds = await markAndClose(stores, { settings, at: made, manifest, moments, erasures });
  // The lock of the folder that it goes to is held.
  rmSync(join(made, "instance.lock"), { force: true });
  if (erasures.length > 0) writeErasures(join(made, erasures_file), erasures);
  finishRestore(into, source.name);
  return { state: "restored", manifest, worlds };
}

function refuseExisting(into: string): void {
  if (!holdsData(into) || isRestored(into)) return;
  const advice =
    "Restore into another folder (--into FOLDER) and look at it there, or stop the server and move its files away.";
  throw startRefused("unsuitable", `${into} holds data already, and a restore never overwrites any. ${advice}`);
}

/** Refuses files in the folder that the archive has, too, and that are not the same. */
export function refuseConflicts(into: string, made: string): void {
  for (const file of filesIn(made)) {
    const there = join(into, file);
    if (!existsSync(there) || readFileSync(there, "utf8").trim() === readFileSync(join(made, file), "utf8").trim())
      continue;
    throw startRefused("unsuitable", `${there} is another than that in the backup. Move it away, and restore again.`);
  }
}
