// `packhouse upgrade` and `packhouse rollback`: upgrades data to this program's version and undoes the last upgrade.

import { systemClock } from "../core/clock.ts";
import { databaseUrl, UsageError } from "../core/config.ts";
import { type FlagValues, flag } from "../core/flags.ts";
import { checkUpgrade, rehearseUpgrade } from "../operations/upgrades/check_upgrade.ts";
import { rollBackDirectory } from "../operations/upgrades/rollback_sqlite.ts";
import { upgradeHooks } from "../operations/upgrades/run_upgrade.ts";
import type { UpgradePlan } from "../operations/upgrades/upgrade.ts";
import { secretKeyAtHand } from "../server/secret_key.ts";
import { upgradeBackupFlags } from "../server/serve_settings.ts";
import { type Commands, command, dataFlags, print, withStores } from "./command.ts";

const upgradeFlags = {
  check: flag("only print the migrations, the time and the disk space that an upgrade needs"),
  rehearse: flag("upgrade a copy (PostgreSQL: in a transaction that is rolled back) and print the time it took"),
  ...upgradeBackupFlags,
  ...dataFlags,
};

const rollbackFlags = {
  "lose-since-upgrade": flag("discard what was stored since the upgrade; the loss is printed first"),
  yes: flag("do not ask for confirmation"),
  ...dataFlags,
};

/** `upgrade` and `rollback`. */
export const upgradeCommands: Commands = {
  upgrade: command({ summary: "upgrade data of an older version to this one", flags: upgradeFlags, run: upgrade }),
  rollback: command({ summary: "undo the last upgrade", flags: rollbackFlags, run: rollBack }),
};

async function upgrade(options: FlagValues<typeof upgradeFlags>): Promise<void> {
  const { data } = options;
  process.umask(0o077);
  if (options.check || options.rehearse) {
    const plan = await checkUpgrade(data, databaseUrl);
    for (const line of linesOf(plan, data)) print(line);
    if (options.rehearse && plan.migrations.length > 0) {
      const seconds = await rehearseUpgrade(data, databaseUrl);
      print(`Rehearsed in ${seconds.toFixed(1)} s. The data is unchanged.`);
    }
    return;
  }
  let has_printed = false;
  const printLine = (line: string) => {
    has_printed = true;
    print(line);
  };
  const secretKey = () => secretKeyAtHand(data, databaseUrl);
  const place = { data, database_url: databaseUrl, no_backup: options["no-backup"], secretKey };
  const older = upgradeHooks({ ...place, clock: systemClock(), print: printLine });
  const purpose = databaseUrl === null ? "serve" : "command";
  await withStores(options, async () => 0, { older, purpose });
  if (!has_printed) print(nothing_to_upgrade);
}

const nothing_to_upgrade = "Nothing to upgrade: the data has this version.";

function linesOf(plan: UpgradePlan, data: string): string[] {
  if (plan.migrations.length === 0) return [nothing_to_upgrade];
  const width = Math.max(...plan.migrations.map(({ name }) => name.length));
  const what = plan.migrations.map(({ name, kind, why }) => {
    const effect = kind === "additive" ? "additive: the previous version can still run" : `breaking: ${why}`;
    return `  ${name.padEnd(width)}  ${effect}`;
  });
  return [
    `${plan.migrations.length} ${plan.migrations.length === 1 ? "migration" : "migrations"} would run on ${data}:`,
    ...what,
    `Estimated time: about ${plan.seconds < 1 ? "a second" : `${Math.ceil(plan.seconds)} s`}, by the number of rows. ` +
      "Use --rehearse to measure it.",
    ...plan.notes,
  ];
}

async function rollBack(options: FlagValues<typeof rollbackFlags>): Promise<number> {
  process.umask(0o077);
  const agree = (question: string) => {
    if (options.yes) return true;
    if (!process.stdin.isTTY) throw new UsageError("--yes is required when standard input is not a terminal.");
    return /^y(es)?$/i.test(prompt(`${question} (yes or no)`) ?? "");
  };
  const settings = { data: options.data, lose: options["lose-since-upgrade"], agree, clock: systemClock(), print };
  if (databaseUrl === null) return rollBackDirectory(settings);
  const { rollBackPostgres } = await import("../operations/upgrades/rollback_postgres.ts");
  return rollBackPostgres(databaseUrl, settings);
}
