// Puts the snapshot of before an upgrade in the place of the data, which is put aside. Each step can be taken again, so
// that a process that died in between is followed by one that finishes; until then no server opens the data.
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { modes } from "../../kit/mode.ts";
import { makeFolder, syncFolder, writeWhole } from "../../kit/whole_file.ts";
import { commitText } from "../commit_file.ts";
import { goingBackFile } from "../going_back.ts";
import { folderOf, keptUpgrades, saveRecord, stamp, upgradesFolder } from "./record.ts";

/** What is going on: which upgrade is taken back, and where the data of since is put. */
interface GoingBack {
  readonly upgrade: string;
  readonly aside: string;
}

/** The way back that was begun and not finished; null when there is none. */
export function goingBack(data: string): GoingBack | null {
  const path = goingBackFile(data);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as GoingBack) : null;
}

/** Notes on the disk that the data goes back to the snapshot of an upgrade. From then on it does. */
export function beginGoingBack(data: string, upgrade: string, now: number): GoingBack {
  const going = { upgrade, aside: `aside-${stamp(now)}` };
  writeWhole(goingBackFile(data), `${JSON.stringify(going)}\n`);
  return going;
}

/**
 * Goes back, or on with it: alone with the data. Answers the folder that holds the data of since, which is kept until
 * somebody removes it.
 */
export function goBack(data: string, { upgrade, aside }: GoingBack, now: number): string {
  const kept = keptUpgrades(data).find(({ name }) => name === upgrade);
  if (kept === undefined) throw new Error(`${folderOf(data, upgrade)} is gone`);
  const away = folderOf(data, aside);
  makeFolder(away);
  for (const mode of modes) {
    const name = `${mode}.db`;
    const path = join(data, name);
    const former = join(folderOf(data, upgrade), name);
    const had_one = kept.record.files.some((file) => file.name === name);
    if (existsSync(former) || (!had_one && existsSync(path))) {
      emptyLog(path);
      putAside(path, join(away, name), had_one);
      // It says of a commit that the data of before has not seen.
      if (existsSync(`${path}.commit`)) renameSync(`${path}.commit`, join(away, `${name}.commit`));
      syncFolder(away);
      if (had_one) renameSync(former, path);
      syncFolder(data);
    }
    const number = kept.record.commits?.[mode];
    if (had_one && number !== undefined) writeWhole(`${path}.commit`, commitText(number));
  }
  saveRecord(data, { ...kept, record: { ...kept.record, gone_back_at: now } });
  rmSync(goingBackFile(data), { force: true });
  syncFolder(upgradesFolder(data));
  return away;
}

/** Copies a database's log into it and removes it: it would be taken for that of the one that comes in its place. */
function emptyLog(path: string): void {
  if (existsSync(`${path}-wal`)) {
    using raw = new Database(path, { create: false, readwrite: true, strict: true });
    raw.run("pragma wal_checkpoint(truncate)");
  }
  for (const end of ["-wal", "-shm"]) {
    if (end === "-wal" && existsSync(path + end) && statSync(path + end).size > 0) {
      throw new Error(`${path}${end} is in use`);
    }
    rmSync(path + end, { force: true });
  }
}

/** Keeps a file under a second name; its place is never empty where another comes into it. */
function putAside(path: string, to: string, another_comes: boolean): void {
  if (!another_comes) {
    renameSync(path, to);
    return;
  }
  if (existsSync(to)) rmSync(to);
  try {
    linkSync(path, to);
  } catch {
    // Some file systems know no second names.
    copyFileSync(path, to);
  }
}
