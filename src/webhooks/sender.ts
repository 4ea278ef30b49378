// One attempt at one delivery over the network. The receiver's address is a stranger's choice and so is its answer:
// the name is resolved once and the address that was checked is the one called, each wait has an end, each read a cap.
import { lookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { type AddressPolicy, bareHost, isBlocked, portOf, type UrlProblem, urlProblem } from "./address.ts";
import type { AttemptError, AttemptResult } from "./attempt.ts";
import type { AttemptErrorCode } from "./status.ts";

/** How long each part of an attempt may take. */
export interface Deadlines {
  /** From the start until the connection stands, the resolving of the name and TLS included. */
  readonly connect_ms: number;
  /** From then, when the request is written, until the answer's headers are there. */
  readonly headers_ms: number;
  /** From then, for the start of the body, which changes nothing. */
  readonly body_ms: number;
}

/** Finds every address of a host name. Rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly deadlines?: Deadlines;
  readonly resolve?: Resolve;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities?: string;
}

/** What is sent, and to whom. The sender adds the host and the length to the headers. */
export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sender {
  /** Makes one attempt. It never throws: whatever goes wrong is in the result. */
  send(sending: Sending): Promise<AttemptResult>;
  /** Why a client may not name this receiver, by its text and by what its name resolves to now; an unknown name may. */
  problem(url: string): Promise<UrlProblem | null>;
  /** Closes every connection; an attempt under way ends with an error. */
  close(): void;
}

type Answer = Omit<AttemptResult, "duration_ms">;

/** One request to one address. */
interface Call {
  readonly url: URL;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
  /** Aborted when the connection must stand. */
  readonly connecting: AbortSignal;
  readonly deadlines: Deadlines;
  readonly agent: http.Agent | false;
  readonly authorities: string | undefined;
}

/** What came of a call. A stale one met a kept connection that the receiver had closed. */
interface Called {
  readonly answer: Answer;
  readonly reached: boolean;
  readonly stale: boolean;
}

/** How long the parts of an attempt may take where nothing else is said. */
export const default_deadlines: Deadlines = { connect_ms: 3000, headers_ms: 5000, body_ms: 1000 };
const body_bytes_read_max = 16 * 1024;
const body_bytes_kept_max = 4 * 1024;
const header_characters_kept_max = 500;
const message_characters_max = 300;
const idle_connections_max = 4;
const idle_ms = 15_000;

const kept_headers = [
  ...["content-type", "content-length", "content-encoding", "date", "location", "retry-after", "server", "via"],
  ...["webhook-delivery", "x-request-id", "x-correlation-id", "cf-ray", "x-amzn-requestid", "traceparent"],
];

const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** A sender for the receivers that the policy allows. It keeps connections open between attempts. */
export function createSender(options: SenderOptions): Sender {
  const { policy, deadlines = default_deadlines, resolve = systemResolve, authorities } = options;
  const settings = { keepAlive: true, maxFreeSockets: idle_connections_max, timeout: idle_ms };
  const agents = { "http:": new http.Agent(settings), "https:": new https.Agent(settings) };

  async function attempt({ url: text, headers, body }: Sending): Promise<Answer> {
    const unfit = urlProblem(text, policy);
    if (unfit !== null) return failure("blocked_address", `The receiver's address ${unfit.message}.`);
    const url = new URL(text);
    const connecting = AbortSignal.timeout(deadlines.connect_ms);
    const found = await addressesOf(url, resolve, connecting);
    if (found.length === 0) {
      if (connecting.aborted) return failure("timeout", "The host name was not resolved in time.");
      return failure("dns_error", "The host name has no address.");
    }
    if (found.some((address) => isBlocked(address, url.hostname, policy))) {
      return failure("blocked_address", "The receiver's address must be public.");
    }
    const call = { url, headers, content: Buffer.from(body), connecting, deadlines, authorities };
    const agent = url.protocol === "https:" ? agents["https:"] : agents["http:"];
    return await callFirst(found, (address, kept) => exchange({ ...call, address, agent: kept && agent }));
  }

  return {
    async send(sending) {
      const started = performance.now();
      const answer = await attempt(sending).catch((error: unknown) => failure("connect_error", reason(error)));
      const hidden = answer.error?.code === "blocked_address";
      return { ...answer, duration_ms: hidden ? null : Math.round(performance.now() - started) };
    },
    async problem(text) {
      const unfit = urlProblem(text, policy);
      if (unfit !== null) return unfit;
      const url = new URL(text);
      const found = await addressesOf(url, resolve, AbortSignal.timeout(deadlines.connect_ms));
      const blocked = found.some((address) => isBlocked(address, url.hostname, policy));
      return blocked ? { code: "blocked_address", message: "must resolve to public addresses only" } : null;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Every address of the URL's host; none when it does not resolve before the signal. */
async function addressesOf(url: URL, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return [host];
  const late = new Promise<readonly string[]>((done) => {
    signal.addEventListener("abort", () => done([]), { once: true });
  });
  return await Promise.race([resolve(host), late]).catch(() => []);
}

/** Calls the addresses in turn until one is reached, each by a kept connection if there is one. */
async function callFirst(
  addresses: readonly string[],
  call: (address: string, kept: boolean) => Promise<Called>,
): Promise<Answer> {
  let answer = failure("connect_error", "The receiver was not called.");
  for (const address of addresses) {
    let called = await call(address, true);
    // The receiver closed the kept connection as the request was on its way: that says nothing of the receiver.
    if (called.stale) called = await call(address, false);
    answer = { ...called.answer, ip_address: address };
    if (called.reached) break;
  }
  return answer;
}

/** Writes one request and reads what the log keeps of the answer. */
function exchange(call: Call): Promise<Called> {
  const { url, connecting, deadlines } = call;
  const secure = url.protocol === "https:";
  return new Promise((resolve) => {
    const request = (secure ? https : http).request(requestOptions(call));
    let stage: "dialling" | "securing" | "waiting" | "reading" = "dialling";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (answer: Answer, stale = false) => {
      clearTimeout(timer);
      connecting.removeEventListener("abort", tooLate);
      resolve({ answer, reached: stage !== "dialling" || connecting.aborted, stale });
    };
    const fail = (code: AttemptErrorCode, message: string, stale = false) => {
      settle(failure(code, message), stale);
      request.destroy();
    };
    const tooLate = () => fail("timeout", "The connection did not stand in time.");
    const connected = () => {
      stage = "waiting";
      connecting.removeEventListener("abort", tooLate);
      timer = setTimeout(() => fail("timeout", "The receiver did not answer in time."), deadlines.headers_ms);
    };
    connecting.addEventListener("abort", tooLate, { once: true });
    if (connecting.aborted) tooLate();
    request.on("socket", (socket) => {
      if (request.reusedSocket) return connected();
      socket.once("connect", secure ? () => (stage = "securing") : connected);
      if (secure) socket.once("secureConnect", connected);
    });
    request.on("error", (error) => {
      if (stage === "reading") return; // The answer is there; its body ends early, which `readBody` sees.
      const stale = request.reusedSocket && stage === "waiting" && !connecting.aborted;
      fail(stage === "securing" ? "tls_error" : "connect_error", reason(error), stale);
    });
    // An answer that changes the protocol is an answer like any other; nothing more is read.
    request.on("upgrade", (response) => {
      settle(answerOf(response, Buffer.alloc(0), true));
      request.destroy();
    });
    request.on("response", (response) => {
      stage = "reading";
      clearTimeout(timer);
      readBody(response, deadlines.body_ms, (start, complete) => {
        settle(answerOf(response, start, complete));
        if (!complete) request.destroy();
      });
    });
    request.end(call.content);
  });
}

function requestOptions({ url, address, headers, content, agent, authorities }: Call): https.RequestOptions {
  const host = bareHost(url.hostname);
  return {
    host: address,
    port: portOf(url),
    path: url.pathname + url.search,
    method: "POST",
    headers: { ...headers, host: url.host, "content-length": content.length },
    agent,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: true, // Said aloud, so that no setting of the environment can switch the check off.
    ...(authorities !== undefined && { ca: authorities }),
  };
}

/** Reads a body up to its cap or deadline, and tells once what came and whether that was all. */
function readBody(
  response: http.IncomingMessage,
  body_ms: number,
  tell: (start: Uint8Array, complete: boolean) => void,
): void {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let told = false;
  const stop = (complete: boolean) => {
    if (told) return;
    told = true;
    clearTimeout(timer);
    tell(Buffer.concat(chunks), complete);
  };
  const timer = setTimeout(() => stop(false), body_ms);
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (!told) chunks.push(chunk);
    if (bytes > body_bytes_read_max) stop(false);
  });
  response.on("end", () => stop(true));
  response.on("error", () => stop(false));
  response.on("close", () => stop(false));
}

function answerOf(response: http.IncomingMessage, start: Uint8Array, complete: boolean): Answer {
  const status_code = response.statusCode ?? 0;
  const headers = kept_headers.flatMap((name) => {
    const value = response.headers[name];
    if (value === undefined) return [];
    return [[name, printable([value].flat().join(", ")).slice(0, header_characters_kept_max)]];
  });
  return {
    status_code,
    headers: Object.fromEntries(headers),
    body: excerpt(start),
    truncated: !complete || start.length > body_bytes_kept_max,
    error: httpError(status_code),
    ip_address: null,
  };
}

function httpError(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return { code: "gone", message: "The receiver answered 410: it wants nothing more." };
  if (status === 429) return { code: "too_many_requests", message: "The receiver answered 429." };
  const redirect = status >= 300 && status < 400 ? ", and redirects are not followed" : "";
  return { code: "http_error", message: `The receiver answered ${status}${redirect}.` };
}

/** The start of a body as text of at most 4 KiB, cut between characters. */
function excerpt(bytes: Uint8Array): string {
  const text = decode(bytes.subarray(0, body_bytes_kept_max));
  // What was no UTF-8 has grown by its replacement characters.
  return decode(Buffer.from(printable(text)).subarray(0, body_bytes_kept_max));
}

// `stream` leaves out a character whose end is missing.
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** A text without NUL, which not every database can keep. */
const printable = (text: string): string => text.replaceAll("\u0000", "\ufffd");

const failure = (code: AttemptErrorCode, message: string): Answer => ({
  status_code: null,
  headers: {},
  body: null,
  truncated: false,
  error: { code, message: printable(message).slice(0, message_characters_max) },
  ip_address: null,
});

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
