import { randomBytes } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { type Environment, environments } from "../core/environment.ts";
import { RowProgress, type Terminal } from "../core/progress.ts";
import {
  type CopyProgress,
  compareTable,
  copyTable,
  openEnd,
  pairsOf,
  type TableDifference,
  type TablePair,
} from "../storage/installation_copy.ts";
import type {
  CopiedTable,
  InstallationEnd,
  InstallationFacts,
  InstallationStore,
} from "../storage/installation_end.ts";
import { type MoveMark, readMoveMark, startRefused } from "../storage/start_refused.ts";
import { databaseCode } from "../storage/storage_errors.ts";

/**
 * Tables that a first start fills, with the maximum number of rows that it creates; null for any number. All other
 * tables of an unused installation are empty.
 */
const rows_of_first_start: Readonly<Record<string, number | null>> = {
  address_settings: null,
  api_keys: 1,
  billing_start: null,
  bins: null,
  counters: null,
  holiday_sets: null,
  leases: null,
  merchants: 1,
  one_time_links: null,
  postal_codes: null,
  rate_card_versions: null,
  rate_cards: null,
  request_blocks: null,
  roles: null,
  servers: null,
  warehouses: 1,
  zone_charts: null,
  zone_systems: null,
  zones: null,
};

/** Whether the number of rows in a table shows that an installation has been used. */
function notUntouched(table: string, rows: number): boolean {
  if (rows === 0) return false;
  const most = rows_of_first_start[table];
  return most === undefined || (most !== null && rows > most);
}

// `packhouse move`: copies an installation to another place, on either engine. Until everything is copied and compared,
// the source is the installation; from then on the target is, and the source is not served.

interface MoveSettings {
  readonly from: string;
  readonly to: string;
  /** Empty a target with a partial or an earlier move, and start over. */
  readonly begin_anew: boolean;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly print: (line: string) => void;
  /** Runs `verify` on a place in a separate process. Returns null without differences, otherwise its output. */
  readonly verify: (place: string) => Promise<string | null>;
  /** Whether the places of uploaded files are known on both sides. */
  readonly knows_files: boolean;
  /** Copies the files outside the databases. Returns notes for the operator. */
  readonly takeAlong: () => Promise<readonly string[]>;
}

/** The result: rows by environment and table. */
export interface MoveResult {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly seconds: number;
  readonly tables: readonly { readonly mode: Environment; readonly table: string; readonly rows: number }[];
}

/**
 * Moves an installation, or continues an interrupted move. Refuses a place in use, a source with differences or that
 * was moved already, a target with records, and different schema versions. If it fails or is killed, the source is
 * unchanged and the target is marked as partially moved.
 */
export async function move(moving: MoveSettings): Promise<MoveResult> {
  const begun_at = performance.now();
  const source = await openEnd(moving.from, "--from", "source");
  try {
    const gone = readMoveMark(await source.environments.live.mark());
    if (gone?.state === "arriving") throw unfinishedSource(source, gone);
    if (gone === null && !moving.knows_files) await refuseFiles(source);
    if (gone === null) await checkSource(source, moving);
    const target = await openEnd(moving.to, "--to", "target");
    try {
      const move_id = await begin(source, target, gone, moving);
      if (gone === null) await fill(source, target, move_id, moving);
      await finish(source, target, move_id, moving.clock.now());
      const tables = await rowsOf(source);
      const rows = tables.reduce((sum, { rows }) => sum + rows, 0);
      const seconds = (performance.now() - begun_at) / 1000;
      return { from: source.place, to: target.place, rows, seconds, tables };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

const unfinishedSource = ({ place }: InstallationEnd, { other }: MoveMark) =>
  startRefused("unsuitable", `${place} has an unfinished move from ${other}. Finish that first.`);

/** Refuses a source with differences: at the target, their origin could not be determined. */
async function checkSource(source: InstallationEnd, { from, verify, print }: MoveSettings): Promise<void> {
  const found = await source.lend(() => verify(from));
  if (found === null) return print(`${source.place} verified: 0 differences.`);
  throw startRefused("unsuitable", `${source.place} was not moved because verify found differences:\n${found}`);
}

/** Refuses a source with uploaded files, which would be left behind. */
async function refuseFiles({ place, environments: stores }: InstallationEnd): Promise<void> {
  for (const mode of environments) {
    const files = (await stores[mode].tables()).find(({ name }) => name === "files");
    if (files === undefined || (await stores[mode].count(files)) === 0) continue;
    const advice = "Name where they are with --files-from, unless in a data directory, and where to copy them with";
    throw startRefused("unsuitable", `${place} has uploaded files. ${advice} --files-to.`);
  }
}

/** Prepares the target, unless it is prepared already. Returns the id of the move. */
async function begin(
  source: InstallationEnd,
  target: InstallationEnd,
  gone: MoveMark | null,
  moving: MoveSettings,
): Promise<string> {
  const found = readMoveMark(await target.environments.live.mark());
  if (gone !== null) {
    if (found?.state === "arriving" && found.move_id === gone.move_id) return gone.move_id;
    throw startRefused("unsuitable", `${source.place} was moved to ${gone.other} already.`);
  }
  if (found !== null) refuseOtherMove(found, source, target, moving);
  const isAnew = found === null || moving.begin_anew;
  const move_id = isAnew ? randomBytes(8).toString("hex") : found.move_id;
  if (found === null) await refuseTouched(target);
  for (const mode of environments) {
    const store = target.environments[mode];
    const mark = readMoveMark(await store.mark());
    if (mark?.state === "arriving" && mark.move_id === move_id) continue;
    const at = moving.clock.now();
    await makeRoom(source.environments[mode], store, {
      state: "arriving",
      move_id,
      other: source.place,
      at,
      ...nothing,
    });
  }
  if (!isAnew) moving.print(`Continuing the move that was started at ${new Date(found.at).toISOString()}.`);
  return move_id;
}

const nothing = { restore: [], filled: false };

function refuseOtherMove(
  found: MoveMark,
  source: InstallationEnd,
  target: InstallationEnd,
  { begin_anew }: MoveSettings,
): void {
  if (found.other !== source.place) {
    const way = "Move into an empty installation.";
    const held = found.state === "moved" ? `was moved to ${found.other}` : `has an unfinished move from ${found.other}`;
    throw startRefused("unsuitable", `${target.place} ${held}. ${way}`);
  }
  if (found.state === "arriving" || begin_anew) return;
  const way = "With --begin-anew, the data left there is deleted and replaced.";
  throw startRefused("unsuitable", `${target.place} was moved to ${found.other}. ${way}`);
}

/** Refuses a target that has been used. */
async function refuseTouched(target: InstallationEnd): Promise<void> {
  for (const mode of environments) {
    const store = target.environments[mode];
    for (const table of await store.tables()) {
      const rows = await store.count(table);
      if (!notUntouched(table.name, rows)) continue;
      const found = `${target.place} already has records (${mode}: ${rows} in ${table.name}).`;
      throw startRefused("unsuitable", `${found} Nothing was changed. Move into an empty installation.`);
    }
  }
}

/** Marks an environment of the target, suspends constraints and indexes, and deletes the first start's rows. */
async function makeRoom(source: InstallationStore, store: InstallationStore, mark: MoveMark): Promise<void> {
  await pairsOf(source, store);
  await closeSource(store, mark, await store.tables());
}

async function closeSource(store: InstallationStore, mark: MoveMark, emptied: readonly CopiedTable[]): Promise<void> {
  const resting = await store.resting();
  // Objects that were restored already come before those that are still missing.
  const restore = [...resting.map((one) => one.restore), ...(readMoveMark(await store.mark())?.restore ?? [])];
  const drops = resting.map(({ drop }) => drop).reverse();
  const deletes = emptied.map(({ name }) => `delete from "${name}"`);
  await store.run([...drops, ...deletes], JSON.stringify({ ...mark, restore, filled: false }));
}

/** Copies all rows, restores what was suspended, and compares both sides. */
async function fill(
  source: InstallationEnd,
  target: InstallationEnd,
  move_id: string,
  moving: MoveSettings,
): Promise<void> {
  for (const mode of environments) await fillStore(source.environments[mode], target.environments[mode], moving);
  const { verify, takeAlong, print, to } = moving;
  for (const line of await takeAlong()) print(line);
  const found = await target.lend(() => verify(to));
  if (found !== null) throw startRefused("damaged", `verify found differences at the target:\n${found}`);
  print(`${target.place} verified: 0 differences.`);
  const mark = readMoveMark(await target.environments.live.mark());
  if (mark?.move_id !== move_id) throw new Error("the target was changed during the move");
}

async function fillStore(
  source: InstallationStore,
  target: InstallationStore,
  { terminal }: MoveSettings,
): Promise<void> {
  const pairs = await pairsOf(source, target);
  const total = await countAll(source, pairs);
  const name = (word: string) => `${source.mode}: ${word}`;
  let missing = pairs;
  for (let round = 1; ; round += 1) {
    if (readMoveMark(await target.mark())?.filled !== true) {
      const bar = new RowProgress(name("copied"), round === 1 ? total : await countAll(source, missing), terminal);
      for (const pair of missing) await copyTable(source, target, pair, bar);
      bar.done();
      await setFilled(target);
    }
    await restoreSuspended(target);
    const facts = await factsOf(source);
    await target.settle(facts);
    const bar = new RowProgress(name("compared"), total, terminal);
    const found = await differences(source, target, pairs, bar);
    bar.done();
    const first = found[0] ?? factsDiffer(facts, await factsOf(target));
    if (first === null || first === undefined) return;
    if (round === 2) throw startRefused("damaged", `The target differs from the source: ${first.difference}`);
    // The source was served after the interruption.
    missing = found.flatMap(({ pair }) => pair ?? []);
    const mark = readMoveMark(await target.mark()) as MoveMark;
    await closeSource(
      target,
      mark,
      missing.map(({ to }) => to),
    );
  }
}

interface FoundDifference {
  readonly pair: TablePair | null;
  readonly difference: Exclude<TableDifference, null>;
}

async function differences(
  source: InstallationStore,
  target: InstallationStore,
  pairs: readonly TablePair[],
  steps: CopyProgress,
): Promise<FoundDifference[]> {
  const found: FoundDifference[] = [];
  for (const pair of pairs) {
    const difference = await compareTable(source, target, pair, steps);
    if (difference !== null) found.push({ pair, difference });
  }
  return found;
}

function factsDiffer(mine: InstallationFacts, other: InstallationFacts): FoundDifference | null {
  const text = ({ sequences, time, itself }: InstallationFacts) => [
    JSON.stringify([...sequences].sort()),
    time,
    JSON.stringify([...itself].sort()),
  ];
  const names = ["the last assigned ids", "the time", "the installation record"];
  const [a, b] = [text(mine), text(other)];
  const at = a.findIndex((one, nth) => one !== b[nth]);
  return at < 0 ? null : { pair: null, difference: `${names[at]} differ: ${a[at]} and ${b[at]}` };
}

async function factsOf(store: InstallationStore): Promise<InstallationFacts> {
  return { sequences: await store.sequences(), time: await store.time(), itself: await store.itself() };
}

async function countAll(store: InstallationStore, pairs: readonly TablePair[]): Promise<number> {
  let sum = 0;
  for (const { from } of pairs) sum += await store.count(from);
  return sum;
}

async function setFilled(store: InstallationStore): Promise<void> {
  await store.setMark(JSON.stringify({ ...(readMoveMark(await store.mark()) as MoveMark), filled: true }));
}

const restored_at_once = 20;

/** Restores what was suspended in small steps, so that an interruption loses little. */
async function restoreSuspended(store: InstallationStore): Promise<void> {
  for (;;) {
    const mark = readMoveMark(await store.mark()) as MoveMark;
    if (mark.restore.length === 0) return;
    const rest = mark.restore.slice(restored_at_once);
    try {
      await store.run(mark.restore.slice(0, restored_at_once), JSON.stringify({ ...mark, restore: rest }));
    } catch (error) {
      if (!(error instanceof Error) || databaseCode(error) === null) throw error;
      const message = `The target refuses the rows of ${store.mode}: ${error.message}`;
      throw Object.assign(startRefused("unsuitable", message), { cause: error });
    }
  }
}

/** Switches to the target, which is the installation from the first mark on. Neither is served until the last one. */
async function finish(source: InstallationEnd, target: InstallationEnd, move_id: string, at: number): Promise<void> {
  const mark = JSON.stringify({ state: "moved", move_id, other: target.place, at, ...nothing } satisfies MoveMark);
  for (const mode of environments) await source.environments[mode].setMark(mark);
  for (const mode of ["test", "live"] as const) await target.environments[mode].setMark(null);
}

async function rowsOf(source: InstallationEnd): Promise<MoveResult["tables"]> {
  const found: MoveResult["tables"][number][] = [];
  for (const mode of environments) {
    const store = source.environments[mode];
    for (const table of await store.tables()) {
      const rows = await store.count(table);
      if (rows > 0) found.push({ mode, table: table.name, rows });
    }
  }
  return found;
}

interface UndoSettings {
  readonly from: string;
  readonly to: string;
  /** Undo the move even if data was written at the target since. */
  readonly lose: boolean;
  readonly clock: Clock;
  readonly terminal: Terminal;
}

/**
 * Undoes a move: the source is served again, and the target is not. Refuses if data was written at the target since,
 * unless `lose` is set. Returns a line for each table that differed.
 */
export async function undoMove({ from, to, lose, clock, terminal }: UndoSettings): Promise<readonly string[]> {
  const source = await openEnd(from, "--from", "source");
  try {
    const gone = readMoveMark(await source.environments.live.mark());
    if (gone?.state !== "moved")
      throw startRefused("unsuitable", `${source.place} was not moved. Start Packhouse on it.`);
    const target = await openEnd(to, "--to", "source");
    try {
      const found = readMoveMark(await target.environments.live.mark());
      if (gone.other !== target.place) {
        throw startRefused("unsuitable", `${source.place} was moved to ${gone.other}, not to ${target.place}.`);
      }
      if (found !== null && found.move_id !== gone.move_id) {
        const since =
          found.state === "moved" ? `was moved on to ${found.other}` : `is being filled from ${found.other}`;
        throw startRefused("unsuitable", `${target.place} ${since}. Resolve that first.`);
      }
      const lost = found === null ? await sinceMove(source, target, terminal) : [];
      if (lost.length > 0 && !lose) {
        const way =
          "To keep the changes, exchange --from and --to and add --begin-anew. To discard them, add --lose-since-move.";
        throw startRefused("unsuitable", [`${target.place} was changed since the move:`, ...lost, way].join("\n"));
      }
      if (found?.state !== "arriving") {
        const back = {
          state: "moved",
          move_id: gone.move_id,
          other: source.place,
          at: clock.now(),
          ...nothing,
        } as const;
        for (const mode of environments)
          await target.environments[mode].setMark(JSON.stringify(back satisfies MoveMark));
      }
      for (const mode of ["test", "live"] as const) await source.environments[mode].setMark(null);
      return lost;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Compares both sides. Returns a line for each table that differs. */
async function sinceMove(source: InstallationEnd, target: InstallationEnd, terminal: Terminal): Promise<string[]> {
  const lines: string[] = [];
  for (const mode of environments) {
    const [mine, other] = [source.environments[mode], target.environments[mode]];
    const pairs = await pairsOf(mine, other);
    const bar = new RowProgress(`${mode}: compared`, await countAll(mine, pairs), terminal);
    for (const { pair, difference } of await differences(mine, other, pairs, bar)) {
      const [before, now] = pair === null ? [0, 0] : [await mine.count(pair.from), await other.count(pair.to)];
      lines.push(`${mode}: ${difference}; ${before} rows then, ${now} now`);
    }
    bar.done();
  }
  return lines;
}
