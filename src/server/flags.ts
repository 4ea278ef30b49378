// The flags of `serve` by which what is committed is shipped.
import { databaseUrl, type Flags, type FlagValues, readAddress, UsageError, variable } from "../core/config.ts";
import { type LineWriter, type Log, logFormats, logLevels, openLog, registerSecret } from "../core/log.ts";

/** The flags of `serve` that are for shipping. */
export const archivingFlags = {
  "backup-to": { type: "string", value: "TO", help: "where backups are kept: a folder, or s3://bucket/prefix" },
  continuous: {
    type: "boolean",
    help: "ship what is committed to --backup-to every 10 s, so that a lost disk costs at most that",
  },
} as const satisfies Flags;

/** Where what is committed is shipped to, by the flags; null when it is not. Refuses with `WrongUse` half of them. */
export function readArchiving(given: FlagValues<typeof archivingFlags>, database_url: string | null): string | null {
  if (!given.continuous) return null;
  if (database_url !== null) {
    throw new UsageError("--continuous is for the embedded database: PostgreSQL archives its log itself.");
  }
  const to = given["backup-to"];
  if (to === undefined) throw new UsageError("--continuous needs --backup-to TO, where backups are kept.");
  if (to.endsWith(".tar.zst")) throw new UsageError("--continuous needs a folder as --backup-to, not one file.");
  return to;
}

// How `serve` is run: what it logs, and how long it may take to end.

/** The flags of `serve` about the backups that it makes by itself. */
export const backupFlags = {
  "backup-to": { type: "string", value: "TO", help: "make backups by itself: to a folder, or s3://bucket/prefix" },
  "backup-every": { type: "string", value: "MINUTES", default: "60", help: "how often, in minutes from 5 to 10080" },
  "backup-keep": {
    type: "string",
    value: "H,D,M",
    default: "24,30,12",
    help: "keep the last backup of so many hours, days and months",
  },
  "backup-with-key": { type: "boolean", help: "put the secret key into these backups" },
} as const satisfies Flags;

/** The flags of `serve` that are for whoever runs it. */
export const settingFlags = {
  "log-level": { type: "string", value: logLevels.join("|"), default: "info", help: "least level that is logged" },
  "log-format": { type: "string", value: logFormats.join("|"), default: "json", help: "how a line is written" },
  "slow-request-ms": { type: "string", value: "N", default: "1000", help: "a request of so many ms is logged as slow" },
  "stop-seconds": {
    type: "string",
    value: "N",
    default: "9",
    help: "how long it may take to end after SIGTERM, with what is under way and with closing the data",
  },
  "drain-seconds": {
    type: "string",
    value: "N",
    help: "how long it goes on after SIGTERM while /health says 503, before it ends (5 beside other servers, else 0)",
  },
  "database-connections": {
    type: "string",
    value: "N",
    default: "16",
    help: "most connections to PostgreSQL for each of the two worlds, 2 to 200",
  },
  check: { type: "boolean", help: "look through both embedded databases as a whole before serving" },
} as const satisfies Flags;

/** The flag of all that may upgrade data. */
export const snapshotFlags = {
  "no-snapshot": { type: "boolean", help: "upgrade data of an older version without a way back" },
} as const satisfies Flags;

interface RuntimeSettings {
  readonly log: Log;
  readonly slow_ms: number;
  readonly stop_ms: number;
  /** Null where it depends on whether other servers go on. */
  readonly drain_ms: number | null;
  readonly connections: number;
  readonly check: boolean;
}

/** Reads how `serve` is to be run. No line of its log shows what the settings hold of secrets. */
export function readSettings(
  given: FlagValues<typeof settingFlags>,
  lines: Pick<LineWriter, "write">,
): RuntimeSettings {
  const level = logLevels.find((word) => word === given["log-level"]);
  if (level === undefined) throw new UsageError(`--log-level must be one of ${logLevels.join(", ")}.`);
  const format = logFormats.find((word) => word === given["log-format"]);
  if (format === undefined) throw new UsageError(`--log-format must be one of ${logFormats.join(", ")}.`);
  const slow_ms = numberOf("slow-request-ms", given["slow-request-ms"], 3_600_000);
  const stop_ms = 1000 * numberOf("stop-seconds", given["stop-seconds"], 3600);
  const drain = given["drain-seconds"];
  const drain_ms = drain === undefined ? null : 1000 * numberOf("drain-seconds", drain, 3600);
  const connections = connectionsOf(given["database-connections"]);
  keepSecrets();
  return {
    log: openLog({ level, format, write: (line, urgent) => lines.write(line, urgent) }),
    slow_ms,
    stop_ms,
    drain_ms,
    connections,
    check: given.check,
  };
}

/** How many connections a server may have to each world. */
export function connectionsOf(text: string | undefined): number {
  const number = numberOf("database-connections", text, 200);
  if (number < 2) throw new UsageError("--database-connections must be a number from 2 to 200.");
  return number;
}

function numberOf(flag: string, text: string | undefined, most: number): number {
  const number = /^\d{1,7}$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (!(number <= most)) throw new UsageError(`--${flag} must be a number to ${most}.`);
  return number;
}

function keepSecrets(): void {
  registerSecret(variable("PACKHOUSE_SECRET_KEY") ?? "");
  for (const address of [databaseUrl, variable("PACKHOUSE_SMTP_URL")]) {
    // One that cannot be read is refused before anything is logged.
    const { username = "", password = "" } = (address === null ? null : readAddress(address)) ?? {};
    if (password === "") continue;
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    registerSecret(secret);
    // As mail servers are told it.
    registerSecret(`\0${user}\0${secret}`);
  }
}
