// Shared by the mock APIs: a local HTTP server with fault injection.
import * as http from "node:http";
import type { AddressInfo } from "node:net";

/** A request as received by the API. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A response of the API. A body that is neither text nor bytes is sent as JSON; no body means no content. */
export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A fault in place of the normal response: another response, none (`hang`), a connection cut before the request is
 * handled (`cut`) or after (`lose`), half of the response (`half`), or one that is not JSON (`garbage`).
 */
export type Trouble = Answered | "hang" | "cut" | "lose" | "half" | "garbage";

/** The requests that fail, by method and by text in them. With `done` the request is handled before it fails. */
interface Aim {
  readonly method?: string;
  readonly having?: string;
  readonly times?: number;
  /** How many such requests succeed first. */
  readonly after?: number;
  readonly done?: boolean;
}

interface Planned {
  readonly trouble: Trouble;
  readonly done: boolean;
  readonly matches: (asked: Asked) => boolean;
  after: number;
  times: number;
}

/** What happens to a request that nothing else was planned for. */
export interface Mishap {
  readonly delay_ms: number;
  readonly trouble: Trouble | null;
}

/** Opens a server on a free local port that responds with `handle`. */
export async function openServer(handle: (asked: Asked) => Answered) {
  const asked: Asked[] = [];
  const planned: Planned[] = [];
  let mishapOf: ((asked: Asked) => Mishap) | null = null;
  const server = http.createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://mock");
      const headers = request.headers as Record<string, string | undefined>;
      const body = Buffer.concat(chunks).toString();
      const one = { method: request.method ?? "", path: pathname, query: searchParams, headers, body };
      asked.push(one);
      const plan = planned.find((next) => next.times > 0 && next.matches(one) && next.after-- <= 0);
      if (plan !== undefined) plan.times -= 1;
      if (plan?.done && (plan.trouble === "hang" || typeof plan.trouble === "object")) handle(one);
      const mishap = plan === undefined ? mishapOf?.(one) : undefined;
      const trouble = plan?.trouble ?? mishap?.trouble ?? null;
      if (mishap === undefined) respond(request, response, one, trouble);
      else setTimeout(() => respond(request, response, one, trouble), mishap.delay_ms);
    });
  });
  const respond = (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    one: Asked,
    trouble: Trouble | null,
  ) => {
    if (trouble === "hang") return;
    if (trouble === "cut") return void request.socket.destroy();
    const answer = trouble !== null && typeof trouble === "object" ? trouble : handle(one);
    if (trouble === "lose") return void request.socket.destroy();
    if (trouble === "garbage") return void response.end("<!doctype html><title>Down for maintenance</title>");
    write(response, answer, trouble === "half");
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All requests so far. */
    asked,
    /** Makes the next requests fail. */
    fail(trouble: Trouble, { method, having, times = 1, after = 0, done = false }: Aim = {}) {
      const matches = (one: Asked) =>
        (method ?? one.method) === one.method && `${one.path} ${one.body}`.includes(having ?? "");
      planned.push({ trouble, done, matches, after, times });
    },
    /** Delays requests and makes them fail as `decide` says, until it is null. */
    misbehave(decide: ((asked: Asked) => Mishap) | null) {
      mishapOf = decide;
    },
    /** Cancels all planned faults. */
    forgive() {
      planned.length = 0;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type MockServer = Awaited<ReturnType<typeof openServer>>;

function write(response: http.ServerResponse, { status, body, headers = {} }: Answered, half: boolean): void {
  if (half && body === undefined) return void response.destroy();
  const bytes = bytesOf(body);
  response.writeHead(status, { "Content-Type": "application/json", ...headers, "Content-Length": bytes.length });
  if (!half) return void response.end(bytes);
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
}

export type Json = Record<string, unknown>;

/** The JSON object in a text, or null if it is anything else. */
export function objectOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
