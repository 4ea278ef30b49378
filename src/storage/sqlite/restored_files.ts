// How restored data comes to its folder: it is made in a folder inside, which gets another name once all is there and
// on the disk. From then on the restore has happened, and whoever opens the data puts the files in their places.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, syncFolder, writeAtomically } from "../../core/files.ts";
import { startRefused } from "../start_refused.ts";

const restoring = ".restoring";
const restored = ".restored";
const note = "restored.json";

/** The folder in which restored data is made. */
export const restoringFolder = (data: string): string => join(data, restoring);

/** Whether data is there, or was and left something that would be taken for it. */
export function holdsData(data: string): boolean {
  return existsSync(data) && readdirSync(data).some((name) => /^(?:live|test)\.db/.test(name));
}

/** Whether a restore has happened whose files are not all in their places. */
export const isRestored = (data: string): boolean => existsSync(join(data, restored));

/** Removes the remains of an interrupted restore. Returns whether there were any. */
export function clearUnfinished(data: string): boolean {
  const path = restoringFolder(data);
  if (!existsSync(path)) return false;
  rmSync(path, { recursive: true });
  syncFolder(data);
  return true;
}

/** Refuses a folder in which a restore was interrupted before anything came of it. */
export function refuseUnfinished(data: string): void {
  if (!existsSync(restoringFolder(data)) || holdsData(data)) return;
  const advice = `Run packhouse restore again, or remove ${restoringFolder(data)} to begin with no data.`;
  throw startRefused("unsuitable", `A restore into ${data} was interrupted, and nothing was restored. ${advice}`);
}

/** The files below a folder, as paths from there. */
export function filesIn(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    return entry.isDirectory() ? filesIn(folder, path) : [path];
  });
}

/** From here on the data that was made is the data of the folder. `archive` is what it came from. */
export function finishRestore(data: string, archive: string): void {
  const made = restoringFolder(data);
  writeAtomically(join(made, note), `${JSON.stringify({ archive })}\n`);
  for (const file of filesIn(made)) syncFolder(dirname(join(made, file)));
  renameSync(made, join(data, restored));
  syncFolder(data);
  placeRestored(data);
}

/**
 * Puts the files of a restore that has happened in their places, if they are not there yet. Answers the archive that
 * they came from, or null where there is nothing to do. Nobody else may use the folder.
 */
export function placeRestored(data: string): string | null {
  const from = join(data, restored);
  if (!existsSync(from)) return null;
  const files = filesIn(from).filter((file) => file !== note);
  // The databases come last, each after its side files.
  const order = (file: string) => (/^(?:live|test)\.db$/.test(file) ? 2 : /^(?:live|test)\.db/.test(file) ? 1 : 0);
  for (const file of files.sort((one, other) => order(one) - order(other))) {
    makeFolder(dirname(join(data, file)));
    renameSync(join(from, file), join(data, file));
    syncFolder(dirname(join(data, file)));
  }
  const archive = archiveOf(join(from, note));
  rmSync(from, { recursive: true });
  syncFolder(data);
  return archive;
}

function archiveOf(path: string): string {
  try {
    return String((JSON.parse(readFileSync(path, "utf8")) as { archive?: unknown }).archive);
  } catch {
    return "";
  }
}
