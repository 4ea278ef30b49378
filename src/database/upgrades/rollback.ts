// Whether an upgrade can be taken back, and what would be lost by it.
import { constants, Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Clock, iso } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import { checkFiles, refuseMarked } from "../data_directory.ts";
import { type Erasure, erasures_file, readErasures } from "../erasures.ts";
import { startRefused } from "../exit.ts";
import { lock } from "../lock.ts";
import { namesOf, noData, standingOnSqlite } from "../migrate.ts";
import { folderOf, type KeptUpgrade, keptUpgrades, type Reached, stamp } from "./record.ts";
import { beginGoingBack, goBack, goingBack } from "./switching.ts";
import { isWritten, reachedOnSqlite, toldOf, type Written, writtenOnSqlite } from "./written.ts";

export interface RollbackSettings {
  readonly data: string;
  /** Whether it goes back although something was stored since the upgrade. */
  readonly lose: boolean;
  /** Asked before anything is lost; false leaves all as it is. */
  readonly agree: (question: string) => boolean;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
}

/** The migrations that each world has. */
type Has = Readonly<Record<Mode, readonly string[]>>;

/** The upgrade that can be taken back, or the word that there is nothing to take back. Refuses when it cannot be. */
export function upgradeOf(data: string, has: Has, engine: "sqlite" | "postgres"): KeptUpgrade | "before" {
  const same = (some: readonly string[], others: readonly string[]) =>
    some.toSorted().join() === others.toSorted().join();
  const kept = keptUpgrades(data).filter(({ record }) => record.engine === engine);
  const found = kept.find(({ record: { before, after, reached, gone_back_at } }) => {
    const fits = modes.every((mode) => same(has[mode], after) || same(has[mode], before[mode]));
    // On PostgreSQL it is noted before the upgrade is committed: one without it came to nothing.
    const is_done = engine === "sqlite" || reached !== null;
    return gone_back_at === null && is_done && fits && modes.some((mode) => same(has[mode], after));
  });
  if (found !== undefined) return found;
  if (kept.some(({ record: { before } }) => modes.every((mode) => same(has[mode], before[mode])))) return "before";
  throw startRefused(
    "absent",
    "There is no snapshot of before the last upgrade of this data: none was taken, or it was removed. " +
      "A backup of before it can be restored by packhouse restore.",
  );
}

/** Refuses to go back when something was stored since, unless it is to be lost. Answers whether to go on. */
export function mayLose(
  { lose, agree, tell }: RollbackSettings,
  { record }: KeptUpgrade,
  written: Readonly<Record<Mode, Written>>,
): boolean {
  if (!isWritten(Object.values(written))) return true;
  const since = `since the upgrade of ${stamp(record.at)}`;
  const lines = modes.map((mode) => `  ${mode}: ${toldOf(written[mode])}`);
  if (!lose) {
    throw startRefused(
      "unsuitable",
      [`This was stored ${since}, and would be lost:`, ...lines, "To go back all the same: --lose-since-upgrade."].join(
        "\n",
      ),
    );
  }
  tell(`This was stored ${since}, and is lost:`);
  for (const line of lines) tell(line);
  tell(
    "Numbers that were given since are given again: of orders, labels, parcels and events. Where others know of them,",
  );
  tell("restore a backup of before the upgrade instead: packhouse restore passes them over, and lets webhooks wait.");
  return agree("Go back to before the upgrade?");
}

/** What is said once the data has gone back. */
export function toldBack({ record }: KeptUpgrade, aside: string, erasures: readonly Erasure[]): string[] {
  const version = record.from_version === null ? "the older Packhouse" : `Packhouse ${record.from_version}`;
  return [
    `The data is as it was before the upgrade of ${stamp(record.at)}. Start ${version} on it.`,
    `The data of since is kept in ${aside}, until you remove it.`,
    ...erasedSince(erasures, record.at),
  ];
}

/** Who is in the data again although they were erased, and how they are erased anew. */
function erasedSince(erasures: readonly Erasure[], at: number): string[] {
  const erased = erasures.filter(({ created_at, erased_at }) => created_at < at && erased_at >= at);
  if (erased.length === 0) return [];
  return [
    "These customers were erased since, and are in the data again. Erase them anew:",
    ...erased.map(({ mode, customer_id, erased_at }) => {
      const customer = wireId("customer", customer_id);
      return `  packhouse customers erase ${customer} --mode ${mode}  (erased at ${iso(erased_at)})`;
    }),
  ];
}

/**
 * Takes the last upgrade of a data directory back. Answers the exit code. Refuses while a server runs, without a
 * snapshot, with one that is damaged, and when something was stored since, unless it is to be lost.
 */
export function rollBackDirectory(settings: RollbackSettings): number {
  const { data, clock, tell } = settings;
  if (!existsSync(join(data, "live.db"))) throw noData(data);
  const taken = lock(join(data, "instance.lock"));
  try {
    let going = goingBack(data);
    if (going === null) {
      // Who opens a database empties its log: one that is damaged is refused before, as it is.
      for (const mode of modes) {
        if (existsSync(join(data, `${mode}.db`))) checkFiles(join(data, `${mode}.db`), mode);
      }
      const has = { live: migrationsOf(join(data, "live.db")), test: migrationsOf(join(data, "test.db")) };
      const found = upgradeOf(data, has, "sqlite");
      if (found === "before") {
        tell("Nothing was changed: the data is as it was before the upgrade already. Start the older Packhouse on it.");
        return 0;
      }
      checkSnapshot(data, found);
      if (!mayLose(settings, found, writtenSince(data, found))) {
        tell("Nothing was changed.");
        return 1;
      }
      going = beginGoingBack(data, found.name, clock.now());
    } else tell("The data was on its way back already; it goes on.");
    const { upgrade } = going;
    const aside = goBack(data, going, clock.now());
    const kept = keptUpgrades(data).find(({ name }) => name === upgrade);
    const erasures = readErasures(join(data, erasures_file));
    if (kept !== undefined) for (const line of toldBack(kept, aside, erasures)) tell(line);
    return 0;
  } finally {
    taken.release();
  }
}

function migrationsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  refuseMarked(raw, path);
  return namesOf(standingOnSqlite(raw, path).applied);
}

function writtenSince(data: string, kept: KeptUpgrade): Record<Mode, Written> {
  const of = (mode: Mode): Written => {
    const { reached, commits } = kept.record;
    using raw = new Database(join(data, `${mode}.db`), { create: false, readwrite: true, strict: true });
    if (reached !== null) return writtenOnSqlite(raw, reached[mode]);
    // It was cut off before that was noted. What was written since, if anything, is what the snapshot has not.
    if (reachedOnSqlite(raw).commits === commits?.[mode]) return { commits: 0, records: [] };
    return writtenOnSqlite(raw, reachedInSnapshot(data, kept, mode));
  };
  return { live: of("live"), test: of("test") };
}

function reachedInSnapshot(data: string, { name, record }: KeptUpgrade, mode: Mode): Reached {
  if (!record.files.some((file) => file.name === `${mode}.db`)) return { commits: 0, last_ids: {} };
  using raw = openUnchanged(join(folderOf(data, name), `${mode}.db`));
  return reachedOnSqlite(raw);
}

/** Refuses a snapshot whose files are not what was kept. */
function checkSnapshot(data: string, { name, record }: KeptUpgrade): void {
  for (const file of record.files) {
    const path = join(folderOf(data, name), file.name);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
    if (size !== file.size_bytes || checked(path) !== "ok") {
      throw startRefused("damaged", `The snapshot ${path} is missing or damaged. The data is as it was.`);
    }
  }
}

function openUnchanged(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

function checked(path: string): unknown {
  try {
    using raw = openUnchanged(path);
    return raw.query("pragma quick_check(1)").values()[0]?.[0];
  } catch (error) {
    return String(error);
  }
}
