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

// What decides whether an installation may be moved into.

/**
 * What a start puts into an empty installation, with the most rows that it makes where people make more; any number
 * where it is null. All other tables are empty as long as nothing has happened.
 */
const of_a_start: Readonly<Record<string, number | null>> = {
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

/** Whether so many rows of a table say that something has happened in an installation beside its first start. */
function notUntouched(table: string, rows: number): boolean {
  if (rows === 0) return false;
  const most = of_a_start[table];
  return most === undefined || (most !== null && rows > most);
}

// `packhouse move`: an installation from one place to another, on either engine. Until all of it has arrived and was
// held against the source, the source is the installation; from then on the target is, and the source is not served.

interface MoveSettings {
  readonly from: string;
  readonly to: string;
  /** Empty a target that holds half of a move, or what was moved from there to the source, and begin from nothing. */
  readonly begin_anew: boolean;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly print: (line: string) => void;
  /** Runs `verify` on a place by a process of its own: null when there are no differences, else what it said. */
  readonly verify: (place: string) => Promise<string | null>;
  /** Takes along what lies beside the databases; answers what is to be known about it. */
  readonly takeAlong: () => readonly string[];
}

/** What was moved: rows by world and table. */
export interface MoveResult {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly seconds: number;
  readonly tables: readonly { readonly mode: Environment; readonly table: string; readonly rows: number }[];
}

/**
 * Moves an installation, or goes on with a move that was interrupted. Refuses, with a word that says what to do: a
 * place that is in use, a source that has differences or was moved already, a target that holds records, schemas of
 * different versions. When it fails or is killed, the source is as it was, and the target says that it is half moved.
 */
export async function move(moving: MoveSettings): Promise<MoveResult> {
  const begun_at = performance.now();
  const source = await openEnd(moving.from, "--from", "source");
  try {
    const gone = readMoveMark(await source.worlds.live.mark());
    if (gone?.state === "arriving") throw halfSource(source, gone);
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

const halfSource = ({ place }: InstallationEnd, { other }: MoveMark) =>
  startRefused("unsuitable", `${place} holds half of a move from ${other} itself: finish that first.`);

/** Differences that are there already would be found at the target, where nobody could tell where they come from. */
async function checkSource(source: InstallationEnd, { from, verify, print }: MoveSettings): Promise<void> {
  const found = await source.lend(() => verify(from));
  if (found === null) return print(`${source.place} was looked over: 0 differences.`);
  throw startRefused("unsuitable", `${source.place} does not agree with itself, so that it is not moved:\n${found}`);
}

/** Makes the target ready, unless it is: answers the name of the move. */
async function begin(
  source: InstallationEnd,
  target: InstallationEnd,
  gone: MoveMark | null,
  moving: MoveSettings,
): Promise<string> {
  const found = readMoveMark(await target.worlds.live.mark());
  if (gone !== null) {
    if (found?.state === "arriving" && found.move_id === gone.move_id) return gone.move_id;
    throw startRefused("unsuitable", `${source.place} was moved to ${gone.other} already.`);
  }
  if (found !== null) refuseOtherMove(found, source, target, moving);
  const isAnew = found === null || moving.begin_anew;
  const move_id = isAnew ? randomBytes(8).toString("hex") : found.move_id;
  if (found === null) await refuseTouched(target);
  for (const mode of environments) {
    const world = target.worlds[mode];
    const mark = readMoveMark(await world.mark());
    if (mark?.state === "arriving" && mark.move_id === move_id) continue;
    const at = moving.clock.now();
    await makeRoom(source.worlds[mode], world, { state: "arriving", move_id, other: source.place, at, ...nothing });
  }
  if (!isAnew) moving.print(`Going on with the move that was begun at ${new Date(found.at).toISOString()}.`);
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
    const held = found.state === "moved" ? `was moved to ${found.other}` : `holds half of a move from ${found.other}`;
    throw startRefused("unsuitable", `${target.place} ${held}. ${way}`);
  }
  if (found.state === "arriving" || begin_anew) return;
  const way = "With --begin-anew, what is left there is deleted and comes back as it is now.";
  throw startRefused("unsuitable", `${target.place} was moved to ${found.other}. ${way}`);
}

/** Refuses a target in which something happened. */
async function refuseTouched(target: InstallationEnd): Promise<void> {
  for (const mode of environments) {
    const world = target.worlds[mode];
    for (const table of await world.tables()) {
      const rows = await world.count(table);
      if (!notUntouched(table.name, rows)) continue;
      const found = `${target.place} holds records already (${mode}: ${rows} in ${table.name}).`;
      throw startRefused("unsuitable", `${found} Move into an empty installation: nothing was changed.`);
    }
  }
}

/** Marks a world, lets rest what would stand in the way of rows, and deletes what a start has put there. */
async function makeRoom(source: InstallationStore, world: InstallationStore, mark: MoveMark): Promise<void> {
  await pairsOf(source, world);
  await closeSource(world, mark, await world.tables());
}

async function closeSource(world: InstallationStore, mark: MoveMark, emptied: readonly CopiedTable[]): Promise<void> {
  const resting = await world.resting();
  // What was made anew already stands before what is still to be made.
  const restore = [...resting.map((one) => one.restore), ...(readMoveMark(await world.mark())?.restore ?? [])];
  const drops = resting.map(({ drop }) => drop).reverse();
  const deletes = emptied.map(({ name }) => `delete from "${name}"`);
  await world.run([...drops, ...deletes], JSON.stringify({ ...mark, restore, filled: false }));
}

/** Copies all rows, makes whole what rested, and holds both ends against each other. */
async function fill(
  source: InstallationEnd,
  target: InstallationEnd,
  move_id: string,
  moving: MoveSettings,
): Promise<void> {
  for (const mode of environments) await fillWorld(source.worlds[mode], target.worlds[mode], moving);
  const { verify, takeAlong, print, to } = moving;
  for (const line of takeAlong()) print(line);
  const found = await target.lend(() => verify(to));
  if (found !== null) throw startRefused("damaged", `What arrived does not agree with itself:\n${found}`);
  print(`${target.place} was looked over: 0 differences.`);
  const mark = readMoveMark(await target.worlds.live.mark());
  if (mark?.move_id !== move_id) throw new Error("the target was changed meanwhile");
}

async function fillWorld(
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
    await makeWhole(target);
    const facts = await factsOf(source);
    await target.settle(facts);
    const bar = new RowProgress(name("compared"), total, terminal);
    const found = await differences(source, target, pairs, bar);
    bar.done();
    const first = found[0] ?? factsDiffer(facts, await factsOf(target));
    if (first === null || first === undefined) return;
    if (round === 2) throw startRefused("damaged", `Not all has arrived as it was: ${first.difference}`);
    // The source was served between an interruption and now.
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
  const names = ["the last ids that were allotted", "the time", "what the installation says of itself"];
  const [a, b] = [text(mine), text(other)];
  const at = a.findIndex((one, nth) => one !== b[nth]);
  return at < 0 ? null : { pair: null, difference: `${names[at]} differ: ${a[at]} and ${b[at]}` };
}

async function factsOf(world: InstallationStore): Promise<InstallationFacts> {
  return { sequences: await world.sequences(), time: await world.time(), itself: await world.itself() };
}

async function countAll(world: InstallationStore, pairs: readonly TablePair[]): Promise<number> {
  let sum = 0;
  for (const { from } of pairs) sum += await world.count(from);
  return sum;
}

async function setFilled(world: InstallationStore): Promise<void> {
  await world.setMark(JSON.stringify({ ...(readMoveMark(await world.mark()) as MoveMark), filled: true }));
}

const restored_at_once = 20;

/** Makes again what rested, some of it at a time, so that an interruption loses little. */
async function makeWhole(world: InstallationStore): Promise<void> {
  for (;;) {
    const mark = readMoveMark(await world.mark()) as MoveMark;
    if (mark.restore.length === 0) return;
    const rest = mark.restore.slice(restored_at_once);
    try {
      await world.run(mark.restore.slice(0, restored_at_once), JSON.stringify({ ...mark, restore: rest }));
    } catch (error) {
      if (!(error instanceof Error) || databaseCode(error) === null) throw error;
      const said = `The target refuses the rows of ${world.mode}: ${error.message}`;
      throw Object.assign(startRefused("unsuitable", said), { cause: error });
    }
  }
}

/** From the first mark on the target is the installation; until the last one is gone, neither is served. */
async function finish(source: InstallationEnd, target: InstallationEnd, move_id: string, at: number): Promise<void> {
  const mark = JSON.stringify({ state: "moved", move_id, other: target.place, at, ...nothing } satisfies MoveMark);
  for (const mode of environments) await source.worlds[mode].setMark(mark);
  for (const mode of ["test", "live"] as const) await target.worlds[mode].setMark(null);
}

async function rowsOf(source: InstallationEnd): Promise<MoveResult["tables"]> {
  const found: MoveResult["tables"][number][] = [];
  for (const mode of environments) {
    const world = source.worlds[mode];
    for (const table of await world.tables()) {
      const rows = await world.count(table);
      if (rows > 0) found.push({ mode, table: table.name, rows });
    }
  }
  return found;
}

interface UndoSettings {
  readonly from: string;
  readonly to: string;
  /** Go back although the target holds what the source does not. */
  readonly lose: boolean;
  readonly clock: Clock;
  readonly terminal: Terminal;
}

/**
 * Takes a move back: the source is served again, and the target is not. Refuses when something was written at the
 * target since, unless that may be lost. Answers a line for each table that differed.
 */
export async function undoMove({ from, to, lose, clock, terminal }: UndoSettings): Promise<readonly string[]> {
  const source = await openEnd(from, "--from", "source");
  try {
    const gone = readMoveMark(await source.worlds.live.mark());
    if (gone?.state !== "moved")
      throw startRefused("unsuitable", `${source.place} was not moved: start Packhouse on it.`);
    const target = await openEnd(to, "--to", "source");
    try {
      const found = readMoveMark(await target.worlds.live.mark());
      if (gone.other !== target.place) {
        throw startRefused("unsuitable", `${source.place} was moved to ${gone.other}, not to ${target.place}.`);
      }
      if (found !== null && found.move_id !== gone.move_id) {
        const since =
          found.state === "moved" ? `was moved on to ${found.other}` : `is being filled from ${found.other}`;
        throw startRefused("unsuitable", `${target.place} ${since}. See to that first.`);
      }
      const lost = found === null ? await sinceMove(source, target, terminal) : [];
      if (lost.length > 0 && !lose) {
        const way =
          "Move it back with --from and --to exchanged and --begin-anew, or lose what came since by --lose-since-move.";
        throw startRefused("unsuitable", [`${target.place} was written to since:`, ...lost, way].join("\n"));
      }
      if (found?.state !== "arriving") {
        const back = {
          state: "moved",
          move_id: gone.move_id,
          other: source.place,
          at: clock.now(),
          ...nothing,
        } as const;
        for (const mode of environments) await target.worlds[mode].setMark(JSON.stringify(back satisfies MoveMark));
      }
      for (const mode of ["test", "live"] as const) await source.worlds[mode].setMark(null);
      return lost;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** What differs since the move, a line for each table. */
async function sinceMove(source: InstallationEnd, target: InstallationEnd, terminal: Terminal): Promise<string[]> {
  const lines: string[] = [];
  for (const mode of environments) {
    const [mine, other] = [source.worlds[mode], target.worlds[mode]];
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
