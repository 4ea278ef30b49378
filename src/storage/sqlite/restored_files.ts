// Restores and rollbacks prepare their files in a folder inside the data directory, and rename it once all of them are
// on disk. From then on the data is restored: whatever opens it next moves the files into place.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { environments } from "../../core/environment.ts";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import { startRefused } from "../start_refused.ts";

const restoring = ".restoring";
const restored = ".restored";
const note = "restored.json";

/** The folder in which restored data is prepared. */
export const restoringFolder = (data: string): string => join(data, restoring);

/** Whether the folder contains data, or remains that would be mistaken for it. */
export function holdsData(data: string): boolean {
  return existsSync(data) && readdirSync(data).some((name) => /^(?:live|test)\.db/.test(name));
}

/** Whether a restore has finished whose files are not all in place. */
export const isRestored = (data: string): boolean => existsSync(join(data, restored));

/** Removes the remains of an interrupted restore. Returns whether there were any. */
export function clearUnfinished(data: string): boolean {
  const path = restoringFolder(data);
  if (!existsSync(path)) return false;
  rmSync(path, { recursive: true });
  syncFolder(data);
  return true;
}

/** Refuses a folder with an interrupted restore that has not changed the data. */
export function refuseUnfinished(data: string): void {
  if (!existsSync(restoringFolder(data)) || holdsData(data)) return;
  const advice = `Run packhouse restore again, or remove ${restoringFolder(data)} to start with no data.`;
  throw startRefused("unsuitable", `A restore into ${data} was interrupted, and nothing was restored. ${advice}`);
}

/** The files below a folder, as relative paths. */
export function filesIn(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

interface RestoreNote {
  /** The name of the archive. */
  readonly archive: string;
  /** Whether the files replace those of a rolled-back upgrade. */
  readonly replaces: boolean;
}

/**
 * Makes the prepared files the data of the folder. `archive` is the name of their archive. To replace other data, the
 * logs of both must be empty.
 */
export function finishRestore(data: string, archive: string, how: "fills" | "replaces" = "fills"): void {
  const made = restoringFolder(data);
  const noted: RestoreNote = { archive, replaces: how === "replaces" };
  writeAtomically(join(made, note), `${JSON.stringify(noted)}\n`);
  for (const file of filesIn(made)) syncFolder(dirname(join(made, file)));
  renameSync(made, join(data, restored));
  syncFolder(data);
  placeRestored(data);
}

/**
 * Moves the files of a finished restore into place, if they are not. Returns the name of their archive, or null if
 * there is nothing to do. No other process may use the folder.
 */
export function placeRestored(data: string): string | null {
  const from = join(data, restored);
  if (!existsSync(from)) return null;
  const { archive, replaces } = readNote(join(from, note));
  if (replaces) removeLogs(data);
  const files = filesIn(from).filter((file) => file !== note);
  // The databases come last, each after its side files.
  const order = (file: string) => (/^(?:live|test)\.db$/.test(file) ? 2 : /^(?:live|test)\.db/.test(file) ? 1 : 0);
  for (const file of files.sort((one, other) => order(one) - order(other))) {
    makeFolder(dirname(join(data, file)));
    renameSync(join(from, file), join(data, file));
    syncFolder(dirname(join(data, file)));
  }
  rmSync(from, { recursive: true });
  syncFolder(data);
  return archive;
}

/** Removes the empty logs of replaced databases, since SQLite would read them as the logs of the new ones. */
function removeLogs(data: string): void {
  for (const mode of environments) {
    for (const end of ["-wal", "-shm"]) rmSync(join(data, `${mode}.db${end}`), { force: true });
  }
  syncFolder(data);
}

function readNote(path: string): RestoreNote {
  try {
    const { archive, replaces } = JSON.parse(readFileSync(path, "utf8")) as Partial<RestoreNote>;
    return { archive: String(archive), replaces: replaces === true };
  } catch {
    return { archive: "", replaces: false };
  }
}

/** Refuses a folder whose restored files are not all in place. Moving them needs the folder's lock. */
export function refuseHalfPlaced(data: string): void {
  if (!isRestored(data)) return;
  const advice = "Unless another process is completing it, start packhouse serve, which does.";
  throw startRefused("in_use", `A restore or rollback of the data in ${data} is not complete. ${advice}`);
}
