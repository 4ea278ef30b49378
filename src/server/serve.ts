// Starts the service (data, app, jobs and port) and stops it in the opposite order.
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { fingerprintOf } from "../core/certificates.ts";
import { systemClock } from "../core/clock.ts";
import { version } from "../core/config.ts";
import { type Environment, environments } from "../core/environment.ts";
import type { Log } from "../core/log.ts";
import type { BackupPlan } from "../core/operator_settings.ts";
import { noSite, type Site } from "../core/operator_settings.ts";
import { openRequestPipeline } from "../http/request_pipeline.ts";
import type { Service } from "../http/service.ts";
import { SlowClientLimiter } from "../http/slow_client_limiter.ts";
import { listKeys } from "../identity/api_keys/api_keys.sql.ts";
import { hasTheseRoles, hasUsers } from "../identity/users/users.sql.ts";
import { hasWarehouses } from "../inventory/warehouses/warehouses.sql.ts";
import { areDated } from "../merchants/merchants.sql.ts";
import type { LogArchiving } from "../operations/log_archive/archive_logs.ts";
import { upgradeHooks } from "../operations/upgrades/run_upgrade.ts";
import { hasCards } from "../shipping/rates/rate_cards.sql.ts";
import type { Store } from "../storage/database.ts";
import { erasures_file } from "../storage/erasures.ts";
import { type FileContents, files_folder, folderContents } from "../storage/file_contents.ts";
import { proveWrite, takeTurn } from "../storage/leases.ts";
import { openStores, type Stores } from "../storage/open_stores.ts";
import { exitCodes } from "../storage/start_refused.ts";
import { readEnvironmentSettings } from "./environment_settings.ts";
import { openLazyApp } from "./lazy_app.ts";
import { type HttpListener, openListener } from "./listener.ts";
import { configuredSecretKey, secretKeyAtHand, secretKeyOf } from "./secret_key.ts";
import { drainServer, stopServer } from "./shutdown.ts";
import { addressesOf, openTls, type TlsSetting, watchTls } from "./tls.ts";

interface ServeSettings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly data: string;
  readonly database_url: string | null;
  /** The location of the log archive; null when archiving is off. */
  readonly ship_to?: string | null;
  readonly event_retention_days: number;
  /** Whether sign-in over unencrypted http from other machines is allowed. */
  readonly allow_insecure_lan: boolean;
  /** Whether the operator's test data may be sent to loopback addresses, even if other machines reach the server. */
  readonly allow_loopback_receivers?: boolean;
  readonly tls: TlsSetting;
  readonly request_log_days: number;
  /** Whether older data is upgraded without a backup. */
  readonly no_backup?: boolean;
  /** Where the contents of uploaded files are; by default in the data directory. */
  readonly files?: FileContents;
  /** Automatic backups; null for none. */
  readonly backups: BackupPlan | null;
  readonly log: Log;
  /** A request that takes this long is logged as slow. */
  readonly slow_ms: number;
  /** Time limit of the shutdown, after draining. */
  readonly stop_ms: number;
  /** How long to drain; null for the default if other servers are running, otherwise 0. */
  readonly drain_ms: number | null;
  /** Maximum PostgreSQL connections for each environment. */
  readonly connections?: number;
  /** Whether the embedded databases are checked completely first, even without a reason. */
  readonly check?: boolean;
  /** Prints a line for the operator. */
  readonly print: (line: string) => void;
  /** Ends the process at once: the storage failed for good, or could not be closed in time. */
  readonly exit: (code: number) => void;
}

/** A running server. */
export interface ServerHandle {
  readonly url: string;
  /**
   * Drains, then refuses new requests, finishes the requests, rounds of jobs and deliveries in progress, and closes the
   * data. Resolves with false if something exceeded its time and was abandoned.
   */
  readonly stop: () => Promise<boolean>;
  /** Checks whether the certificate was renewed. */
  readonly checkCertificate: () => void;
  /** Tries a write in both environments; resolves with those that refused it, and never while one hangs. */
  readonly probeStorage: () => Promise<readonly Environment[]>;
}

const carrier_timeout_ms = 5000;

// Idle timeout of connections, including those of clients that do not read their response.
const idle_seconds = 30;

/** Starts a server. Prints the first keys once, and one line when it accepts requests. */
export async function serve(settings: ServeSettings): Promise<ServerHandle> {
  const { host, data, database_url, log, print, exit, check, connections } = settings;
  const given_key = configuredSecretKey(database_url);
  const environment = readEnvironmentSettings({
    host,
    allow_loopback_receivers: settings.allow_loopback_receivers ?? false,
  });
  const fatal = (error: unknown) => {
    log.error("the storage failed", { error: String(error) });
    exit(exitCodes.storage);
  };
  let site: Site = noSite;
  const log_archiving = await openArchiving(settings);
  const { followers } = log_archiving ?? {};
  const place = { data, database_url, purpose: "serve", older: olderOf(settings) } as const;
  const stores = await openStores({ ...place, log, fatal, check, connections, followers, site: () => site });
  const now = () => stores.live.clock.now();
  const orClose = async (error: unknown) => {
    await stores.close();
    throw error;
  };
  const secret_key = await secretKeyOf(stores, data, given_key).catch(orClose);
  const tls = await openTls(settings.tls, { host, data, log, now }).catch(orClose);
  let port: HttpListener | null = null;
  const [draining, ending] = [new AbortController(), new AbortController()];
  const service: Service = {
    stores: { live: stores.live, test: stores.test },
    registry: stores.registry,
    log,
    secret_key,
    ...environment,
    tls: tls !== null,
    authority: tls?.authority ?? null,
    ...serviceSettings(settings),
    shipped: archiveStateOf(log_archiving),
    ownPort: () => port?.number ?? null,
    peerOf: (request) => port?.peerOf(request) ?? null,
    waitFor: (request, seconds) => port?.waitFor(request, seconds),
    observers: [],
    draining: draining.signal,
    ending: ending.signal,
  };
  site = service;
  // A new installation has a warehouse and rate cards before its first request. Its first keys are printed only once
  // the port is open.
  await ensureDefaults(stores);
  const app = openLazyApp(service, (error) => exitUnloaded(settings, error));
  const limiter = slowClientLimiter(log, (request) => port?.waitFor(request, 1));
  const onWaited = (request: Request) => port?.waitFor(request, idle_seconds);
  const pipeline_settings = { log, slow_ms: settings.slow_ms, now, limiter, onWaited, observers: service.observers };
  const pipeline = openRequestPipeline(pipeline_settings, app.handle);
  const identity = tls?.identity ?? null;
  port = openListener({ host, port: settings.port, idle_seconds, tls: identity, log }, pipeline.answer);
  const certificate = watchTls(tls, log, port.renew);
  const addresses = addressesOf(host, port.number, tls ? "https" : "http");
  const [url = ""] = addresses;
  await welcome(stores, service, addresses, print);
  const location = database_url === null ? `data in ${resolve(data)}` : "data in PostgreSQL";
  print(`Packhouse ${version} accepts requests at ${url} (${location})`);
  log_archiving?.start();
  const parts = { stores, service, settings, pipeline, app, port, log_archiving };
  const stop = async () => {
    await drainServer(parts, draining);
    certificate.stop();
    ending.abort();
    return await stopServer(parts);
  };
  return { url, stop, checkCertificate: certificate.check, probeStorage: () => probeWrites(stores) };
}

/** The settings that routes and jobs read. */
function serviceSettings({ data, database_url, backups, ...others }: ServeSettings) {
  const { allow_insecure_lan, event_retention_days, request_log_days } = others;
  const { files = folderContents(join(data, files_folder)) } = others;
  const erasures_path = join(data, erasures_file);
  const limits = { event_retention_days, request_log_days, carrier_timeout_ms };
  return { data, database_url, backups, files, erasures_path, allow_insecure_lan, ...limits };
}

/** Limits the memory of large responses, and logs those that fail or are refused. */
function slowClientLimiter(log: Log, disconnect: (request: Request) => void): SlowClientLimiter {
  return new SlowClientLimiter({
    disconnect,
    onError: (error) => log.error("a response was cut off", { error: String(error) }),
    onRefused: (key) => log.warn("large responses were refused: too many others are unread", { key }),
  });
}

/** Tries a write in both environments and returns those that refused it. */
async function probeWrites(stores: Stores): Promise<readonly Environment[]> {
  const refuses = (mode: Environment) =>
    stores[mode]
      .write((tx) => proveWrite(tx, "watchdog", stores.registry))
      .then(
        () => [],
        () => [mode],
      );
  return (await Promise.all(environments.map(refuses))).flat();
}

/** Log archiving of the data that is about to be opened; null when it is off. */
async function openArchiving({ ship_to, backups, data, log }: ServeSettings) {
  if (!ship_to) return null;
  const { openLogArchiving } = await import("./backup_locations.ts");
  return openLogArchiving(ship_to, backups?.with_key ?? false, data, log);
}

/** A function that returns the state of log archiving, as that of the environment that is further behind. */
function archiveStateOf(log_archiving: LogArchiving | null): Service["shipped"] {
  if (log_archiving === null) return undefined;
  return () => {
    const { place, modes, waiting_bytes, problem } = log_archiving.state();
    const [live, test] = environments.map((mode) => modes[mode].archived_until);
    const until = live == null || test == null ? null : Math.min(live, test);
    return { place, until, waiting_bytes, problem };
  };
}

/** The hooks that upgrade older data. */
function olderOf({ data, database_url, no_backup = false, print }: ServeSettings) {
  const secretKey = () => secretKeyAtHand(data, database_url);
  return upgradeHooks({ data, database_url, no_backup, secretKey, clock: systemClock(), print });
}

/** Ends a process whose features could not be loaded: it could serve nothing but `/health`. */
function exitUnloaded({ log, exit }: ServeSettings, error: unknown): void {
  log.error("the app could not be loaded", { error: String(error) });
  exit(1);
}

/** Creates the default warehouse, rate cards, merchant and roles at the first start. Later starts commit nothing. */
async function ensureDefaults({ live, test }: Stores): Promise<void> {
  for (const store of [live, test]) {
    if (await store.read(async (db) => (await hasWarehouses(db)) && (await hasCards(db)) && (await areDated(db))))
      continue;
    const { ensureWarehouse } = await import("../inventory/warehouses/warehouses.ts");
    const { ensureRateCards } = await import("../shipping/rates/rate_cards.ts");
    const { ensureMerchant } = await import("../merchants/merchants.ts");
    await store.write(async (tx) => {
      await ensureWarehouse(tx);
      await ensureRateCards(tx);
      await ensureMerchant(tx);
    });
  }
  if (await live.read(hasTheseRoles)) return;
  const { ensureRoles } = await import("../identity/users/users.ts");
  await live.write(ensureRoles);
}

/** Creates and prints the first API keys if there are none. If several servers start at once, only one does. */
async function printFirstKeys({ live, test }: Stores, url: string, print: (line: string) => void): Promise<void> {
  const known = [...(await live.read(listKeys)), ...(await test.read(listKeys))];
  const first = known.length > 0 ? null : await firstKey(live);
  if (first === null) {
    // The first keys may have been lost, e.g. because the power failed before they were printed.
    const unused = known.every(({ last_used_at }) => last_used_at === null);
    if (unused)
      print("No API key has been used yet. To create one: packhouse keys create --name NAME --mode live|test");
    return;
  }
  print("First API keys, shown only once:");
  print(`  live  ${first}`);
  const second = await firstKey(test);
  if (second !== null) print(`  test  ${second}`);
  print(`Get started: open ${url} in a browser.`);
}

/** Prints the first keys, the link for the first user, the addresses, and how devices can trust the certificate. */
async function welcome(
  stores: Stores,
  { base_url, authority, log, database_url, files }: Service,
  addresses: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const [url = ""] = addresses;
  await printFirstKeys(stores, url, print);
  await printSetupLink(stores.live, base_url || url, print);
  for (const address of addresses.slice(1)) print(`From other machines: ${address}`);
  if (authority !== null) {
    print(`To trust this server on a phone or computer: ${addresses.at(-1)}/trust`);
    print(`SHA-256 fingerprint of its certificate authority: ${fingerprintOf(authority)}`);
  }
  if (database_url !== null && files.location === null)
    log.warn("uploaded files are kept on this machine only; several servers need --files, such as s3://bucket/prefix");
  if (base_url === "")
    log.warn("PACKHOUSE_BASE_URL is not set: labels have no QR code, and parcels have no tracking_url");
}

/** Creates and prints the link for creating the first user, as long as there are no users. */
async function printSetupLink(live: Store, origin: string, print: (line: string) => void): Promise<void> {
  if (await live.read(hasUsers)) return;
  const { makeLink } = await import("../identity/users/users.ts");
  const random = randomBytes(32);
  const token = await live.write((tx) => makeLink(tx, "setup", null, random));
  print("There are no users yet. Create the owner account with this one-time link, valid for 24 hours:");
  print(`  ${origin}/dashboard/setup#${token}`);
}

/** Creates the first key of an environment and returns its text; null if another server has just done so. */
async function firstKey(store: Store): Promise<string | null> {
  const { createKey } = await import("../identity/api_keys/api_keys.ts");
  const random = randomBytes(96);
  return store.write(async (tx) => {
    await takeTurn(tx, "keys.first");
    if ((await listKeys(tx)).length > 0) return null;
    return (await createKey(tx, { name: "first key", permission: "full" }, random)).text;
  });
}
