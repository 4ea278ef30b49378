// `packhouse restore`, `restored send` and `restored drop`, and `packhouse backup verify`.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { iso } from "../core/clock.ts";
import { databaseUrl, UsageError } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import { Fault } from "../core/faults.ts";
import { writeAtomically } from "../core/files.ts";
import { type FlagValues, flag, parsed, text, word } from "../core/flags.ts";
import { recordCommand } from "../identity/audit_log/audit_log.sql.ts";
import { type BackupManifest, keyFingerprint } from "../operations/backups/archive.ts";
import type { Decision } from "../operations/backups/backup_run.transitions.ts";
import type { BackupSource } from "../operations/backups/backup_source.ts";
import { proveBackup } from "../operations/backups/prove_backup.ts";
import { type RestoreResult, restoreSqlite } from "../operations/backups/restore_sqlite.ts";
import { linesOfEnvironments } from "../operations/backups/restored_stores.ts";
import { decide } from "../operations/backups/settle_restore.ts";
import { ArchivedLogDamaged, applyArchived, TooEarly } from "../operations/log_archive/apply_segments.ts";
import { archiveLocationOf, backupsBy, contentsAt, sourceOf } from "../server/backup_locations.ts";
import { erasures_file, type LoggedErasure, parseErasures, readErasures } from "../storage/erasures.ts";
import { listRestorations } from "../storage/installation.ts";
import type { Stores } from "../storage/open_stores.ts";
import { startRefused } from "../storage/start_refused.ts";
import {
  attendedFlag,
  type Commands,
  command,
  commandLog,
  dataCommand,
  dataFlags,
  endingOf,
  jsonFlag,
  onlyModeFlag,
  print,
} from "./command.ts";

const backupFile = (help: string) => ({
  file: word({ value: "FILE", help, required: "the backup, packhouse-….tar.zst or s3://bucket/key" }),
});

const restoring = {
  ...backupFile("the backup: packhouse-….tar.zst or s3://bucket/key; with --to, the folder or bucket of backups"),
  to: parsed(
    { value: "TIME", help: "then apply the log archive up to a time such as 2026-11-24T17:30:00Z, or up to latest" },
    momentIn,
  ),
  into: text({ value: "FOLDER", help: "the data directory to create (--data)" }),
  files: text({
    value: "PLACE",
    help: "restore uploaded files to a folder or s3://bucket/prefix instead of the data folder",
  }),
  "new-secret-key": flag("use a new secret key if the backup's key is lost, and list the secrets to enter again"),
  erasures: text({
    value: "FILE",
    help: "another erasures.jsonl, in addition to those in the data directory and in the backup",
  }),
  ...jsonFlag,
  ...dataFlags,
};

const proving = {
  ...backupFile("the backup: packhouse-….tar.zst, or s3://bucket/key"),
  in: text({ value: "FOLDER", help: "a folder with enough free space for the data (the system's temporary folder)" }),
  ...attendedFlag,
  ...jsonFlag,
  "database-url": text({ value: "URL", help: "a PostgreSQL server for restoring a PostgreSQL backup" }),
};

/** `restore`, `restored send`, `restored drop` and `backup verify`. */
export const restoreCommands: Commands = {
  restore: command({
    summary: "restore a backup to an empty place; never overwrites data",
    flags: restoring,
    run: restore,
  }),
  "restored send": dataCommand({
    summary: "send everything held since a restore: webhooks with their event ids, reports, purchases",
    flags: onlyModeFlag,
    run: ({ mode }, stores) => settle(stores, mode, "send"),
  }),
  "restored drop": dataCommand({
    summary: "discard everything held since a restore",
    flags: onlyModeFlag,
    run: ({ mode }, stores) => settle(stores, mode, "drop"),
  }),
  "backup verify": command({
    summary: "restore a backup to a scratch location, verify it and delete the copy",
    flags: proving,
    run: prove,
  }),
};

async function restore(options: FlagValues<typeof restoring>): Promise<void> {
  process.umask(0o077);
  const { into, json, to: moment } = options;
  if (moment !== undefined && databaseUrl !== null) {
    throw new UsageError("--to is only for the embedded database. For PostgreSQL use its own point-in-time recovery.");
  }
  if (into !== undefined && databaseUrl !== null) {
    throw new UsageError("--into and --database-url cannot be combined: use one of them.");
  }
  // Refuses a missing key now instead of after everything is loaded.
  if (options["new-secret-key"] && databaseUrl !== null)
    (await import("../server/secret_key.ts")).configuredSecretKey(databaseUrl);
  const lines: string[] = [];
  const report = (line: string) => {
    lines.push(line);
    if (!json) print(line);
  };
  const { restored, shipped, place } =
    moment === undefined
      ? await restoreFrom(options, await sourceOf(options.file), null, report)
      : await restoreTo(options, moment, report);
  const home = databaseUrl === null ? (into ?? options.data) : "the database";
  if (json) print(JSON.stringify({ ...restored, shipped, said: lines }));
  else for (const line of summaryOf(restored, home, place, options.files !== undefined)) print(line);
}

type PrintLine = (line: string) => void;

/** The result of a restore: from which backup, and how far the log archive was applied. */
interface PerformedRestore {
  readonly restored: RestoreResult;
  readonly shipped: AppliedArchive | null;
  readonly place: string;
}

/** Restores to a time (ms; null for the latest) from the backup FILE, or from the last one in FILE before that time. */
async function restoreTo(
  options: FlagValues<typeof restoring>,
  moment: number | null,
  report: PrintLine,
): Promise<PerformedRestore> {
  const { files, to } = await backupsBy(options.file, moment ?? Number.POSITIVE_INFINITY);
  for (const [at, file] of files.entries()) {
    try {
      return await restoreFrom(options, await sourceOf(file), { to, moment }, report);
    } catch (error) {
      if (!(error instanceof TooEarly)) throw error;
      if (at === files.length - 1) throw startRefused("unsuitable", error.message);
      // A name contains the time when the backup began, and its data is a little newer.
      report(`${file} is newer than that time. Restoring the backup before it.`);
    }
  }
  throw new Error("backupsBy returned no backup");
}

/** Where the log archive is, and the time (ms) up to which it is applied; null for the latest. */
interface RecoveryTarget {
  readonly to: string;
  readonly moment: number | null;
}

async function restoreFrom(
  options: FlagValues<typeof restoring>,
  source: BackupSource,
  target: RecoveryTarget | null,
  report: PrintLine,
): Promise<PerformedRestore> {
  const { into, data } = options;
  const home = into ?? data;
  const common = {
    source,
    erasures: [
      ...(options.erasures === undefined ? [] : namedErasures(options.erasures)),
      ...readErasures(join(data, erasures_file)),
    ],
    erase: async (stores: Stores, erasure: LoggedErasure) => {
      const { eraseAgain } = await import("../privacy/privacy.jobs.ts");
      return eraseAgain(stores, erasure, report);
    },
    files: {
      named: options.files === undefined ? null : contentsAt(options.files, data),
      open: (place: string) => contentsAt(place, data),
    },
    checkManifest: (manifest: BackupManifest) =>
      options["new-secret-key"] ? undefined : refuseOtherKey(home, manifest),
    settleKey: (stores: Stores, at: string, manifest: BackupManifest) =>
      checkSecretKey(stores, { at, home, manifest, renew: options["new-secret-key"], report }),
    report,
    log: commandLog("error"),
  };
  if (databaseUrl !== null) {
    const { restorePostgres } = await import("../operations/backups/restore_postgres.ts");
    const restored = await restorePostgres({ ...common, into: databaseUrl, data });
    return { restored, shipped: null, place: source.place };
  }
  let shipped: AppliedArchive | null = null;
  const onApplied = (applied: AppliedArchive) => {
    shipped = applied;
  };
  const forward = target === null ? null : applyArchiveUpTo(target, report, onApplied);
  const restored = await restoreSqlite({ ...common, into: home, forward });
  return { restored, shipped, place: source.place };
}

/** The time (ms) in a flag; null for the latest. */
function momentIn(text: string, label: string): number | null {
  if (text === "latest") return null;
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
  const at = form.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`${label} must be a time with a zone, such as 2026-11-24T17:30:00Z, or latest (got ${text}).`);
}

/** How far the log archive was applied in each environment. */
type AppliedArchive = Awaited<ReturnType<typeof applyArchived>>;

/** Returns a function that applies the log archive to restored data, reports how far, and returns the times (ms). */
function applyArchiveUpTo(
  { to, moment }: RecoveryTarget,
  report: PrintLine,
  onApplied: (applied: AppliedArchive) => void,
) {
  return async (folder: string): Promise<Readonly<Record<Environment, number>>> => {
    const reached = await applyArchived(archiveLocationOf(to), folder, moment).catch((error) => {
      if (error instanceof ArchivedLogDamaged) throw startRefused("damaged", error.message);
      throw error;
    });
    onApplied(reached);
    for (const mode of environments) {
      const { commits, number, at, segments, is_covered } = reached[mode];
      report(`  ${mode}: ${commits} archived commits applied, up to commit ${number} of ${iso(at)}`);
      if (moment === null && segments === 0) report(`    The log archive in ${to} has nothing after this backup.`);
      if (moment !== null && !is_covered) report("    The log archive ends before that time.");
    }
    return { live: reached.live.at, test: reached.test.at };
  };
}

function namedErasures(path: string): LoggedErasure[] {
  if (path === "-") return parseErasures(readFileSync(0, "utf8"));
  if (!existsSync(path)) throw startRefused("absent", `File not found: ${path}`);
  return readErasures(path);
}

function summaryOf(restored: RestoreResult, home: string, place: string, with_files: boolean): string[] {
  if (restored.state === "earlier") {
    return [`The restore of ${restored.archive} into ${home}, which was interrupted at its end, is now complete.`];
  }
  const { modes } = restored;
  const waits = environments.some((mode) => {
    const { waiting_deliveries, waiting_reports, waiting_purchases } = modes[mode];
    return waiting_deliveries + waiting_reports + waiting_purchases > 0;
  });
  return [
    `Restored ${place} into ${home}`,
    ...linesOfEnvironments(modes),
    ...(restored.manifest.files?.included === false && !with_files
      ? [`Uploaded files are not in the backup. They are in ${restored.manifest.files.place}: start with --files.`]
      : []),
    `New ids start ${modes.live.advanced_by.toLocaleString("en")} higher, so that none is used twice.`,
    "All users must sign in again.",
    "API keys and users are as they were at the backup: keys revoked since are valid again. See packhouse keys list.",
    ...(waits ? ["Send what is held with packhouse restored send, or discard it with packhouse restored drop."] : []),
  ];
}

/** Refuses a backup that was encrypted with a different secret key, before anything is unpacked. */
async function refuseOtherKey(home: string, { secret_key: { included, fingerprint } }: BackupManifest): Promise<void> {
  const { secretKeyAtHand } = await import("../server/secret_key.ts");
  const key = secretKeyAtHand(home, databaseUrl);
  if (key === null || fingerprint === null || included || keyFingerprint(key) === fingerprint) return;
  throw otherKey();
}

function otherKey() {
  const advice = "Provide the key that the backup was made with, or use --new-secret-key.";
  return startRefused("unsuitable", `The backup was encrypted with a different secret key. ${advice}`);
}

interface KeyCheck {
  /** Where the data is during the restore, and where it will be afterwards. */
  readonly at: string;
  readonly home: string;
  readonly manifest: BackupManifest;
  readonly renew: boolean;
  readonly report: PrintLine;
}

/**
 * Provides the secret key of restored data: from the backup, the target folder or the environment variable. Refuses a
 * key that the data was not encrypted with, unless `renew` replaces it.
 */
async function checkSecretKey(stores: Stores, { at, home, manifest, renew, report }: KeyCheck): Promise<void> {
  const { configuredSecretKey, renewSecretKey, secretKeyAtHand, secretKeyProblem } = await import(
    "../server/secret_key.ts"
  );
  const key_file = join(home, "secret.key");
  if (databaseUrl === null && existsSync(key_file) && !existsSync(join(at, "secret.key"))) {
    // This copy replaces the only other one in the end, so it must be synced to disk.
    writeAtomically(join(at, "secret.key"), readFileSync(key_file));
  }
  if (renew) {
    const lines = await renewSecretKey(stores, at, configuredSecretKey(databaseUrl));
    report(lines.length === 0 ? "A new secret key is in use." : "A new secret key is in use. Enter these again:");
    for (const line of lines) report(`  ${line}`);
    return;
  }
  if ((await secretKeyProblem(stores, at, databaseUrl)) !== null) throw otherKey();
  if (secretKeyAtHand(at, databaseUrl) !== null || manifest.secret_key.fingerprint === null) return;
  if (databaseUrl !== null) {
    const from = manifest.secret_key.included ? ` to the backup's key, which is in ${key_file}` : "";
    report(`Before you start: set PACKHOUSE_SECRET_KEY on every server${from}.`);
    return;
  }
  report(`The backup has no secret key. Before you start: put the key into ${key_file} or set PACKHOUSE_SECRET_KEY.`);
  report("If the key is lost, run packhouse new-secret-key.");
}

async function settle(stores: Stores, only: Environment | undefined, decision: Decision): Promise<void> {
  let settled = 0;
  for (const mode of only === undefined ? environments : [only]) {
    settled += await settleEnvironment(stores, mode, decision);
  }
  if (settled === 0) throw new Fault("invalid_state_transition", "Nothing is held since a restore.");
  print("A running server starts within ten seconds; otherwise the next server does when it starts.");
}

async function settleEnvironment(stores: Stores, mode: Environment, decision: Decision): Promise<number> {
  const store = stores[mode];
  const last = (await store.read(listRestorations)).find(({ settled_at }) => settled_at === null);
  if (last === undefined) return 0;
  const { waiting_deliveries, waiting_reports, waiting_purchases } = await store.write((tx) =>
    decide(tx, decision, "command line"),
  );
  const action = decision === "send" ? "sendRestored" : "dropRestored";
  await stores.live.write((tx) => recordCommand(tx, { mode, action, targets: [] }));
  const what = `${waiting_deliveries} deliveries, ${waiting_reports} reports, ${waiting_purchases} purchases`;
  print(`${mode}: ${decision === "send" ? "will be sent" : "will be discarded"}: ${what}`);
  return 1;
}

async function prove(options: FlagValues<typeof proving>): Promise<number> {
  process.umask(0o077);
  const source = await sourceOf(options.file);
  const { verifyStore } = await import("./verify.ts");
  const folder = options.in ?? tmpdir();
  const where = {
    source,
    folder,
    database_url: databaseUrl,
    log: commandLog("error"),
    ending: endingOf(options.attended),
  };
  const { manifest, differences } = await proveBackup({ ...where, verify: verifyStore });
  const count = environments.reduce((sum, mode) => sum + differences[mode].length, 0);
  if (options.json) {
    print(JSON.stringify({ file: source.place, made_at: manifest.made_at, modes: manifest.modes, differences }));
    return count === 0 ? 0 : 1;
  }
  print(`${source.place}: made ${manifest.made_at} by Packhouse ${manifest.packhouse}`);
  for (const mode of environments) {
    for (const { rule, subject, expected, actual } of differences[mode]) {
      print(`${mode}: ${rule}: ${subject}: expected ${expected}, found ${actual}`);
    }
    const n = differences[mode].length;
    print(`${mode}: as of ${manifest.modes[mode].at}: ${n} ${n === 1 ? "difference" : "differences"}`);
  }
  return count === 0 ? 0 : 1;
}
