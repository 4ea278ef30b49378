// What the mocks of APIs share: a local HTTP server that can be told to get into trouble.
import * as http from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the API got it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** What the API answers. A body that is neither text nor bytes is sent as JSON; none means no content. */
export interface Answered {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What may happen in place of an answer: another one, none ever (`hang`), a cut connection before anything was done
 * (`cut`) or after it was (`lose`), half of the answer (`half`), or one that is no JSON (`garbage`).
 */
export type Trouble = Answered | "hang" | "cut" | "lose" | "half" | "garbage";

/** Which requests get into trouble: those of a method, with a text in them; `done`: after what they ask was done. */
interface Aim {
  readonly method?: string;
  readonly having?: string;
  readonly times?: number;
  readonly done?: boolean;
}

interface Planned {
  readonly trouble: Trouble;
  readonly done: boolean;
  readonly matches: (asked: Asked) => boolean;
  times: number;
}

/** Opens a server on a free port of this machine that answers by `handle`. */
export async function openServer(handle: (asked: Asked) => Answered) {
  const asked: Asked[] = [];
  const planned: Planned[] = [];
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
      const plan = planned.find(({ times, matches }) => times > 0 && matches(one));
      if (plan !== undefined) plan.times -= 1;
      const trouble = plan?.trouble;
      if (plan?.done && (trouble === "hang" || typeof trouble === "object")) handle(one);
      if (trouble === "hang") return;
      if (trouble === "cut") return void request.socket.destroy();
      const answer = typeof trouble === "object" ? trouble : handle(one);
      if (trouble === "lose") return void request.socket.destroy();
      if (trouble === "garbage") return void response.end("<!doctype html><title>Down for maintenance</title>");
      write(response, answer, trouble === "half");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every request so far. */
    asked,
    /** Lets the next requests get into trouble. */
    fail(trouble: Trouble, { method, having, times = 1, done = false }: Aim = {}) {
      const matches = (one: Asked) =>
        (method ?? one.method) === one.method && `${one.path} ${one.body}`.includes(having ?? "");
      planned.push({ trouble, done, matches, times });
    },
    /** Takes back whatever trouble was planned. */
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

/** An object of JSON. */
export type Json = Record<string, unknown>;

/** A text of JSON as an object; of anything else, null. */
export function objectOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
