// Whether an upgrade can be taken back, and what would be lost by it.
import { constants, Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "../../kit/clock.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import { startRefused } from "../exit.ts";
import { lock } from "../lock.ts";
import { namesOf, standingOnSqlite } from "../migrate.ts";
import { folderOf, type KeptUpgrade, keptUpgrades, stamp, type UpgradeRecord } from "./record.ts";
import { beginGoingBack, goBack, goingBack } from "./switching.ts";
import { isWritten, toldOf, type Written, writtenOnSqlite } from "./written.ts";

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
  const found = kept.find(({ record: { before, after, gone_back_at } }) => {
    const fits = modes.every((mode) => same(has[mode], after) || same(has[mode], before[mode]));
    return gone_back_at === null && fits && modes.some((mode) => same(has[mode], after));
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
  return agree("Go back to before the upgrade?");
}

/** What is said once the data has gone back. */
export function toldBack({ record }: KeptUpgrade, aside: string): string[] {
  const version = record.from_version === null ? "the older Packhouse" : `Packhouse ${record.from_version}`;
  return [
    `The data is as it was before the upgrade of ${stamp(record.at)}. Start ${version} on it.`,
    `The data of since is kept in ${aside}, until you remove it.`,
  ];
}

/**
 * Takes the last upgrade of a data directory back. Answers the exit code. Refuses while a server runs, without a
 * snapshot, with one that is damaged, and when something was stored since, unless it is to be lost.
 */
export function rollBackDirectory(settings: RollbackSettings): number {
  const { data, clock, tell } = settings;
  if (!existsSync(join(data, "live.db"))) {
    throw startRefused("absent", `There is no data of Packhouse in ${data}. Name its folder by --data.`);
  }
  const taken = lock(join(data, "instance.lock"));
  try {
    let going = goingBack(data);
    if (going === null) {
      const has = { live: migrationsOf(join(data, "live.db")), test: migrationsOf(join(data, "test.db")) };
      const found = upgradeOf(data, has, "sqlite");
      if (found === "before") {
        tell("Nothing was changed: the data is as it was before the upgrade already. Start the older Packhouse on it.");
        return 0;
      }
      checkSnapshot(data, found);
      if (!mayLose(settings, found, writtenSince(data, found.record))) {
        tell("Nothing was changed.");
        return 1;
      }
      going = beginGoingBack(data, found.name, clock.now());
    } else tell("The data was on its way back already; it goes on.");
    const { upgrade } = going;
    const aside = goBack(data, going, clock.now());
    const kept = keptUpgrades(data).find(({ name }) => name === upgrade);
    if (kept !== undefined) for (const line of toldBack(kept, aside)) tell(line);
    return 0;
  } finally {
    taken.release();
  }
}

function migrationsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  using raw = new Database(path, { create: false, readwrite: true, strict: true });
  return namesOf(standingOnSqlite(raw, path).applied);
}

function writtenSince(data: string, { reached }: UpgradeRecord): Record<Mode, Written> {
  return Object.fromEntries(
    modes.map((mode): [Mode, Written] => {
      // Nobody has opened it: an upgrade that was cut off is finished before anything else.
      if (reached === null) return [mode, { commits: 0, records: [] }];
      using raw = new Database(join(data, `${mode}.db`), { create: false, readwrite: true, strict: true });
      return [mode, writtenOnSqlite(raw, reached[mode])];
    }),
  ) as Record<Mode, Written>;
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

function checked(path: string): unknown {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  try {
    using raw = new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    return raw.query("pragma quick_check(1)").values()[0]?.[0];
  } catch (error) {
    return String(error);
  }
}
