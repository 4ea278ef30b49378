// Graceful shutdown: announce it, finish requests and jobs, then close the data.

import type { Log } from "../core/log.ts";
import { requestLogOf } from "../http/request_log/request_log.jobs.ts";
import type { RequestPipeline } from "../http/request_pipeline.ts";
import type { Service } from "../http/service.ts";
import type { LogArchiving } from "../operations/log_archive/archive_logs.ts";
import type { Stores } from "../storage/open_stores.ts";
import type { LazyApp } from "./lazy_app.ts";
import type { HttpListener } from "./listener.ts";

/** The parts of a server that have to stop. */
interface RunningParts {
  readonly stores: Stores;
  readonly service: Service;
  readonly settings: {
    readonly log: Log;
    readonly stop_ms: number;
    readonly drain_ms: number | null;
    readonly exit: (code: number) => void;
  };
  readonly pipeline: RequestPipeline;
  readonly app: LazyApp;
  readonly port: HttpListener | null;
  readonly log_archiving: LogArchiving | null;
}

// Long enough for load balancers that check every 1 to 2 seconds and need two failed checks.
const default_drain_ms = 5000;
const quiet_ms = 500;
const closing_min_ms = 250;
// PostgreSQL may be unreachable.
const notify_timeout_ms = 1000;

/**
 * Draining: reports the shutdown to the other servers and in `/health`, and keeps serving until load balancers notice.
 * Each response ends its connection, so that none is left when the port closes.
 */
export async function drainServer(
  { stores, settings, pipeline }: RunningParts,
  draining: AbortController,
): Promise<void> {
  draining.abort();
  // If the database is too slow, use what it last reported about other servers.
  let others = stores.registry?.has_others ?? false;
  const announce = async () => {
    others = (await stores.registry?.drain()) ?? false;
  };
  await within(notify_timeout_ms, announce);
  const drain_ms = settings.drain_ms ?? (others ? default_drain_ms : 0);
  if (drain_ms === 0) return;
  pipeline.drain();
  settings.log.info("draining: still serving until load balancers notice", { drain_ms });
  await Bun.sleep(drain_ms);
  // Wait up to the same time again while requests still arrive.
  for (const until = performance.now() + drain_ms; performance.now() < until; ) {
    const before = pipeline.arrived();
    await Bun.sleep(Math.min(quiet_ms, drain_ms));
    if (pipeline.arrived() === before) return;
  }
}

/** Finishes requests and jobs and closes the data. Returns false if something exceeded its time and was abandoned. */
export async function stopServer({
  stores,
  service,
  settings,
  pipeline,
  app,
  port,
  log_archiving,
}: RunningParts): Promise<boolean> {
  const { stop_ms, log, exit } = settings;
  const begun_at = performance.now();
  pipeline.close();
  const all = await within(0.9 * stop_ms, (limit_ms) => finish(limit_ms, pipeline, app, port));
  if (!all) log.warn("requests or jobs did not finish in time and were abandoned");
  await port?.end();
  // Other servers take over the open claims at once.
  if (!all) await stores.registry?.leave(false);
  // Every acknowledged write is on disk. Unfinished work continues at the next start.
  const closed = await within(Math.max(0.1 * stop_ms, closing_min_ms), () => close(stores, service));
  if (!closed) log.warn("closing the data took too long; it was left as after a crash");
  // Closing the data makes the last commits available to the log archive.
  await log_archiving?.finish(Math.max(stop_ms - (performance.now() - begun_at), closing_min_ms));
  if (!closed) exit(all ? 0 : 1);
  return all;
}

/** Runs `work` and returns whether it ends within `limit_ms`. */
async function within(limit_ms: number, work: (limit_ms: number) => Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limit_ms);
  return await Promise.race([work(limit_ms).then(() => true), late.promise]).finally(() => clearTimeout(timer));
}

/** Flushes the request log and closes the data. */
async function close(stores: Stores, service: Service): Promise<void> {
  const lost = () => service.log.warn("the last requests could not be written to the request log");
  await requestLogOf(service).flush().catch(lost);
  await stores.close();
}

/** Waits until the last response is sent and no job runs. */
async function finish(limit_ms: number, pipeline: RequestPipeline, app: LazyApp, port: HttpListener | null) {
  // Clients with open connections learn of the end by a response instead of a broken connection.
  await Promise.all([app.stop(), pipeline.quiet(), pipeline.emptied(limit_ms)]);
  await port?.close();
}
