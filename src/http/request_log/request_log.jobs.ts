// How the log of requests comes to be: gathered in memory as answers go out, and written together.

import { type Environment, environments } from "../../core/environment.ts";
import { counter } from "../../core/metrics.ts";
import { retentionIn } from "../../privacy/retention_settings.sql.ts";
import type { Store } from "../../storage/database.ts";
import { writeChunks } from "../../storage/database.ts";
import { requestPathOf } from "../request_head.ts";
import { clientOf, type Service } from "../service.ts";
import type { RequestTrace } from "../trace.ts";
import { keptPath, keptQuery } from "./logged_request.ts";
import { BlockInMaking, forgetRequests, insertBlocks } from "./request_log.sql.ts";

const lost = counter("packhouse_request_log_lost_total", "Requests that are not in the log: too many waited.", [
  "mode",
]);

const write_every_ms = 1000;
// Strangers must not write the log full.
const strangers_max = 200;
const block_max = 1000;
const waiting_max = 20_000;
const forgotten_together_max = 500;
const bytes_max = 256 << 20;
const day_ms = 86_400_000;

/** The requests of a world that are not stored yet. */
interface UnstoredRequests {
  /** The blocks that are full, in order. */
  readonly blocks: ReturnType<BlockInMaking["done"]>[];
  /** The one that is not. */
  making: BlockInMaking | null;
  /** How many requests there are in all of them. */
  count: number;
}

/** The log of the requests that this process answers, in both worlds. */
export class RequestLog {
  readonly #service: Service;
  readonly #waiting: Readonly<Record<Environment, UnstoredRequests>> = {
    live: { blocks: [], making: null, count: 0 },
    test: { blocks: [], making: null, count: 0 },
  };
  #strangers = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
    service.witnesses.push((request, trace, status, took_ms) => this.#note(request, trace, status, took_ms));
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One write after the other, whatever became of the one before: each stores what waits when it begins.
    const before = this.#writing.catch(() => {});
    this.#writing = before.then(() => this.#write());
    await this.#writing;
  }

  #note(request: Request, trace: RequestTrace, status: number, took_ms: number): void {
    const { method, url, headers } = request;
    const { route, code, actor_id, request_id, bytes_out } = trace;
    const { path, versioned } = requestPathOf(url);
    // A path without a version is no request to the API.
    if (!versioned) return;
    if (actor_id === null) {
      if (this.#strangers >= strangers_max) return;
      this.#strangers += 1;
    }
    // Who showed no good key asked for nobody's world; whoever runs the house looks into the live one.
    const mode = trace.mode ?? "live";
    const waiting = this.#waiting[mode];
    if (waiting.count >= waiting_max) {
      lost.add(1, mode);
      return;
    }
    const sent = method === "GET" ? null : headers.get("content-length");
    const at = machineTime(this.#service.stores[mode]);
    const query = url.indexOf("?");
    waiting.count += 1;
    waiting.making ??= new BlockInMaking(at);
    waiting.making.add({
      at,
      method: method.slice(0, 20),
      route,
      path: keptPath(path),
      query: query < 0 ? "" : keptQuery(url.slice(query + 1)),
      status,
      code,
      actor_id,
      ip: clientOf(this.#service, request),
      request_id,
      took_ms,
      bytes_in: sent === null ? null : Number(sent),
      bytes_out,
    });
    if (waiting.making.count >= block_max) endBlock(waiting);
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error) => this.#service.log.warn("requests were not logged", { error: String(error) }));
    }, write_every_ms);
  }

  async #write(): Promise<void> {
    this.#strangers = 0;
    for (const mode of environments) {
      const waiting = this.#waiting[mode];
      endBlock(waiting);
      const blocks = [...waiting.blocks];
      if (blocks.length === 0) continue;
      // One commit for all blocks: after each commit SQLite reads its pages anew.
      await this.#service.stores[mode].write((tx) => insertBlocks(tx, blocks));
      // What could not be written waits for the next time.
      for (const { count } of waiting.blocks.splice(0, blocks.length)) waiting.count -= count;
    }
  }
}

/** Packs the block in making. To pack a whole second at once would delay the requests that are being answered. */
function endBlock(waiting: UnstoredRequests): void {
  if (waiting.making === null) return;
  waiting.blocks.push(waiting.making.done());
  waiting.making = null;
}

/** The log tells when something was asked in the world outside, as the ids of requests do: no clock of a sandbox. */
const machineTime = ({ clock }: Store) => clock.now() - clock.ahead_ms;

const logs = new WeakMap<Service, RequestLog>();

/** The one log of a service, which begins when it is first asked for. */
export function requestLogOf(service: Service): RequestLog {
  let log = logs.get(service);
  if (log === undefined) {
    log = new RequestLog(service);
    logs.set(service, log);
  }
  return log;
}

/** Forgets requests that were answered longer ago than they are kept, and the oldest of too many. */
export async function forgetOldRequests(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    const { request_log } = await retentionIn(tx, service);
    const before = machineTime(store) - request_log * day_ms;
    return forgetRequests(tx, { before, bytes_max, together_max: forgotten_together_max });
  });
}
