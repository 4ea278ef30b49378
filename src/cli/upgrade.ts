// `packhouse upgrade` and `packhouse rollback`: data comes to the version of this program, and goes back.

import { systemClock } from "../core/clock.ts";
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { checkUpgrade, rehearseUpgrade } from "../operations/upgrades/check_upgrade.ts";
import { rollBackDirectory } from "../operations/upgrades/rollback_sqlite.ts";
import { upgradeHooks } from "../operations/upgrades/run_upgrade.ts";
import type { UpgradePlan } from "../operations/upgrades/upgrade.ts";
import { snapshotFlags } from "../server/flags.ts";
import { type Commands, command, type DataLocation, dataFlags, print, withStores } from "./command.ts";

const upgradeFlags = {
  check: { type: "boolean", help: "say what an upgrade would do, how long and with how much room, and change nothing" },
  rehearse: {
    type: "boolean",
    help: "do it on a copy (PostgreSQL: in a transaction that is undone) and say how long it took",
  },
  ...snapshotFlags,
  ...dataFlags,
} as const satisfies Flags;

const rollbackFlags = {
  "lose-since-upgrade": { type: "boolean", help: "go back although something was stored since: it is said what" },
  yes: { type: "boolean", help: "do not ask" },
  ...dataFlags,
} as const satisfies Flags;

/** The commands of upgrades. */
export const upgradeCommands: Commands = {
  upgrade: command({ summary: "bring data of an older version to this one", flags: upgradeFlags, run: upgrade }),
  rollback: command({ summary: "take the last upgrade back", flags: rollbackFlags, run: rollBack }),
};

async function upgrade(given: FlagValues<typeof upgradeFlags> & DataLocation): Promise<number> {
  const data = given.data ?? "./data";
  process.umask(0o077);
  if (given.check || given.rehearse) {
    const plan = await checkUpgrade(data, databaseUrl);
    for (const line of linesOf(plan, data)) print(line);
    if (given.rehearse && plan.migrations.length > 0) {
      const seconds = await rehearseUpgrade(data, databaseUrl);
      print(`Rehearsed: it took ${seconds.toFixed(1)} s. The data is as it was.`);
    }
    return 0;
  }
  let told = false;
  const tell = (line: string) => {
    told = true;
    print(line);
  };
  const no_snapshot = given["no-snapshot"];
  const older = upgradeHooks({ data, database_url: databaseUrl, no_snapshot, clock: systemClock(), tell });
  const purpose = databaseUrl === null ? "serve" : "command";
  await withStores(given, async () => 0, { older, purpose });
  if (!told) print("There is nothing to upgrade: the data is of this version.");
  return 0;
}

function linesOf(plan: UpgradePlan, data: string): string[] {
  if (plan.migrations.length === 0) return ["There is nothing to upgrade: the data is of this version."];
  const width = Math.max(...plan.migrations.map(({ name }) => name.length));
  const what = plan.migrations.map(({ name, kind, why }) => {
    const words = kind === "additive" ? "additive: the version before goes on with it" : `breaking: ${why}`;
    return `  ${name.padEnd(width)}  ${words}`;
  });
  return [
    `${plan.migrations.length} ${plan.migrations.length === 1 ? "migration" : "migrations"} would run on ${data}:`,
    ...what,
    `It takes about ${plan.seconds < 1 ? "a second" : `${Math.ceil(plan.seconds)} s`} on this data, by the rows that ` +
      "it touches; --rehearse measures it.",
    ...plan.notes,
  ];
}

async function rollBack(given: FlagValues<typeof rollbackFlags> & DataLocation): Promise<number> {
  process.umask(0o077);
  const agree = (question: string) => {
    if (given.yes) return true;
    if (!process.stdin.isTTY) throw new UsageError("--yes is required where nobody can be asked.");
    return /^y(es)?$/i.test(prompt(`${question} (yes or no)`) ?? "");
  };
  const data = given.data ?? "./data";
  const settings = { data, lose: given["lose-since-upgrade"], agree, clock: systemClock(), tell: print };
  if (databaseUrl === null) return rollBackDirectory(settings);
  const { rollBackPostgres } = await import("../operations/upgrades/rollback_postgres.ts");
  return rollBackPostgres(databaseUrl, settings);
}
