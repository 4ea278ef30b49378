// All flags of `serve` and how they are read.
import { dataFlags } from "../cli/command.ts";
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import {
  archivingFlags,
  backupFlags,
  connectionsOf,
  readArchiving,
  readSettings,
  settingFlags,
  upgradeBackupFlags,
} from "./flags.ts";
import { readTls } from "./tls.ts";

const retention = {
  "event-retention-days": {
    type: "string",
    value: "N",
    default: "30",
    help: "days to keep event payloads and the delivery log, 5 to 90",
  },
  "request-log-days": {
    type: "string",
    value: "N",
    default: "7",
    help: "days to keep the request log, 1 to 30",
  },
} as const satisfies Flags;

/** All flags of `serve`. */
export const serveFlags = {
  host: { type: "string", value: "ADDRESS", default: "127.0.0.1", help: "address to listen on; 0.0.0.0 for all" },
  port: { type: "string", value: "PORT", default: "3000", help: "port to listen on; 0 for any free port" },
  tls: {
    type: "string",
    value: "self",
    help: "use TLS with a certificate of the server's own authority; /trust explains how to trust it",
  },
  "tls-cert": { type: "string", value: "FILE", help: "use TLS with this certificate chain (PEM)" },
  "tls-key": { type: "string", value: "FILE", help: "the certificate's private key (PEM)" },
  "allow-insecure-lan": {
    type: "boolean",
    help: "allow sign-in over unencrypted http from other machines",
  },
  "allow-loopback-receivers": {
    type: "boolean",
    help: "allow test webhooks, stores and carriers on loopback addresses, also behind a proxy",
  },
  ...dataFlags,
  ...retention,
  ...archivingFlags,
  ...backupFlags,
  ...settingFlags,
  ...upgradeBackupFlags,
} as const satisfies Flags;

/** The values of `serveFlags`. */
export type ServeFlags = FlagValues<typeof serveFlags>;

function daysOf(options: ServeFlags, name: keyof typeof retention, min: number, max: number): number {
  const days = /^\d{1,2}$/.test(options[name] ?? "") ? Number(options[name]) : Number.NaN;
  if (days >= min && days <= max) return days;
  throw new UsageError(`--${name} must be a number from ${min} to ${max}.`);
}

function portOf(options: ServeFlags): number {
  const port = /^\d{1,5}$/.test(options.port ?? "") ? Number(options.port) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError("--port must be a number from 0 to 65535.");
}

const readBackups = async (options: ServeFlags) =>
  options["backup-to"] === undefined ? null : (await import("./backup_locations.ts")).backupPlan(options);

const readers = {
  port: portOf,
  event_retention_days: (options: ServeFlags) => daysOf(options, "event-retention-days", 5, 90),
  request_log_days: (options: ServeFlags) => daysOf(options, "request-log-days", 1, 30),
  tls: readTls,
  ship_to: (options: ServeFlags) => readArchiving(options, databaseUrl),
  backups: readBackups,
};

/** Reads the flags of `serve` that describe what it serves. Throws `UsageError` for an invalid value. */
export async function readServe(options: ServeFlags) {
  return {
    host: options.host ?? "127.0.0.1",
    data: options.data ?? "./data",
    allow_insecure_lan: options["allow-insecure-lan"],
    allow_loopback_receivers: options["allow-loopback-receivers"],
    no_backup: options["no-backup"],
    port: readers.port(options),
    event_retention_days: readers.event_retention_days(options),
    request_log_days: readers.request_log_days(options),
    tls: readers.tls(options),
    ship_to: readers.ship_to(options),
    backups: await readers.backups(options),
  };
}

/** The message of each flag of `serve` that has an invalid value. */
export async function refusalsOf(options: ServeFlags): Promise<string[]> {
  const refused: string[] = [];
  const settings = (options: ServeFlags) => readSettings(options, { write: () => {} });
  const connections = (options: ServeFlags) => connectionsOf(options["database-connections"]);
  for (const read of [...Object.values(readers), connections, settings]) {
    try {
      await read(options);
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
    }
  }
  return [...new Set(refused)];
}
