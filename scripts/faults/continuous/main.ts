// Kills a server that archives its log at random moments, again and again. Then restores its data to random times from
// the archive alone, and compares it with what the database held.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, environments } from "../../../src/core/environment.ts";
import { type Random, seededRandom } from "../../../src/core/random.ts";
import { ArchivedLogDamaged, applyArchived } from "../../../src/operations/log_archive/apply_segments.ts";
import { archive_folder, folderPlace } from "../../../src/operations/log_archive/archive_destination.ts";
import { readName, type SegmentName } from "../../../src/operations/log_archive/segment.ts";
import type { FaultScript } from "../fault_script.ts";
import { basesOf, type Point, stateOf } from "./model.ts";

const writer = join(import.meta.dir, "writer.ts");
const usual_kills = 50;
const ship_every_ms = 50;

/** The result of some kills. */
export interface Shipped {
  kills: number;
  stops: number;
  /** The states that the server reported. */
  readonly points: Point[];
  /** How many of them were restored and matched. */
  restored: number;
  /** The number of chains per environment: one, unless archiving had to start again. */
  chains: number;
  /** The longest time (ms) that a kill together with a lost disk would have cost. */
  most_lost_ms: number;
  readonly wrong: string[];
  /** What the servers logged. */
  readonly logged: string[];
}

interface Bench {
  readonly data: string;
  readonly place: string;
  readonly scratch: string;
  readonly random: Random;
  readonly result: Shipped;
}

/** Kills a server that archives its log `kills` times, and restores to that many times. */
export async function killWhileShipping(kills: number, restores: number, seed: number): Promise<Shipped> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-continuous-"));
  const result: Shipped = {
    ...{ kills: 0, stops: 0, points: [], restored: 0, chains: 0, most_lost_ms: 0 },
    ...{ wrong: [], logged: [] },
  };
  const [data, place, scratch] = [join(folder, "data"), join(folder, "place"), join(folder, "scratch")];
  const bench: Bench = { data, place, scratch, random: seededRandom(seed), result };
  try {
    for (let cycle = 0; cycle < kills; cycle += 1) await runOnce(bench, cycle);
    // The last run stops gracefully, so that everything is archived.
    await runOnce(bench, kills, "SIGTERM");
    result.chains = environments.reduce((sum, mode) => sum + chainsOf(place, mode).length, 0) / environments.length;
    for (let at = 0; at < restores; at += 1) await restoreTo(bench, bench.random.pick(result.points));
    for (const mode of environments) {
      const last = result.points.findLast((point) => point.mode === mode);
      if (last !== undefined) await restoreTo(bench, last, true);
    }
    await damaged(bench);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the server until a random moment. After a kill, determines what a lost disk would have cost. */
async function runOnce(bench: Bench, cycle: number, how?: "SIGTERM"): Promise<void> {
  const { data, place, random, result } = bench;
  const end = how ?? (random.chance(0.25) ? "SIGTERM" : "SIGKILL");
  const wanted = random.integer(1, 60);
  const child = Bun.spawn([process.execPath, writer, data, place, String(cycle + 1), String(ship_every_ms)], {
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { ...process.env, PACKHOUSE_DATABASE_URL: "" } },
  });
  const logged = new Response(child.stderr).text();
  let [rest, lines] = ["", 0];
  const is_early = end === "SIGKILL" && random.chance(0.15);
  // Kills may hit the start as well.
  if (is_early) setTimeout(() => child.kill("SIGKILL"), random.integer(0, 400));
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    const pieces = (rest + chunk).split("\n");
    rest = pieces.pop() ?? "";
    for (const line of pieces) {
      if (!line.startsWith("{")) continue;
      result.points.push(JSON.parse(line) as Point);
      lines += 1;
      if (lines >= wanted && !child.killed) child.kill(end);
    }
  }
  const code = await child.exited;
  result.logged.push(
    ...(await logged)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => `cycle ${cycle}: ${line}`),
  );
  if (end === "SIGTERM") {
    result.stops += 1;
    if (code !== 0) result.wrong.push(`cycle ${cycle}: it did not stop gracefully: ${await logged}`);
  } else {
    result.kills += 1;
    if (child.signalCode !== "SIGKILL") result.wrong.push(`cycle ${cycle}: it ended by itself: ${await logged}`);
    lookAtLoss(bench);
  }
}

/** What would be lost with the disk, by the names of the archived segments. */
function lookAtLoss({ place, result }: Bench): void {
  for (const mode of environments) {
    const there = segmentsOf(place, mode);
    const shipped = Math.max(0, ...there.map(({ number }) => number));
    const reported = result.points.filter((point) => point.mode === mode);
    const first_lost = reported.find(({ number }) => number > shipped);
    const last = reported.at(-1);
    if (first_lost === undefined || last === undefined) continue;
    result.most_lost_ms = Math.max(result.most_lost_ms, last.at - first_lost.at);
  }
}

function segmentsOf(place: string, mode: Environment): SegmentName[] {
  const root = join(place, archive_folder);
  if (!existsSync(root)) return [];
  const names = (readdirSync(root, { recursive: true }) as string[]).sort();
  return names.flatMap((name) => readName(name) ?? []).filter((name) => name.mode === mode);
}

const chainsOf = (place: string, mode: Environment) => [...new Set(segmentsOf(place, mode).map(({ chain }) => chain))];

/** Restores the newest copy that is not later than a state, applies segments up to its time, and compares. */
async function restoreTo(bench: Bench, point: Point, to_the_end = false): Promise<void> {
  const { place, scratch, result } = bench;
  if (!layBase(bench, point.at)) return;
  try {
    const reached = (await applyArchived(folderPlace(place), scratch, to_the_end ? null : point.at))[point.mode];
    const found = stateOf(join(scratch, `${point.mode}.db`));
    const is_same = found.number === point.number && found.hash === point.hash && reached.number === found.number;
    if (is_same) result.restored += 1;
    else
      result.wrong.push(`${point.mode} at ${point.number} was restored as ${found.number}, ${JSON.stringify(reached)}`);
  } catch (error) {
    result.wrong.push(`${point.mode} at ${point.number}: ${error instanceof Error ? error.message : error}`);
  }
}

/** Puts the newest copy in which neither environment is later than a time into the scratch folder. */
function layBase({ place, scratch }: Bench, at: number): boolean {
  const names = readdirSync(basesOf(place)).filter((name) => !name.endsWith(".part"));
  for (const name of names.sort().reverse()) {
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch, { recursive: true });
    cpSync(join(basesOf(place), name), scratch, { recursive: true });
    if (environments.every((mode) => stateOf(join(scratch, `${mode}.db`)).at <= at)) return true;
  }
  return false;
}

/** Removes a segment, or changes a byte of it. The restore must be refused and name the last good time. */
async function damaged(bench: Bench): Promise<void> {
  const { place, scratch, random, result } = bench;
  const all = segmentsOf(place, "live");
  const last = result.points.findLast(({ mode }) => mode === "live");
  if (last === undefined || !layBase(bench, last.at)) return;
  const base = stateOf(join(scratch, "live.db"));
  const behind = all.filter(({ number }) => number > base.number);
  const victim = behind[random.integer(1, Math.max(1, behind.length - 2))];
  if (victim === undefined || behind.length < 3) return;
  const path = join(place, archive_folder, victim.name);
  const whole = readFileSync(path);
  for (const kind of ["missing", "damaged"]) {
    const bytes = Buffer.from(whole);
    const at = random.integer(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
    if (kind === "missing") unlinkSync(path);
    else writeFileSync(path, bytes);
    layBase(bench, last.at);
    const refused = await applyArchived(folderPlace(place), scratch, last.at).catch((error) => error);
    if (!(refused instanceof ArchivedLogDamaged) || !refused.message.includes(`is ${kind}`)) {
      result.wrong.push(`a segment that is ${kind} was not refused: ${refused}`);
      continue;
    }
    const good = result.points.findLast(({ mode, at }) => mode === "live" && at <= refused.good_at);
    layBase(bench, last.at);
    const { live } = await applyArchived(folderPlace(place), scratch, refused.good_at);
    const { hash } = stateOf(join(scratch, "live.db"));
    if (good?.number === live.number && good.hash !== hash) result.wrong.push("the error names another last good time");
    if (good !== undefined && live.number < good.number) result.wrong.push("the last good time was not reached");
  }
  writeFileSync(path, whole);
}

export const continuous: FaultScript = {
  description: "kills a server that archives its log (the number says how often) and restores its data to random times",
  lacks: async () => null,
  run: async (kills = usual_kills) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
    console.log(`  SEED=${seed}`);
    const { stops, points, restored, chains, most_lost_ms, wrong, ...all } = await killWhileShipping(
      kills,
      kills * 4,
      seed,
    );
    console.log(
      `  ${all.kills} kills and ${stops} stops, ${points.length} states reported, ${chains} chains per environment`,
    );
    console.log(`  ${restored} restored and equal, ${wrong.length} wrong`);
    console.log(
      `  archived every ${ship_every_ms} ms; a kill with a lost disk would have cost at most ${most_lost_ms} ms`,
    );
    for (const line of wrong.slice(0, 10)) console.log(`    ${line}`);
    return wrong.length > 0 || restored < kills ? 1 : 0;
  },
};
