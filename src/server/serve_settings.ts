// The flags of `serve` and what they mean.
import { dataFlags } from "../cli/command.ts";
import { databaseUrl, readAddress, UsageError, variable } from "../core/config.ts";
import { choice, type FlagValues, flag, int, parsed, text, tryFlags } from "../core/flags.ts";
import { type LineWriter, type Log, logFormats, logLevels, openLog, registerSecret } from "../core/log.ts";
import type { BackupPlan, BackupRetention } from "../core/operator_settings.ts";
import type { FileContents } from "../storage/file_contents.ts";
import { readTls } from "./tls.ts";

/** Where a server is found, for commands about one; their environment variables are those of `serve`. */
export const addressFlags = {
  host: text({ value: "ADDRESS", default: "127.0.0.1", help: "the server's --host" }),
  tls: text({ value: "self", help: "the server uses TLS with its own certificate" }),
  "tls-cert": text({ value: "FILE", help: "the server uses TLS with this certificate" }),
};

/** The flag of commands that may upgrade data. */
export const upgradeBackupFlags = {
  "no-backup": flag("upgrade older data without a backup, so that it cannot be rolled back"),
};

/**
 * A flag that says how many backups to keep: `24,30,12` keeps the last of each of 24 hours, 30 days and 12 months.
 * Three zeros are accepted.
 */
export const retentionFlag = <const D extends { readonly help: string; readonly default?: string }>(described: D) =>
  parsed({ value: "H,D,M", ...described }, (text, label): BackupRetention => {
    const [, hours, days, months] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
    if (months === undefined) {
      const form = "three numbers for hours, days and months, such as 24,30,12";
      throw new UsageError(`${label} must be ${form} (got ${text}).`);
    }
    return { hours: Number(hours), days: Number(days), months: Number(months) };
  });

/** The flag that says where uploaded files are. */
export const filesFlag = text({
  value: "PLACE",
  help: "keep uploaded files in a folder, or s3://bucket/prefix, instead of the data folder",
});

/** All flags of `serve`. */
export const serveFlags = {
  host: text({ value: "ADDRESS", default: "127.0.0.1", help: "address to listen on; 0.0.0.0 for all" }),
  port: int(0, 65_535, { value: "PORT", default: "3000", help: "port to listen on; 0 for any free port" }),
  tls: text({
    value: "self",
    help: "use TLS with a certificate of the server's own authority; /trust explains how to trust it",
  }),
  "tls-cert": text({ value: "FILE", help: "use TLS with this certificate chain (PEM)" }),
  "tls-key": text({ value: "FILE", help: "the certificate's private key (PEM)" }),
  "allow-insecure-lan": flag("allow sign-in over unencrypted http from other machines"),
  "allow-loopback-receivers": flag(
    "allow test webhooks, stores and carriers on loopback addresses, also behind a proxy",
  ),
  ...dataFlags,
  "event-retention-days": int(5, 90, {
    value: "N",
    default: "30",
    help: "days to keep event payloads and the delivery log, 5 to 90",
  }),
  "request-log-days": int(1, 30, { value: "N", default: "7", help: "days to keep the request log, 1 to 30" }),
  "backup-to": text({ value: "TO", help: "back up automatically to a folder, or s3://bucket/prefix" }),
  continuous: flag(
    "archive the database log to --backup-to every 10 s, so that a lost disk loses at most 10 s of data",
  ),
  "backup-every": int(5, 10_080, {
    value: "MINUTES",
    default: "60",
    help: "interval in minutes, 5 to 10080",
    refusal: () => "must be a number of minutes from 5 to 10080.",
  }),
  "backup-keep": retentionFlag({
    default: "24,30,12",
    help: "keep the last backup of each of H hours, D days and M months",
  }),
  "backup-with-key": flag("include the secret key in these backups"),
  files: filesFlag,
  "log-level": choice(logLevels, { default: "info", help: "lowest level that is logged" }),
  "log-format": choice(logFormats, { default: "json", help: "format of log lines" }),
  "slow-request-ms": int(0, 3_600_000, {
    value: "N",
    default: "1000",
    help: "log requests that take longer as slow",
  }),
  "stop-seconds": int(0, 3600, {
    value: "N",
    default: "9",
    help: "after SIGTERM, time limit for finishing requests and jobs and closing the data",
  }),
  "drain-seconds": int(0, 3600, {
    value: "N",
    help: "after SIGTERM, keep serving this long while /health returns 503 (5 if other servers run, otherwise 0)",
  }),
  "database-connections": int(2, 200, {
    value: "N",
    default: "16",
    help: "maximum PostgreSQL connections for each environment, 2 to 200",
  }),
  check: flag("check both embedded databases completely before serving"),
  ...upgradeBackupFlags,
};

/** The values of `serveFlags`. */
export type ServeFlags = FlagValues<typeof serveFlags>;

/** What several flags mean together. */
const readers = {
  tls: readTls,
  ship_to: (options: ServeFlags) => readArchiving(options, databaseUrl),
  backups: readBackups,
  files: readFiles,
};

/** The automatic backups; null for none. Throws `UsageError` for an invalid location. */
async function readBackups(options: ServeFlags): Promise<BackupPlan | null> {
  const { "backup-to": to, "backup-every": every_minutes, "backup-keep": keep, "backup-with-key": with_key } = options;
  if (to === undefined) return null;
  if (to.endsWith(".tar.zst")) throw new UsageError("--backup-to must be a folder or s3://bucket/prefix, not a file.");
  // Refuses an invalid location at the start instead of at the first backup.
  (await import("./backup_locations.ts")).destinationOf(to);
  return { to, every_minutes, keep, with_key };
}

/** Where the contents of uploaded files are. Throws `UsageError` for an invalid location. */
async function readFiles({ files, data }: ServeFlags): Promise<FileContents> {
  return (await import("./backup_locations.ts")).contentsAt(files, data);
}

/** The location of the log archive; null when archiving is off. Throws `UsageError` for an incomplete combination. */
function readArchiving(options: ServeFlags, database_url: string | null): string | null {
  if (!options.continuous) return null;
  if (database_url !== null) {
    throw new UsageError("--continuous is only for the embedded database. For PostgreSQL use its own log archiving.");
  }
  const to = options["backup-to"];
  if (to === undefined) throw new UsageError("--continuous requires --backup-to, a folder or s3://bucket/prefix.");
  if (to.endsWith(".tar.zst")) throw new UsageError("--continuous requires a folder as --backup-to, not a file.");
  return to;
}

/** Reads the flags of `serve` that describe what it serves. Throws `UsageError` for an invalid combination. */
export async function readServe(options: ServeFlags) {
  return {
    host: options.host,
    data: options.data,
    allow_insecure_lan: options["allow-insecure-lan"],
    allow_loopback_receivers: options["allow-loopback-receivers"],
    no_backup: options["no-backup"],
    port: options.port,
    event_retention_days: options["event-retention-days"],
    request_log_days: options["request-log-days"],
    tls: readers.tls(options),
    ship_to: readers.ship_to(options),
    backups: await readers.backups(options),
    files: await readers.files(options),
  };
}

/** Reads the valid flags of `serve` and registers its secrets. Returns the message for each invalid one. */
export async function valuesAndRefusals(words: readonly string[]) {
  const { values, refusals } = tryFlags(words, serveFlags);
  const refused = refusals.map(({ message }) => message);
  for (const read of [...Object.values(readers), registerSecrets]) {
    try {
      await read(values);
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { values, refused: [...new Set(refused)] };
}

interface RuntimeSettings {
  readonly log: Log;
  readonly slow_ms: number;
  readonly stop_ms: number;
  /** Null if it depends on whether other servers are running. */
  readonly drain_ms: number | null;
  readonly connections: number;
  readonly check: boolean;
}

/** Reads the flags for logging, shutdown and the database. Registers all secrets, so that the log never shows them. */
export function readSettings(options: ServeFlags, lines: Pick<LineWriter, "write">): RuntimeSettings {
  const { "log-level": level, "log-format": format, "drain-seconds": drain } = options;
  registerSecrets();
  return {
    log: openLog({ level, format, write: (line, urgent) => lines.write(line, urgent) }),
    slow_ms: options["slow-request-ms"],
    stop_ms: 1000 * options["stop-seconds"],
    drain_ms: drain === undefined ? null : 1000 * drain,
    connections: options["database-connections"],
    check: options.check,
  };
}

function registerSecrets(): void {
  registerSecret(variable("PACKHOUSE_SECRET_KEY") ?? "");
  for (const address of [databaseUrl, variable("PACKHOUSE_SMTP_URL")]) {
    // An invalid URL is refused before anything is logged.
    const { username = "", password = "" } = (address === null ? null : readAddress(address)) ?? {};
    if (password === "") continue;
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    registerSecret(secret);
    // The form in which mail servers receive it.
    registerSecret(`\0${user}\0${secret}`);
  }
}
