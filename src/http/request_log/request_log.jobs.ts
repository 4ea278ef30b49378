// Writes the request log: requests are gathered in memory as responses are sent, and written in blocks.

import { type Environment, environments } from "../../core/environment.ts";
import { counter } from "../../core/metrics.ts";
import { day_ms } from "../../core/time.ts";
import { retentionIn } from "../../privacy/retention_settings.sql.ts";
import type { Store } from "../../storage/database.ts";
import { writeChunks } from "../../storage/database.ts";
import { requestPathOf } from "../request_input.ts";
import { clientOf, type Service } from "../service.ts";
import type { RequestTrace } from "../trace.ts";
import { loggedPath, loggedQuery } from "./logged_request.ts";
import { forgetRequests, insertBlocks, RequestBlockBuilder } from "./request_log.sql.ts";

const lost = counter(
  "packhouse_request_log_lost_total",
  "Requests missing from the log because too many were pending.",
  ["mode"],
);

const write_every_ms = 1000;
// Unauthenticated requests must not fill the log.
const unauthenticated_max = 200;
const block_max = 1000;
const waiting_max = 20_000;
const deleted_at_once_max = 500;
const bytes_max = 256 << 20;

/** The requests of an environment that are not stored yet. */
interface UnstoredRequests {
  /** The full blocks, in order. */
  readonly blocks: ReturnType<RequestBlockBuilder["done"]>[];
  /** The block that is not full yet. */
  current: RequestBlockBuilder | null;
  /** The number of requests in all of them. */
  count: number;
}

/** The log of the requests to this process, in both environments. */
class RequestLog {
  readonly #service: Service;
  readonly #pending: Readonly<Record<Environment, UnstoredRequests>> = {
    live: { blocks: [], current: null, count: 0 },
    test: { blocks: [], current: null, count: 0 },
  };
  #unauthenticated = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
    service.observers.push((request, trace, status, took_ms) => this.#note(request, trace, status, took_ms));
  }

  /** Writes all pending requests. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Writes run one after the other, even if the previous one failed. Each stores what is pending when it starts.
    const before = this.#writing.catch(() => {});
    this.#writing = before.then(() => this.#write());
    await this.#writing;
  }

  #note(request: Request, trace: RequestTrace, status: number, took_ms: number): void {
    const { method, url, headers } = request;
    const { route, code, actor_id, request_id, bytes_out } = trace;
    const { path, versioned } = requestPathOf(url);
    // A path without a version is not an API request.
    if (!versioned) return;
    if (actor_id === null) {
      if (this.#unauthenticated >= unauthenticated_max) return;
      this.#unauthenticated += 1;
    }
    // Unauthenticated requests belong to no environment; the operator looks in the live one.
    const mode = trace.mode ?? "live";
    const pending = this.#pending[mode];
    if (pending.count >= waiting_max) {
      lost.add(1, mode);
      return;
    }
    const sent = method === "GET" ? null : headers.get("content-length");
    const at = machineTime(this.#service.stores[mode]);
    const query = url.indexOf("?");
    pending.count += 1;
    pending.current ??= new RequestBlockBuilder(at);
    pending.current.add({
      at,
      method: method.slice(0, 20),
      route,
      path: loggedPath(path),
      query: query < 0 ? "" : loggedQuery(url.slice(query + 1)),
      status,
      code,
      actor_id,
      ip: clientOf(this.#service, request),
      request_id,
      took_ms,
      bytes_in: sent === null ? null : Number(sent),
      bytes_out,
    });
    if (pending.current.count >= block_max) endBlock(pending);
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error) => this.#service.log.warn("requests were not logged", { error: String(error) }));
    }, write_every_ms);
  }

  async #write(): Promise<void> {
    this.#unauthenticated = 0;
    for (const mode of environments) {
      const pending = this.#pending[mode];
      endBlock(pending);
      const blocks = [...pending.blocks];
      if (blocks.length === 0) continue;
      // One commit for all blocks: after each commit, SQLite reads its pages again.
      await this.#service.stores[mode].write((tx) => insertBlocks(tx, blocks));
      // What could not be written stays pending.
      for (const { count } of pending.blocks.splice(0, blocks.length)) pending.count -= count;
    }
  }
}

/** Compresses the current block. Compressing a whole second's requests at once would delay responses. */
function endBlock(pending: UnstoredRequests): void {
  if (pending.current === null) return;
  pending.blocks.push(pending.current.done());
  pending.current = null;
}

/** Log times come from the machine's clock, like request ids, and not from the sandbox clock. */
const machineTime = ({ clock }: Store) => clock.now() - clock.ahead_ms;

const logs = new WeakMap<Service, RequestLog>();

/** The request log of a service, created on first use. */
export function requestLogOf(service: Service): RequestLog {
  return logs.getOrInsertComputed(service, () => new RequestLog(service));
}

/** Deletes requests that are older than the retention period, and the oldest ones beyond the size limit. */
export async function forgetOldRequests(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    const { request_log } = await retentionIn(tx, service);
    const before = machineTime(store) - request_log * day_ms;
    return forgetRequests(tx, { before, bytes_max, blocks_max: deleted_at_once_max });
  });
}
