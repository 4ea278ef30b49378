// Starts the service: data, app, jobs and port, and stops them in the opposite order.
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
import { proveWrite, takeTurn } from "../storage/leases.ts";
import { openStores, type Stores } from "../storage/open_stores.ts";
import { exitCodes } from "../storage/start_refused.ts";
import { readEnvironmentSettings } from "./environment_settings.ts";
import { openLazyApp } from "./lazy_app.ts";
import { type HttpListener, openListener } from "./listener.ts";
import { givenSecretKey, secretKeyOf } from "./secret_key.ts";
import { drainServer, stopServer } from "./shutdown.ts";
import { addressesOf, openTls, type TlsSetting, watchTls } from "./tls.ts";

interface ServeSettings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly data: string;
  readonly database_url: string | null;
  /** Where what is committed is shipped to; null when it is not. */
  readonly ship_to?: string | null;
  readonly event_retention_days: number;
  /** Whether people may sign in over plain http from other machines. */
  readonly allow_insecure_lan: boolean;
  /** Whether the operator's test data may be sent to loopback addresses, though others reach the server. */
  readonly allow_loopback_receivers?: boolean;
  readonly tls: TlsSetting;
  readonly request_log_days: number;
  /** Whether data of an older version is upgraded without a snapshot before. */
  readonly no_snapshot?: boolean;
  /** The backups that it makes by itself; null for none. */
  readonly backups: BackupPlan | null;
  readonly log: Log;
  /** A request that takes this long is logged as slow. */
  readonly slow_ms: number;
  /** How long what is under way may take once the service is to stop. */
  readonly stop_ms: number;
  /** How long balancers get to notice it before; null for long enough where other servers go on, else not at all. */
  readonly drain_ms: number | null;
  /** How many connections to PostgreSQL each world may have at once. */
  readonly connections?: number;
  /** Whether the embedded databases are looked through as a whole first, also without a reason. */
  readonly check?: boolean;
  /** Where the lines for the operator go. */
  readonly print: (line: string) => void;
  /** Ends the process at once: the storage failed for good, or could not be closed in time. */
  readonly exit: (code: number) => void;
}

export interface ServerHandle {
  readonly url: string;
  /**
   * Says to who asks for its health that it is about to stop, and goes on for a while. Then it turns new requests away,
   * answers what is under way, finishes the jobs' rounds and the deliveries that are being sent, and lets go of the
   * data. False when something took too long and was left.
   */
  readonly stop: () => Promise<boolean>;
  /** Looks whether the certificate was renewed. */
  readonly lookAtCertificate: () => void;
  /** Resolves once both worlds have answered a write, with those that refused it. What hangs keeps it waiting. */
  readonly lookAtStorage: () => Promise<readonly Environment[]>;
}

const carrier_timeout_ms = 5000;

// A connection over which nothing goes for so long is ended, also that of a client who takes nothing of an answer.
const idle_seconds = 30;

/** Serves until stopped. Prints the first keys once, and one line when it accepts requests. */
export async function serve(settings: ServeSettings): Promise<ServerHandle> {
  const { host, data, database_url, backups, log, print, exit, check, connections } = settings;
  const given_key = givenSecretKey(database_url);
  const known = readEnvironmentSettings({ host, allow_loopback_receivers: settings.allow_loopback_receivers ?? false });
  const fatal = (error: unknown) => {
    log.error("the storage failed", { error: String(error) });
    exit(exitCodes.storage);
  };
  let site: Site = noSite;
  const shipping = await shippingOf(settings);
  const { followers } = shipping ?? {};
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
    ...known,
    tls: tls !== null,
    authority: tls?.authority ?? null,
    allow_insecure_lan: settings.allow_insecure_lan,
    ...{ event_retention_days: settings.event_retention_days, request_log_days: settings.request_log_days },
    erasures_path: join(data, erasures_file),
    ...{ data, database_url, backups, carrier_patience_ms: carrier_timeout_ms, shipped: shippedOf(shipping) },
    peerOf: (request) => port?.peerOf(request) ?? null,
    waitFor: (request, seconds) => port?.waitFor(request, seconds),
    witnesses: [],
    draining: draining.signal,
    ending: ending.signal,
  };
  site = service;
  // A new installation has a warehouse and prices before it answers, and prints its first keys once its port is its
  // own.
  await furnish(stores);
  const whole = openLazyApp(service, (error) => endUnloaded(settings, error));
  const outflow = outflowOf(log, (request) => port?.waitFor(request, 1));
  const onWaited = (request: Request) => port?.waitFor(request, idle_seconds);
  const entered = { log, slow_ms: settings.slow_ms, now, outflow, onWaited, witnesses: service.witnesses };
  const entrance = openRequestPipeline(entered, whole.handle);
  const identity = tls?.identity ?? null;
  port = openListener({ host, port: settings.port, idle_seconds, tls: identity, log }, entrance.answer);
  const certificate = watchTls(tls, log, port.renew);
  const addresses = addressesOf(host, port.number, tls ? "https" : "http");
  const [url = ""] = addresses;
  await welcome(stores, service, addresses, print);
  const kept = database_url === null ? `data in ${resolve(data)}` : "data in PostgreSQL";
  print(`Packhouse ${version} accepts requests at ${url} (${kept})`);
  shipping?.start();
  const house = { stores, service, settings, entrance, whole, port, shipping };
  const stop = async () => {
    await drainServer(house, draining);
    certificate.stop();
    ending.abort();
    return await stopServer(house);
  };
  return { url, stop, lookAtCertificate: certificate.look, lookAtStorage: () => refusing(stores) };
}

/** Sends the large responses, and logs what becomes of those that are not read. */
function outflowOf(log: Log, letGo: (request: Request) => void): SlowClientLimiter {
  return new SlowClientLimiter({
    letGo,
    onError: (error) => log.error("an answer broke off", { error: String(error) }),
    onRefused: (key) => log.warn("large responses were refused: too many others are not read", { key }),
  });
}

/** Tries a write in both worlds; answers those that refused it. */
async function refusing(stores: Stores): Promise<readonly Environment[]> {
  const refuses = (mode: Environment) =>
    stores[mode]
      .write((tx) => proveWrite(tx, "watchdog", stores.registry))
      .then(
        () => [],
        () => [mode],
      );
  return (await Promise.all(environments.map(refuses))).flat();
}

/** What ships the commits of the data that is about to be opened; null where nothing is shipped. */
async function shippingOf({ ship_to, backups, data, log }: ServeSettings) {
  if (!ship_to) return null;
  const { openLogArchiving: shippingTo } = await import("./backup_locations.ts");
  return shippingTo(ship_to, backups?.with_key ?? false, data, log);
}

/** Tells how it stands with both worlds, as with the one that is further behind. */
function shippedOf(shipping: LogArchiving | null): Service["shipped"] {
  if (shipping === null) return undefined;
  return () => {
    const { place, worlds, waiting_bytes, problem } = shipping.state();
    const [live, test] = environments.map((mode) => worlds[mode].shipped_until);
    const until = live == null || test == null ? null : Math.min(live, test);
    return { place, until, waiting_bytes, problem };
  };
}

/** What is done with data of an older version. */
function olderOf({ data, database_url, no_snapshot = false, print }: ServeSettings) {
  return upgradeHooks({ data, database_url, no_snapshot, clock: systemClock(), tell: print });
}

/** Ends a process whose features could not be loaded: it would answer how it is, and nothing else. */
function endUnloaded({ log, exit }: ServeSettings, error: unknown): void {
  log.error("the service could not be loaded", { error: String(error) });
  exit(1);
}

/** Gives an installation what each has from its first start on. A later start finds it there, and commits nothing. */
async function furnish({ live, test }: Stores): Promise<void> {
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

/** Makes and prints the keys to come in with, where there is none yet: those of one server, of several that begin. */
async function printFirstKeys({ live, test }: Stores, url: string, print: (line: string) => void): Promise<void> {
  const known = [...(await live.read(listKeys)), ...(await test.read(listKeys))];
  const first = known.length > 0 ? null : await firstKey(live);
  if (first === null) {
    // The first keys may never have been seen: the power failed before they were printed, or the terminal was closed.
    const unused = known.every(({ last_used_at }) => last_used_at === null);
    if (unused) print("No API key has been used yet. To make one: packhouse keys create --name NAME --mode live|test");
    return;
  }
  print("First API keys, shown only this once:");
  print(`  live  ${first}`);
  const second = await firstKey(test);
  if (second !== null) print(`  test  ${second}`);
  print(`What to do first: open ${url} in a browser.`);
}

/** Prints the first keys, the link for the first user, and how devices reach the service and trust it. */
async function welcome(
  stores: Stores,
  { base_url, authority, log }: Service,
  addresses: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const [url = ""] = addresses;
  await printFirstKeys(stores, url, print);
  await printSetupLink(stores.live, base_url || url, print);
  for (const address of addresses.slice(1)) print(`From other machines: ${address}`);
  if (authority !== null) {
    print(`How a phone or computer comes to trust this service: ${addresses.at(-1)}/trust`);
    print(`Its authority's SHA-256 fingerprint: ${fingerprintOf(authority)}`);
  }
  if (base_url === "") log.warn("PACKHOUSE_BASE_URL is not set: labels have no QR code, parcels no tracking_url");
}

/** Makes and prints the link by which the first user is made, as long as there is none. */
async function printSetupLink(live: Store, origin: string, print: (line: string) => void): Promise<void> {
  if (await live.read(hasUsers)) return;
  const { makeLink } = await import("../identity/users/users.ts");
  const random = randomBytes(32);
  const token = await live.write((tx) => makeLink(tx, "setup", null, random));
  print("Nobody can sign in yet. To make the first user, an owner, open this link within a day; it is good once:");
  print(`  ${origin}/dashboard/setup#${token}`);
}

/** Makes the first key of a world; null when another server has just done so. */
async function firstKey(store: Store): Promise<string | null> {
  const { createKey } = await import("../identity/api_keys/api_keys.ts");
  const random = randomBytes(96);
  return store.write(async (tx) => {
    await takeTurn(tx, "keys.first");
    if ((await listKeys(tx)).length > 0) return null;
    return (await createKey(tx, { name: "first key", permission: "full" }, random)).text;
  });
}
