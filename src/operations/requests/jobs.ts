// How the log of requests comes to be: gathered in memory as answers go out, and written together.
import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import { placeOf } from "../../http/path.ts";
import { clientOf, type Service } from "../../http/service.ts";
import type { Trace } from "../../http/trace.ts";
import { counter } from "../../kit/meter.ts";
import { type Mode, modes } from "../../kit/mode.ts";
import { keptPath, keptQuery, type LoggedRequest } from "./request.ts";
import { forgetRequests, insertRequests } from "./store.ts";

const lost = counter("packhouse_request_log_lost_total", "Requests that are not in the log: too many waited.", [
  "mode",
]);

const write_every_ms = 1000;
const waiting_max = 20_000;
// Strangers must not write the log full.
const strangers_max = 200;
const block_max = 1000;
const forgotten_together_max = 500;
const bytes_max = 256 << 20;
const day_ms = 86_400_000;

/** What is noted while a request is answered: no more than must be. */
interface Noted {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly trace: Trace;
  readonly status: number;
  readonly took_ms: number;
  readonly ip: string | null;
  readonly bytes_in: number | null;
}

/** The log of the requests that this process answers, in both worlds. */
export class RequestLog {
  readonly #service: Service;
  readonly #waiting: Readonly<Record<Mode, Noted[]>> = { live: [], test: [] };
  #strangers = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> | null = null;

  constructor(service: Service) {
    this.#service = service;
    service.witnesses.push((request, trace, status, took_ms) => this.#note(request, trace, status, took_ms));
  }

  /** Writes what waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  #note(request: Request, trace: Trace, status: number, took_ms: number): void {
    const { method, url, headers } = request;
    const { mode, actor_id } = trace;
    if (actor_id === null) {
      if (!placeOf(url).versioned || this.#strangers >= strangers_max) return;
      this.#strangers += 1;
    }
    // Who showed no good key asked for nobody's world; whoever runs the house looks into the live one.
    const waiting = this.#waiting[mode ?? "live"];
    if (waiting.length >= waiting_max) {
      lost.add(1, mode ?? "live");
      return;
    }
    const sent = method === "GET" ? null : headers.get("content-length");
    const at = machineTime(this.#service.stores[mode ?? "live"]);
    const ip = clientOf(this.#service, request);
    waiting.push({ at, method, url, trace, status, took_ms, ip, bytes_in: sent === null ? null : Number(sent) });
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error) => this.#service.log.warn("requests were not logged", { error: String(error) }));
    }, write_every_ms);
  }

  async #write(): Promise<void> {
    this.#strangers = 0;
    for (const mode of modes) {
      const waiting = this.#waiting[mode];
      while (waiting.length > 0) {
        const some = waiting.splice(0, block_max);
        // What is of no version is no request to the API.
        const requests = some.filter(({ url }) => placeOf(url).versioned).map(loggedOf);
        await this.#service.stores[mode]
          .write((tx) => insertRequests(tx, requests))
          .catch((error) => {
            // What could not be written waits for the next time, behind nothing that is newer.
            waiting.unshift(...some.slice(0, waiting_max - waiting.length));
            throw error;
          });
      }
    }
  }
}

/** The log tells when something was asked in the world outside, as the ids of requests do: no clock of a sandbox. */
const machineTime = ({ clock }: Store) => clock.now() - clock.ahead_ms;

function loggedOf({ at, method, url, trace, status, took_ms, ip, bytes_in }: Noted): LoggedRequest {
  const { route, code, actor_id, request_id, bytes_out } = trace;
  const query = url.indexOf("?");
  return {
    at,
    method: method.slice(0, 20),
    route,
    path: keptPath(placeOf(url).path),
    query: query < 0 ? "" : keptQuery(url.slice(query + 1)),
    status,
    code,
    actor_id,
    ip,
    request_id,
    took_ms,
    bytes_in,
    bytes_out,
  };
}

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
  const before = machineTime(store) - service.request_log_days * day_ms;
  const settings = { before, bytes_max, together_max: forgotten_together_max };
  await writePieces(store, service, (tx) => forgetRequests(tx, settings));
}
