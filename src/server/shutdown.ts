// How a server stops: first it says so, then it ends what is under way, then it lets go of the data.

import type { Log } from "../core/log.ts";
import { requestLogOf } from "../http/request_log/request_log.jobs.ts";
import type { RequestPipeline } from "../http/request_pipeline.ts";
import type { Service } from "../http/service.ts";
import type { LogArchiving } from "../operations/log_archive/archive_logs.ts";
import type { Stores } from "../storage/open_stores.ts";
import type { LazyApp } from "./lazy_app.ts";
import type { HttpListener } from "./listener.ts";

/** What runs, and is to stop. */
interface RunningParts {
  readonly stores: Stores;
  readonly service: Service;
  readonly settings: {
    readonly log: Log;
    readonly stop_ms: number;
    readonly drain_ms: number | null;
    readonly exit: (code: number) => void;
  };
  readonly entrance: RequestPipeline;
  readonly whole: LazyApp;
  readonly port: HttpListener | null;
  readonly shipping: LogArchiving | null;
}

// Longer than balancers take that look every second or two and believe the second look.
const default_drain_ms = 5000;
const quiet_ms = 500;
const closing_min_ms = 250;
// PostgreSQL may be away.
const notify_timeout_ms = 1000;

/**
 * Says that the server is about to stop, to the other servers and to who asks for its health, and goes on for as long
 * as balancers take to notice. Each answer ends its connection meanwhile, so that none is kept when the port is closed.
 */
export async function drainServer(
  { stores, settings, entrance }: RunningParts,
  draining: AbortController,
): Promise<void> {
  draining.abort();
  // A database that is slow to answer has said before whether there are others.
  let others = stores.registry?.has_others ?? false;
  const tell = async () => {
    others = (await stores.registry?.drain()) ?? false;
  };
  await within(notify_timeout_ms, tell);
  const drain_ms = settings.drain_ms ?? (others ? default_drain_ms : 0);
  if (drain_ms === 0) return;
  entrance.drain();
  settings.log.info("the service is about to stop, and goes on until balancers have noticed", { drain_ms });
  await Bun.sleep(drain_ms);
  // A slow balancer gets as much time again.
  for (const until = performance.now() + drain_ms; performance.now() < until; ) {
    const before = entrance.arrived();
    await Bun.sleep(Math.min(quiet_ms, drain_ms));
    if (entrance.arrived() === before) return;
  }
}

/** Ends what is under way and lets go of the data. False when something took too long and was left. */
export async function stopServer({
  stores,
  service,
  settings,
  entrance,
  whole,
  port,
  shipping,
}: RunningParts): Promise<boolean> {
  const { stop_ms, log, exit } = settings;
  const begun_at = performance.now();
  entrance.close();
  const all = await within(0.9 * stop_ms, (limit_ms) => rest(limit_ms, entrance, whole, port));
  if (!all) log.warn("what was under way took too long and was left");
  await port?.end();
  // The others go on at once with what this one has left open.
  if (!all) await stores.registry?.leave(false);
  // Everything that was answered is on the disk. Work that is not done now is done at the next start.
  const closed = await within(Math.max(0.1 * stop_ms, closing_min_ms), () => close(stores, service));
  if (!closed) log.warn("the data took too long to be closed and was left as after a crash");
  // The last commits are taken when the data is closed.
  await shipping?.finish(Math.max(stop_ms - (performance.now() - begun_at), closing_min_ms));
  if (!closed) exit(all ? 0 : 1);
  return all;
}

/** Whether work ends within so many milliseconds. */
async function within(limit_ms: number, work: (limit_ms: number) => Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), limit_ms);
  return await Promise.race([work(limit_ms).then(() => true), late.promise]).finally(() => clearTimeout(timer));
}

/** Writes the requests that are not in their log yet, and lets go of the data. */
async function close(stores: Stores, service: Service): Promise<void> {
  const unsaid = () => service.log.warn("the last requests were not logged");
  await requestLogOf(service).flush().catch(unsaid);
  await stores.close();
}

/** Waits until the last answer is out and the jobs are at rest. */
async function rest(limit_ms: number, entrance: RequestPipeline, whole: LazyApp, port: HttpListener | null) {
  // Who keeps a connection learns by an answer that it ends, not by its breaking off.
  await Promise.all([whole.stop(), entrance.quiet(), entrance.emptied(limit_ms)]);
  await port?.close();
}
