// `packhouse restore`, what becomes of what it holds, and `packhouse backup verify`.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { iso } from "../core/clock.ts";
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import { Fault } from "../core/faults.ts";
import { writeAtomically } from "../core/files.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { type BackupManifest, keyFingerprint } from "../operations/backups/archive.ts";
import type { Decision } from "../operations/backups/backup_run.transitions.ts";
import type { BackupSource } from "../operations/backups/backup_source.ts";
import { proveBackup } from "../operations/backups/prove_backup.ts";
import { type RestoreResult, restoreSqlite } from "../operations/backups/restore_sqlite.ts";
import { linesOfWorlds } from "../operations/backups/restored_stores.ts";
import { decide } from "../operations/backups/settle_restore.ts";
import { ArchivedLogDamaged, applyArchived, TooEarly } from "../operations/log_archive/apply_segments.ts";
import { archiveLocationOf, backupsBy, sourceOf } from "../server/backup_locations.ts";
import { erasures_file, type LoggedErasure, parseErasures, readErasures } from "../storage/erasures.ts";
import { listRestorations } from "../storage/installation.ts";
import type { Stores } from "../storage/open_stores.ts";
import { startRefused } from "../storage/start_refused.ts";
import {
  type Commands,
  command,
  commandLog,
  type DataLocation,
  endingOf,
  jsonFlag,
  dataFlags as place,
  print,
  withStores,
} from "./command.ts";

const restoring = {
  file: {
    type: "word",
    value: "FILE",
    help: "the backup: packhouse-….tar.zst, s3://bucket/key, or with --to their place",
  },
  to: {
    type: "string",
    value: "MOMENT",
    help: "go on from the backup by what was shipped beside it, to 2026-11-24T17:30:00Z or to latest",
  },
  into: { type: "string", value: "FOLDER", help: "the data directory that is made of it (--data, when absent)" },
  "new-secret-key": {
    type: "boolean",
    help: "go on with another secret key, where the one of the backup is lost, and list what has to be given anew",
  },
  erasures: {
    type: "string",
    value: "FILE",
    help: "an erasures.jsonl beside those found with the data and with the backup",
  },
  ...jsonFlag,
  ...place,
} as const satisfies Flags;

const deciding = {
  mode: { type: "string", value: "live|test", help: "one of the two worlds alone" },
  ...place,
} as const satisfies Flags;

const proving = {
  file: { type: "word", value: "FILE", help: "the backup: packhouse-….tar.zst, or s3://bucket/key" },
  in: { type: "string", value: "FOLDER", help: "a folder with room for the data (that of temporary files)" },
  attended: { type: "boolean", help: "give up when the input ends, as when the program that began it is gone" },
  ...jsonFlag,
  "database-url": { type: "string", value: "URL", help: "a PostgreSQL server, for a backup of PostgreSQL" },
} as const satisfies Flags;

/** The commands of restoring. */
export const restoreCommands: Commands = {
  restore: command({
    summary: "make the data anew from a backup, where there is none; never overwrites",
    flags: restoring,
    run: restore,
  }),
  "restored send": command({
    summary: "let go out what has waited since a restore: webhooks with their event ids, reports, purchases",
    flags: deciding,
    run: (given) => settle(given, "send"),
  }),
  "restored drop": command({
    summary: "let what has waited since a restore never go out, and mark it so",
    flags: deciding,
    run: (given) => settle(given, "drop"),
  }),
  "backup verify": command({
    summary: "restore a backup where nobody looks, verify all of it, and remove it",
    flags: proving,
    run: prove,
  }),
};

function named(file: string | undefined): Promise<BackupSource> {
  if (file === undefined) throw noneNamed();
  return sourceOf(file);
}

const noneNamed = () => new UsageError("Name the backup: packhouse-….tar.zst, or s3://bucket/key.");

async function restore(given: FlagValues<typeof restoring>): Promise<number> {
  process.umask(0o077);
  const { into, json } = given;
  const moment = given.to === undefined ? undefined : momentGiven(given.to);
  if (moment !== undefined && databaseUrl !== null) {
    throw new UsageError("--to is for the embedded database: PostgreSQL goes to a moment by its own archive.");
  }
  if (into !== undefined && databaseUrl !== null) {
    throw new UsageError("--into names a folder, and --database-url a database: say one of them.");
  }
  // Without it, it would be found out only once all is loaded.
  if (given["new-secret-key"] && databaseUrl !== null)
    (await import("../server/secret_key.ts")).givenSecretKey(databaseUrl);
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    if (!json) print(line);
  };
  const { restored, shipped, place } =
    moment === undefined
      ? await restoreFrom(given, await named(given.file), null, say)
      : await restoreTo(given, moment, say);
  const told = toldOf(restored, databaseUrl === null ? (into ?? given.data ?? "./data") : "the database", place);
  if (json) print(JSON.stringify({ ...restored, shipped, said: lines }));
  else for (const line of told) print(line);
  return 0;
}

type PrintLine = (line: string) => void;

/** What a restore has made, of which backup, and how far it was taken by what was shipped. */
interface PerformedRestore {
  readonly restored: RestoreResult;
  readonly shipped: AppliedArchive | null;
  readonly place: string;
}

/** Restores to a moment (ms), or to the latest for null, by the backup that is named, or by the last one before it. */
async function restoreTo(
  given: FlagValues<typeof restoring>,
  moment: number | null,
  say: PrintLine,
): Promise<PerformedRestore> {
  if (given.file === undefined) throw noneNamed();
  const { files, to } = await backupsBy(given.file, moment ?? Number.POSITIVE_INFINITY);
  for (const [at, file] of files.entries()) {
    try {
      return await restoreFrom(given, await sourceOf(file), { to, moment }, say);
    } catch (error) {
      if (!(error instanceof TooEarly)) throw error;
      if (at === files.length - 1) throw startRefused("unsuitable", error.message);
      // A name tells when a backup was begun, and its data is of a little later.
      say(`${file} holds what came after that moment: the backup before it is restored.`);
    }
  }
  throw noneNamed();
}

/** Where shipped commits are, and the moment (ms) up to which they are wanted; null for the latest. */
interface RecoveryTarget {
  readonly to: string;
  readonly moment: number | null;
}

async function restoreFrom(
  given: FlagValues<typeof restoring>,
  source: BackupSource,
  forward: RecoveryTarget | null,
  say: PrintLine,
): Promise<PerformedRestore> {
  const { into, data = "./data" } = given;
  const home = into ?? data;
  const common = {
    source,
    erasures: [
      ...(given.erasures === undefined ? [] : namedErasures(given.erasures)),
      ...readErasures(join(data, erasures_file)),
    ],
    erase: async (stores: Stores, one: LoggedErasure) => {
      const { eraseAgain } = await import("../privacy/privacy.jobs.ts");
      return eraseAgain(stores, one, say);
    },
    lookAt: (manifest: BackupManifest) => (given["new-secret-key"] ? undefined : refuseOtherKey(home, manifest)),
    settleKey: (stores: Stores, at: string, manifest: BackupManifest) =>
      checkSecretKey(stores, { at, home, manifest, renew: given["new-secret-key"], say }),
    say,
    log: commandLog("error"),
  };
  if (databaseUrl !== null) {
    const { restorePostgres } = await import("../operations/backups/restore_postgres.ts");
    const restored = await restorePostgres({ ...common, into: databaseUrl, data });
    return { restored, shipped: null, place: source.place };
  }
  let shipped: AppliedArchive | null = null;
  const onShipped = (found: AppliedArchive) => {
    shipped = found;
  };
  const goOn = forward === null ? null : forwardBy(forward, say, onShipped);
  const restored = await restoreSqlite({ ...common, into: home, forward: goOn });
  return { restored, shipped, place: source.place };
}

/** The moment (ms) that a flag names; null for the latest. */
function momentGiven(text: string): number | null {
  if (text === "latest") return null;
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
  const at = form.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError("--to must be a moment with its zone, such as 2026-11-24T17:30:00Z, or latest.");
}

/** How far both worlds were taken by what was shipped. */
type AppliedArchive = Awaited<ReturnType<typeof applyArchived>>;

/** Goes on by what was shipped to the place of backups, and says how far it went. */
function forwardBy({ to, moment }: RecoveryTarget, say: PrintLine, onShipped: (shipped: AppliedArchive) => void) {
  return async (folder: string): Promise<Readonly<Record<Environment, number>>> => {
    const reached = await applyArchived(archiveLocationOf(to), folder, moment).catch((error) => {
      if (error instanceof ArchivedLogDamaged) throw startRefused("damaged", error.message);
      throw error;
    });
    onShipped(reached);
    for (const mode of environments) {
      const { commits, number, at, segments, is_covered } = reached[mode];
      say(`  ${mode}: ${commits} commits that were shipped after it, up to commit ${number} of ${iso(at)}`);
      if (moment === null && segments === 0) say(`    Nothing was shipped after this backup to ${to}.`);
      if (moment !== null && !is_covered) say("    Nothing that was committed later had been shipped.");
    }
    return { live: reached.live.at, test: reached.test.at };
  };
}

function namedErasures(path: string): LoggedErasure[] {
  if (path === "-") return parseErasures(readFileSync(0, "utf8"));
  if (!existsSync(path)) throw startRefused("absent", `There is no file ${path}.`);
  return readErasures(path);
}

function toldOf(restored: RestoreResult, home: string, place: string): string[] {
  if (restored.state === "earlier") {
    return [
      `The restore of ${restored.archive} into ${home} had been done and was interrupted at its end. It is complete.`,
    ];
  }
  const { worlds } = restored;
  const waits = environments.some((mode) => {
    const { waiting_deliveries, waiting_reports, waiting_purchases } = worlds[mode];
    return waiting_deliveries + waiting_reports + waiting_purchases > 0;
  });
  return [
    `Restored ${place} into ${home}`,
    ...linesOfWorlds(worlds),
    `Every number goes on ${worlds.live.advanced_by.toLocaleString("en")} further, so that none is given twice.`,
    "Everybody signs in anew.",
    "API keys and users are as they were then: what was revoked since is valid again. See packhouse keys list.",
    ...(waits ? ["What waits goes out by packhouse restored send, and never does after packhouse restored drop."] : []),
  ];
}

/** Refuses a backup that was sealed with another secret key than the one at hand, before anything of it is unpacked. */
async function refuseOtherKey(home: string, { secret_key: { included, fingerprint } }: BackupManifest): Promise<void> {
  const { secretKeyAtHand } = await import("../server/secret_key.ts");
  const key = secretKeyAtHand(home, databaseUrl);
  if (key === null || fingerprint === null || included || keyFingerprint(key) === fingerprint) return;
  throw otherKey();
}

function otherKey() {
  const advice = "Give the one that it was made with, or go on with another one by --new-secret-key.";
  return startRefused("unsuitable", `The backup was sealed with another secret key than the one at hand. ${advice}`);
}

interface KeyCheck {
  /** Where the data is for the moment, and where it will be. */
  readonly at: string;
  readonly home: string;
  readonly manifest: BackupManifest;
  readonly renew: boolean;
  readonly say: (line: string) => void;
}

/**
 * Sees to the secret key of restored data: the one of the backup, of the folder that it goes to, or of the environment.
 * Refuses one that the data was not sealed with, unless the data is to go on with it.
 */
async function checkSecretKey(stores: Stores, { at, home, manifest, renew, say }: KeyCheck): Promise<void> {
  const { givenSecretKey, renewSecretKey, secretKeyAtHand, secretKeyProblem } = await import("../server/secret_key.ts");
  const kept = join(home, "secret.key");
  if (databaseUrl === null && existsSync(kept) && !existsSync(join(at, "secret.key"))) {
    // It takes the place of the only other copy in the end, so it has to be on the disk.
    writeAtomically(join(at, "secret.key"), readFileSync(kept));
  }
  if (renew) {
    const lines = await renewSecretKey(stores, at, givenSecretKey(databaseUrl));
    say(lines.length === 0 ? "Another secret key is used from now on." : "With another secret key, give these anew:");
    for (const line of lines) say(`  ${line}`);
    return;
  }
  if ((await secretKeyProblem(stores, at, databaseUrl)) !== null) throw otherKey();
  if (secretKeyAtHand(at, databaseUrl) !== null || manifest.secret_key.fingerprint === null) return;
  if (databaseUrl !== null) {
    const from = manifest.secret_key.included ? ` to what was put into ${kept}, which is the key of the backup` : "";
    say(`Before you start: set PACKHOUSE_SECRET_KEY on every server${from}.`);
    return;
  }
  say(`The secret key is not in the backup. Before you start: put it into ${kept}, or set PACKHOUSE_SECRET_KEY.`);
  say("Only if it is lost for good: packhouse new-secret-key goes on with another one.");
}

async function settle(given: FlagValues<typeof deciding> & DataLocation, decision: Decision): Promise<number> {
  const chosen = environments.filter((mode) => given.mode === undefined || given.mode === mode);
  if (chosen.length === 0) throw new UsageError("--mode must be live or test.");
  const work = async (stores: Stores) => {
    let found = 0;
    for (const mode of chosen) found += await settleWorld(stores, mode, decision);
    if (found === 0) throw new Fault("invalid_state_transition", "Nothing waits for a decision after a restore.");
    print("A server that runs begins within ten seconds; else the next one does when it starts.");
    return 0;
  };
  return withStores(given, work);
}

async function settleWorld(stores: Stores, mode: Environment, decision: Decision): Promise<number> {
  const store = stores[mode];
  const last = (await store.read(listRestorations)).find(({ settled_at }) => settled_at === null);
  if (last === undefined) return 0;
  const { waiting_deliveries, waiting_reports, waiting_purchases } = await store.write((tx) =>
    decide(tx, decision, "command line"),
  );
  const action = decision === "send" ? "sendRestored" : "dropRestored";
  await stores.live.write((tx) => recordCommand(tx, { world: mode, action, targets: [] }));
  const what = `${waiting_deliveries} deliveries, ${waiting_reports} reports, ${waiting_purchases} purchases`;
  print(`${mode}: to be ${decision === "send" ? "sent" : "dropped"}: ${what}`);
  return 1;
}

async function prove(given: FlagValues<typeof proving>): Promise<number> {
  process.umask(0o077);
  const source = await named(given.file);
  const { verifyStore } = await import("./verify.ts");
  const folder = given.in ?? tmpdir();
  const where = {
    source,
    folder,
    database_url: databaseUrl,
    log: commandLog("error"),
    ending: endingOf(given.attended),
  };
  const { manifest, differences } = await proveBackup({ ...where, verify: verifyStore });
  const count = environments.reduce((sum, mode) => sum + differences[mode].length, 0);
  if (given.json) {
    print(JSON.stringify({ file: source.place, made_at: manifest.made_at, worlds: manifest.worlds, differences }));
    return count === 0 ? 0 : 1;
  }
  print(`${source.place}: made ${manifest.made_at} by Packhouse ${manifest.packhouse}`);
  for (const mode of environments) {
    for (const { rule, subject, expected, actual } of differences[mode]) {
      print(`${mode}: ${rule}: ${subject}: expected ${expected}, found ${actual}`);
    }
    const found = differences[mode].length;
    print(`${mode}: as of ${manifest.worlds[mode].at}: ${found} ${found === 1 ? "difference" : "differences"}`);
  }
  return count === 0 ? 0 : 1;
}
