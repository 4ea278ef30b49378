// Checks of the place of uploaded files: whether it can be used, and whether it has what the data names.
import { existsSync, statSync } from "node:fs";
import { environments } from "../../core/environment.ts";
import { wireId } from "../../core/ids.ts";
import { storedFiles, unknownKeys } from "../../files/files.sql.ts";
import type { FileContents } from "../../storage/file_contents.ts";
import type { Stores } from "../../storage/open_stores.ts";
import { runningServers } from "../../storage/servers.ts";
import { type CheckContext, type CheckResult, ok, problem, warning } from "./check.ts";
import { filesIn, listed, opensToOthers } from "./data_checks.ts";

const subject = "uploaded files";

/** Checks that contents can be written, read, listed and removed, only by the service, and that none is missing. */
export async function checkUploads({ uploads, stores, database_url }: CheckContext): Promise<CheckResult[]> {
  if (uploads === null) return [];
  const found = await checkPlace(uploads);
  if (stores === null || found.some(({ state }) => state === "problem")) return found;
  const servers = database_url === null ? [] : await stores.live.read(runningServers);
  if (servers.length > 1 && uploads.location === null) {
    const advice = "Set --files to a place that all of them share, such as s3://bucket/prefix.";
    found.push(problem(subject, `each of ${servers.length} servers keeps its own`, advice));
  }
  return [...found, ...(await checkContents(uploads, stores))];
}

async function checkPlace(uploads: FileContents): Promise<CheckResult[]> {
  const { location, folder } = uploads;
  if (folder !== null && !existsSync(folder)) {
    if (location === null) return [ok(subject, "the first one creates their folder in the data directory")];
    const advice = "Mount its disk, or correct --files. Otherwise the first upload creates the folder.";
    return [warning(subject, `${folder} does not exist`, advice)];
  }
  if (folder !== null && !statSync(folder).isDirectory()) {
    return [problem(subject, `${folder} is not a folder`, "Correct --files.")];
  }
  const refused = await tryOut(uploads);
  if (refused !== null) return [refused];
  // Those of the data directory are checked with everything else in it.
  const open = folder === null || location === null ? [] : opensToOthers(filesIn(folder));
  if (open.length > 0) {
    return [problem(subject, `other users can access ${listed(open)}`, `Run chmod -R go= ${folder}.`)];
  }
  return [ok(subject, `${folder ?? location} can be written, read, listed and cleared`)];
}

/** Writes, reads, lists and removes a content. Returns the step that failed. */
async function tryOut(uploads: FileContents): Promise<CheckResult | null> {
  const key = "doctor-check";
  const bytes = Buffer.from("packhouse doctor");
  let step = "written";
  try {
    await uploads.write("test", key, bytes);
    step = "read";
    const read = await uploads.read("test", key);
    if (read === null || !bytes.equals(read)) throw new Error("another content was returned");
    step = "listed";
    await uploads.list("test");
    step = "removed";
    await uploads.remove("test", key);
    if ((await uploads.read("test", key)) !== null) throw new Error("it is still there");
    return null;
  } catch (error) {
    if (step !== "removed") await uploads.remove("test", key).catch(() => {});
    const { folder, location } = uploads;
    const advice =
      folder === null
        ? "Check --files, PACKHOUSE_S3_ENDPOINT and the credentials: they need to get, put, delete and list objects."
        : `Give ${folder} to the service's user, for example with chown -R packhouse: ${folder}, and check its disk.`;
    const reason = error instanceof Error ? error.message : String(error);
    return problem(subject, `nothing can be ${step} in ${folder ?? location}: ${reason}`, advice);
  }
}

/** Compares the contents with the files of both environments. */
async function checkContents(uploads: FileContents, stores: Stores): Promise<CheckResult[]> {
  const missing: string[] = [];
  let strays = 0;
  for (const mode of environments) {
    const files = await stores[mode].read(storedFiles);
    const keys = new Set(await uploads.list(mode));
    for (const { id, key } of files) {
      // It may have been uploaded or removed since.
      if (!keys.has(key) && (await uploads.read(mode, key)) === null) missing.push(wireId("file", id));
    }
    strays += (await stores[mode].read((db) => unknownKeys(db, [...keys]))).length;
  }
  const found: CheckResult[] = [];
  if (missing.length > 0) {
    const advice = "Correct --files, restore them with packhouse restore --files, or upload them again.";
    found.push(problem(subject, `the contents of ${listed(missing)} are missing`, advice));
  }
  if (strays > 0) {
    const advice = "They are harmless. Another installation may use the same place: each needs its own.";
    found.push(warning(subject, `${strays} contents belong to no file`, advice));
  }
  return found;
}
