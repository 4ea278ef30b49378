// What `serve` is told on its command line and by variables, and what is refused of it.
import { dataFlags } from "../cli/command.ts";
import { databaseUrl, type Flags, type FlagValues, UsageError } from "../core/config.ts";
import {
  archivingFlags,
  backupFlags,
  connectionsOf,
  readArchiving,
  readSettings,
  settingFlags,
  snapshotFlags,
} from "./flags.ts";
import { readTls } from "./tls.ts";

const retention = {
  "event-retention-days": {
    type: "string",
    value: "N",
    default: "30",
    help: "days that payloads of events and the log of deliveries are kept, 5 to 90",
  },
  "request-log-days": {
    type: "string",
    value: "N",
    default: "7",
    help: "days that the log of requests is kept, 1 to 30",
  },
} as const satisfies Flags;

/** All flags of `serve`. */
export const serveFlags = {
  host: { type: "string", value: "ADDRESS", default: "127.0.0.1", help: "address to listen on; 0.0.0.0 for all" },
  port: { type: "string", value: "PORT", default: "3000", help: "port to listen on; 0 takes a free one" },
  tls: {
    type: "string",
    value: "self",
    help: "speak TLS with a certificate of its own; /trust tells how it is trusted",
  },
  "tls-cert": { type: "string", value: "FILE", help: "speak TLS with this certificate and those above it, as PEM" },
  "tls-key": { type: "string", value: "FILE", help: "the certificate's private key, as PEM" },
  "allow-insecure-lan": {
    type: "boolean",
    help: "let people sign in over plain http from other machines: others can read along",
  },
  "allow-loopback-receivers": {
    type: "boolean",
    help: "let the operator's test webhooks, shops and carriers name this machine, also behind a proxy",
  },
  ...dataFlags,
  ...retention,
  ...archivingFlags,
  ...backupFlags,
  ...settingFlags,
  ...snapshotFlags,
} as const satisfies Flags;

export type ServeFlags = FlagValues<typeof serveFlags>;

function daysOf(given: ServeFlags, name: keyof typeof retention, least: number, most: number): number {
  const days = /^\d{1,2}$/.test(given[name] ?? "") ? Number(given[name]) : Number.NaN;
  if (days >= least && days <= most) return days;
  throw new UsageError(`--${name} must be a number from ${least} to ${most}.`);
}

function portOf(given: ServeFlags): number {
  const port = /^\d{1,5}$/.test(given.port ?? "") ? Number(given.port) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError("--port must be a number to 65535.");
}

const readBackups = async (given: ServeFlags) =>
  given["backup-to"] === undefined ? null : (await import("./backup_locations.ts")).backupPlan(given);

const readers = {
  port: portOf,
  event_retention_days: (given: ServeFlags) => daysOf(given, "event-retention-days", 5, 90),
  request_log_days: (given: ServeFlags) => daysOf(given, "request-log-days", 1, 30),
  tls: readTls,
  ship_to: (given: ServeFlags) => readArchiving(given, databaseUrl),
  backups: readBackups,
};

/** Reads what `serve` is told of what it serves. Refuses with `WrongUse` what it cannot be told. */
export async function readServe(given: ServeFlags) {
  return {
    host: given.host ?? "127.0.0.1",
    data: given.data ?? "./data",
    allow_insecure_lan: given["allow-insecure-lan"],
    allow_loopback_receivers: given["allow-loopback-receivers"],
    no_snapshot: given["no-snapshot"],
    port: readers.port(given),
    event_retention_days: readers.event_retention_days(given),
    request_log_days: readers.request_log_days(given),
    tls: readers.tls(given),
    ship_to: readers.ship_to(given),
    backups: await readers.backups(given),
  };
}

/** All that `serve` would refuse of what it is told, a sentence each. */
export async function refusalsOf(given: ServeFlags): Promise<string[]> {
  const found: string[] = [];
  const settings = (told: ServeFlags) => readSettings(told, { write: () => {} });
  const connections = (told: ServeFlags) => connectionsOf(told["database-connections"]);
  for (const read of [...Object.values(readers), connections, settings]) {
    try {
      await read(given);
    } catch (error) {
      found.push(error instanceof Error ? error.message : String(error));
    }
  }
  return [...new Set(found)];
}
