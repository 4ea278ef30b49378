// Flags of `serve`: log archiving, automatic backups, logging, shutdown and upgrades.
import { databaseUrl, type Flags, type FlagValues, readAddress, UsageError, variable } from "../core/config.ts";
import { type LineWriter, type Log, logFormats, logLevels, openLog, registerSecret } from "../core/log.ts";

/** The flags of `serve` for log archiving. */
export const archivingFlags = {
  "backup-to": { type: "string", value: "TO", help: "backup location: a folder, or s3://bucket/prefix" },
  continuous: {
    type: "boolean",
    help: "archive the database log to --backup-to every 10 s, so that a lost disk loses at most 10 s of data",
  },
} as const satisfies Flags;

/** The location of the log archive; null when archiving is off. Throws `UsageError` for an incomplete combination. */
export function readArchiving(options: FlagValues<typeof archivingFlags>, database_url: string | null): string | null {
  if (!options.continuous) return null;
  if (database_url !== null) {
    throw new UsageError("--continuous is only for the embedded database. For PostgreSQL use its own log archiving.");
  }
  const to = options["backup-to"];
  if (to === undefined) throw new UsageError("--continuous requires --backup-to, a folder or s3://bucket/prefix.");
  if (to.endsWith(".tar.zst")) throw new UsageError("--continuous requires a folder as --backup-to, not a file.");
  return to;
}

/** The flags of `serve` for automatic backups. */
export const backupFlags = {
  "backup-to": { type: "string", value: "TO", help: "back up automatically to a folder, or s3://bucket/prefix" },
  "backup-every": { type: "string", value: "MINUTES", default: "60", help: "interval in minutes, 5 to 10080" },
  "backup-keep": {
    type: "string",
    value: "H,D,M",
    default: "24,30,12",
    help: "keep the last backup of each of H hours, D days and M months",
  },
  "backup-with-key": { type: "boolean", help: "include the secret key in these backups" },
} as const satisfies Flags;

/** The flags of `serve` for logging, shutdown and the database. */
export const settingFlags = {
  "log-level": { type: "string", value: logLevels.join("|"), default: "info", help: "lowest level that is logged" },
  "log-format": { type: "string", value: logFormats.join("|"), default: "json", help: "format of log lines" },
  "slow-request-ms": { type: "string", value: "N", default: "1000", help: "log requests that take longer as slow" },
  "stop-seconds": {
    type: "string",
    value: "N",
    default: "9",
    help: "after SIGTERM, time limit for finishing requests and jobs and closing the data",
  },
  "drain-seconds": {
    type: "string",
    value: "N",
    help: "after SIGTERM, keep serving this long while /health returns 503 (5 if other servers run, otherwise 0)",
  },
  "database-connections": {
    type: "string",
    value: "N",
    default: "16",
    help: "maximum PostgreSQL connections for each environment, 2 to 200",
  },
  check: { type: "boolean", help: "check both embedded databases completely before serving" },
} as const satisfies Flags;

/** The flag of commands that may upgrade data. */
export const upgradeBackupFlags = {
  "no-backup": { type: "boolean", help: "upgrade older data without a backup, so that it cannot be rolled back" },
} as const satisfies Flags;

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
export function readSettings(
  options: FlagValues<typeof settingFlags>,
  lines: Pick<LineWriter, "write">,
): RuntimeSettings {
  const level = logLevels.find((word) => word === options["log-level"]);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(", ")}.`);
  const format = logFormats.find((word) => word === options["log-format"]);
  if (format === undefined) throw new UsageError(`--log-format must be one of ${logFormats.join(", ")}.`);
  const slow_ms = numberOf("slow-request-ms", options["slow-request-ms"], 3_600_000);
  const stop_ms = 1000 * numberOf("stop-seconds", options["stop-seconds"], 3600);
  const drain = options["drain-seconds"];
  const drain_ms = drain === undefined ? null : 1000 * numberOf("drain-seconds", drain, 3600);
  const connections = connectionsOf(options["database-connections"]);
  registerSecrets();
  return {
    log: openLog({ level, format, write: (line, urgent) => lines.write(line, urgent) }),
    slow_ms,
    stop_ms,
    drain_ms,
    connections,
    check: options.check,
  };
}

/** The maximum number of PostgreSQL connections for each environment. Throws `UsageError` outside of 2 to 200. */
export function connectionsOf(text: string | undefined): number {
  const number = numberOf("database-connections", text, 200);
  if (number < 2) throw new UsageError("--database-connections must be a number from 2 to 200.");
  return number;
}

function numberOf(flag: string, text: string | undefined, max: number): number {
  const number = /^\d{1,7}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (!(number <= max)) throw new UsageError(`--${flag} must be a number from 0 to ${max}.`);
  return number;
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
