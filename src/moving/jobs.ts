// `packhouse move`: an installation from one place to another, on either engine. Until all of it has arrived and was
// held against the source, the source is the installation; from then on the target is, and the source is not served.
import { randomBytes } from "node:crypto";
import { databaseCode } from "../database/conflict.ts";
import { compareTable, copyTable, type Difference, type Pair, pairsOf, type Steps } from "../database/ends/copying.ts";
import type { End, Facts, Table, World } from "../database/ends/end.ts";
import { openEnd } from "../database/ends/open_end.ts";
import { startRefused } from "../database/exit.ts";
import { type Mark, readMark } from "../database/moved.ts";
import type { Clock } from "../kit/clock.ts";
import { type Mode, modes } from "../kit/mode.ts";
import type { Terminal } from "../kit/progress.ts";
import { RowProgress } from "../kit/row_progress.ts";
import { notUntouched } from "./rules.ts";

interface Moving {
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
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly rows: number;
  readonly seconds: number;
  readonly tables: readonly { readonly mode: Mode; readonly table: string; readonly rows: number }[];
}

/**
 * Moves an installation, or goes on with a move that was interrupted. Refuses, with a word that says what to do: a
 * place that is in use, a source that has differences or was moved already, a target that holds records, schemas of
 * different versions. When it fails or is killed, the source is as it was, and the target says that it is half moved.
 */
export async function move(moving: Moving): Promise<Moved> {
  const begun_at = performance.now();
  const source = await openEnd(moving.from, "--from", "source");
  try {
    const gone = readMark(await source.worlds.live.mark());
    if (gone?.state === "arriving") throw halfSource(source, gone);
    if (gone === null) await lookAtSource(source, moving);
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

const halfSource = ({ place }: End, { other }: Mark) =>
  startRefused("unsuitable", `${place} holds half of a move from ${other} itself: finish that first.`);

/** Differences that are there already would be found at the target, where nobody could tell where they come from. */
async function lookAtSource(source: End, { from, verify, print }: Moving): Promise<void> {
  const found = await source.lend(() => verify(from));
  if (found === null) return print(`${source.place} was looked over: 0 differences.`);
  throw startRefused("unsuitable", `${source.place} does not agree with itself, so that it is not moved:\n${found}`);
}

/** Makes the target ready, unless it is: answers the name of the move. */
async function begin(source: End, target: End, gone: Mark | null, moving: Moving): Promise<string> {
  const found = readMark(await target.worlds.live.mark());
  if (gone !== null) {
    if (found?.state === "arriving" && found.move_id === gone.move_id) return gone.move_id;
    throw startRefused("unsuitable", `${source.place} was moved to ${gone.other} already.`);
  }
  if (found !== null) refuseOtherMove(found, source, target, moving);
  const isAnew = found === null || moving.begin_anew;
  const move_id = isAnew ? randomBytes(8).toString("hex") : found.move_id;
  if (found === null) await refuseTouched(target);
  for (const mode of modes) {
    const world = target.worlds[mode];
    const mark = readMark(await world.mark());
    if (mark?.state === "arriving" && mark.move_id === move_id) continue;
    const at = moving.clock.now();
    await makeRoom(source.worlds[mode], world, { state: "arriving", move_id, other: source.place, at, ...nothing });
  }
  if (!isAnew) moving.print(`Going on with the move that was begun at ${new Date(found.at).toISOString()}.`);
  return move_id;
}

const nothing = { restore: [], filled: false };

function refuseOtherMove(found: Mark, source: End, target: End, { begin_anew }: Moving): void {
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
async function refuseTouched(target: End): Promise<void> {
  for (const mode of modes) {
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
async function makeRoom(source: World, world: World, mark: Mark): Promise<void> {
  await pairsOf(source, world);
  await letRest(world, mark, await world.tables());
}

async function letRest(world: World, mark: Mark, emptied: readonly Table[]): Promise<void> {
  const resting = await world.resting();
  // What was made anew already stands before what is still to be made.
  const restore = [...resting.map((one) => one.restore), ...(readMark(await world.mark())?.restore ?? [])];
  const drops = resting.map(({ drop }) => drop).reverse();
  const deletes = emptied.map(({ name }) => `delete from "${name}"`);
  await world.run([...drops, ...deletes], JSON.stringify({ ...mark, restore, filled: false }));
}

/** Copies all rows, makes whole what rested, and holds both ends against each other. */
async function fill(source: End, target: End, move_id: string, moving: Moving): Promise<void> {
  for (const mode of modes) await fillWorld(source.worlds[mode], target.worlds[mode], moving);
  const { verify, takeAlong, print, to } = moving;
  for (const line of takeAlong()) print(line);
  const found = await target.lend(() => verify(to));
  if (found !== null) throw startRefused("damaged", `What arrived does not agree with itself:\n${found}`);
  print(`${target.place} was looked over: 0 differences.`);
  const mark = readMark(await target.worlds.live.mark());
  if (mark?.move_id !== move_id) throw new Error("the target was changed meanwhile");
}

async function fillWorld(source: World, target: World, { terminal }: Moving): Promise<void> {
  const pairs = await pairsOf(source, target);
  const total = await countAll(source, pairs);
  const name = (word: string) => `${source.mode}: ${word}`;
  let missing = pairs;
  for (let round = 1; ; round += 1) {
    if (readMark(await target.mark())?.filled !== true) {
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
    const mark = readMark(await target.mark()) as Mark;
    await letRest(
      target,
      mark,
      missing.map(({ to }) => to),
    );
  }
}

interface Found {
  readonly pair: Pair | null;
  readonly difference: Exclude<Difference, null>;
}

async function differences(source: World, target: World, pairs: readonly Pair[], steps: Steps): Promise<Found[]> {
  const found: Found[] = [];
  for (const pair of pairs) {
    const difference = await compareTable(source, target, pair, steps);
    if (difference !== null) found.push({ pair, difference });
  }
  return found;
}

function factsDiffer(mine: Facts, other: Facts): Found | null {
  const text = ({ sequences, time, itself }: Facts) => [
    JSON.stringify([...sequences].sort()),
    time,
    JSON.stringify([...itself].sort()),
  ];
  const names = ["the last ids that were allotted", "the time", "what the installation says of itself"];
  const [a, b] = [text(mine), text(other)];
  const at = a.findIndex((one, nth) => one !== b[nth]);
  return at < 0 ? null : { pair: null, difference: `${names[at]} differ: ${a[at]} and ${b[at]}` };
}

async function factsOf(world: World): Promise<Facts> {
  return { sequences: await world.sequences(), time: await world.time(), itself: await world.itself() };
}

async function countAll(world: World, pairs: readonly Pair[]): Promise<number> {
  let sum = 0;
  for (const { from } of pairs) sum += await world.count(from);
  return sum;
}

async function setFilled(world: World): Promise<void> {
  await world.setMark(JSON.stringify({ ...(readMark(await world.mark()) as Mark), filled: true }));
}

const restored_at_once = 20;

/** Makes again what rested, some of it at a time, so that an interruption loses little. */
async function makeWhole(world: World): Promise<void> {
  for (;;) {
    const mark = readMark(await world.mark()) as Mark;
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
async function finish(source: End, target: End, move_id: string, at: number): Promise<void> {
  const mark = JSON.stringify({ state: "moved", move_id, other: target.place, at, ...nothing } satisfies Mark);
  for (const mode of modes) await source.worlds[mode].setMark(mark);
  for (const mode of ["test", "live"] as const) await target.worlds[mode].setMark(null);
}

async function rowsOf(source: End): Promise<Moved["tables"]> {
  const found: Moved["tables"][number][] = [];
  for (const mode of modes) {
    const world = source.worlds[mode];
    for (const table of await world.tables()) {
      const rows = await world.count(table);
      if (rows > 0) found.push({ mode, table: table.name, rows });
    }
  }
  return found;
}

interface Undoing {
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
export async function undoMove({ from, to, lose, clock, terminal }: Undoing): Promise<readonly string[]> {
  const source = await openEnd(from, "--from", "source");
  try {
    const gone = readMark(await source.worlds.live.mark());
    if (gone?.state !== "moved")
      throw startRefused("unsuitable", `${source.place} was not moved: start Packhouse on it.`);
    const target = await openEnd(to, "--to", "source");
    try {
      const found = readMark(await target.worlds.live.mark());
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
        for (const mode of modes) await target.worlds[mode].setMark(JSON.stringify(back satisfies Mark));
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
async function sinceMove(source: End, target: End, terminal: Terminal): Promise<string[]> {
  const lines: string[] = [];
  for (const mode of modes) {
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
