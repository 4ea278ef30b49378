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
import { files_folder } from "../../storage/file_contents.ts";
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
import type { FilesTarget } from "./restore_files.ts";
import { type EraseCustomer, markAndClose, momentsOf, openRestored, type RestoredStores } from "./restored_stores.ts";

export interface RestoreSettings {
  readonly source: BackupSource;
  /** The data directory to create. */
  readonly into: string;
  /** Erasures to repeat, in addition to those stored with the backup and in the target folder. */
  readonly erasures: readonly LoggedErasure[];
  readonly erase: EraseCustomer;
  readonly files: FilesTarget;
  /**
   * Applies archived commits to the unpacked databases, and returns the times (ms) that were reached; null to keep the
   * databases as they are in the archive.
   */
  readonly forward: ((folder: string) => Promise<Readonly<Record<Environment, number>>>) | null;
  /** Checks the manifest, and refuses an archive whose secret key cannot be settled later. */
  readonly checkManifest: (manifest: BackupManifest) => void | Promise<void>;
  /** Checks the secret key and adapts the data to it; `data` is the folder where the data currently is. */
  readonly settleKey: (stores: Stores, data: string, manifest: BackupManifest) => Promise<void>;
  readonly log: Log;
  /** Prints a line for the operator. */
  readonly report: (line: string) => void;
}

/** The result of a restore; `earlier` if an interrupted restore had finished already and was only put in place. */
export type RestoreResult =
  | { readonly state: "restored"; readonly manifest: BackupManifest; readonly modes: RestoredStores }
  | { readonly state: "earlier"; readonly archive: string };

const wait_ms = 1000;

/**
 * Restores an archive into a data directory without data. If the process is killed, the directory has either no data or
 * all of it; the next call reports which. Refuses with a `StartRefused` a directory with data, an archive that is
 * damaged or not a backup, and insufficient space.
 */
export async function restoreSqlite(settings: RestoreSettings): Promise<RestoreResult> {
  const { into, report } = settings;
  refuseExisting(into);
  const lock_file = join(into, "instance.lock");
  const had_lock_file = existsSync(lock_file);
  const made = makeFolder(into);
  const lock = tryLock(lock_file, wait_ms);
  if (lock === null) throw startRefused("in_use", `Another Packhouse process is using ${into}.`);
  let done = false;
  try {
    const archive = placeRestored(into);
    if (archive === null) refuseExisting(into);
    if (archive === null && clearUnfinished(into)) {
      report("Removed the files of an interrupted restore; they were not in use.");
    }
    const restored: RestoreResult = archive === null ? await restore(settings) : { state: "earlier", archive };
    done = true;
    return restored;
  } finally {
    if (!done) clearUnfinished(into);
    // Processes wait for the lock of the folder first, so none has this file open yet.
    if (!done && !had_lock_file) rmSync(lock_file, { force: true });
    lock.release();
    if (!done) removeMadeFolders(into, made);
  }
}

async function restore(settings: RestoreSettings): Promise<RestoreResult> {
  const { source, into } = settings;
  const made = restoringFolder(into);
  const manifest = await unpack(source, made, "sqlite", settings.checkManifest);
  refuseConflicts(into, made);
  const erasures = mergedErasures([
    settings.erasures,
    readErasures(join(into, erasures_file)),
    await source.erasures(),
  ]);
  const reached = await settings.forward?.(made);
  const stores = await openRestored(source.place, { data: made, database_url: null, log: settings.log });
  const moments = reached ?? momentsOf(manifest);
  const unpacked = join(made, files_folder);
  const contents = { unpacked, home: unpacked };
  const modes = await markAndClose(stores, { settings, at: made, contents, manifest, moments, erasures });
  if (settings.files.named !== null) rmSync(unpacked, { recursive: true, force: true });
  // The lock of the target folder is held, so this one is not needed.
  rmSync(join(made, "instance.lock"), { force: true });
  if (erasures.length > 0) writeErasures(join(made, erasures_file), erasures);
  finishRestore(into, source.name);
  return { state: "restored", manifest, modes };
}

function refuseExisting(into: string): void {
  if (!holdsData(into) || isRestored(into)) return;
  const advice = "Restore into another folder (--into FOLDER), or stop the server and move its files away.";
  throw startRefused("unsuitable", `${into} already has data, and a restore never overwrites data. ${advice}`);
}

/** Refuses files in the target folder that differ from those of the same name in the archive. */
export function refuseConflicts(into: string, made: string): void {
  for (const file of filesIn(made)) {
    const there = join(into, file);
    if (!existsSync(there) || readFileSync(there, "utf8").trim() === readFileSync(join(made, file), "utf8").trim())
      continue;
    throw startRefused("unsuitable", `${there} differs from the file in the backup. Move it away and restore again.`);
  }
}
