// One request to an address that a stranger chose. The name is resolved once, and the address that was checked is the
// one called; each wait has an end, each read a cap; certificates are always checked, redirects and proxies never used.
import { lookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { remembered } from "../kit/remembered.ts";
import { type AddressPolicy, bareHost, isBlocked, portOf, type UrlProblem, urlProblem } from "./destination.ts";

/** How long each part of a request may take. */
export interface Deadlines {
  /** From the start until the connection stands, the resolving of the name and TLS included. */
  readonly connect_ms: number;
  /** From then, when the request is written, until the answer's headers are there. */
  readonly headers_ms: number;
  /** From then, for the body. */
  readonly body_ms: number;
}

/** Finds every address of a host name. Rejects when there is none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundOptions {
  readonly policy: AddressPolicy;
  readonly deadlines: Deadlines;
  readonly resolve?: Resolve | undefined;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities?: string | undefined;
}

/** What is asked, and of whom. The host and the length are added to the headers. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null sends none. */
  readonly body: string | null;
  /** How much of the answer's body is read. */
  readonly body_bytes_max: number;
  /** Whether a second time does no harm. What is not repeatable is written once, on a connection of its own. */
  readonly repeatable: boolean;
}

/** Why there is no answer. */
export type OutboundErrorCode = "dns_error" | "blocked_address" | "connect_error" | "tls_error" | "timeout";

/** What was answered, whatever its status. */
export interface Answered {
  readonly status_code: number;
  /** By lower-case name; several lines of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether that is the whole body. */
  readonly complete: boolean;
}

/** Why nothing was answered. */
export interface Unanswered {
  readonly code: OutboundErrorCode;
  readonly message: string;
}

/** An answer or an error, and the address that was called; null when none was. */
type Result = { readonly ip_address: string | null } & (
  | { readonly answer: Answered; readonly error: null }
  | { readonly answer: null; readonly error: Unanswered }
);

/** What came of a request. The time is null when the address was blocked, since it would tell of the network behind. */
export type Outcome = Result & { readonly duration_ms: number | null };

export interface Outbound {
  /** Makes one request. It never throws: whatever goes wrong is in the outcome. */
  call(outgoing: Outgoing): Promise<Outcome>;
  /** Why a client may not name this address, by its text and by what its name resolves to now; an unknown name may. */
  problem(url: string): Promise<UrlProblem | null>;
  /** Closes every connection; a request under way ends with an error. */
  close(): void;
}

/** One request to one address. */
interface Call {
  readonly url: URL;
  readonly address: string;
  readonly outgoing: Outgoing;
  readonly connecting: Deadline;
  readonly deadlines: Deadlines;
  readonly agent: http.Agent | false;
  readonly authorities: string | undefined;
}

/** The moment when the connection must stand, or the name be resolved. Nobody waits for it once it was kept. */
interface Deadline {
  readonly passed: boolean;
  /** What is done when it passes; null when nothing is. */
  onPassed: (() => void) | null;
  readonly keep: () => void;
}

/** What came of a call. A stale one met a kept connection that the other side had closed. */
interface Called {
  readonly result: Result;
  readonly reached: boolean;
  readonly stale: boolean;
}

const idle_connections_max = 64;
const idle_ms = 15_000;

const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** A caller of the addresses that the policy allows. It keeps connections open between requests. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { policy, deadlines, resolve = systemResolve, authorities } = options;
  const settings = { keepAlive: true, maxFreeSockets: idle_connections_max, timeout: idle_ms };
  const agents = { "http:": new http.Agent(settings), "https:": new https.Agent(settings) };

  const targetOf = remembered((text: string) => {
    const problem = urlProblem(text, policy);
    return problem === null ? { url: new URL(text), problem } : { url: null, problem };
  });

  async function attempt(outgoing: Outgoing): Promise<Result> {
    const { url, problem } = targetOf(outgoing.url);
    if (url === null) return failure("blocked_address", `The address ${problem.message}.`);
    const connecting = deadlineIn(deadlines.connect_ms);
    try {
      const found = await addressesOf(url, resolve, connecting);
      if (found.length === 0) {
        if (connecting.passed) return failure("timeout", "The host name was not resolved in time.");
        return failure("dns_error", "The host name has no address.");
      }
      if (found.some((address) => isBlocked(address, url.hostname, policy))) {
        return failure("blocked_address", "The address must be public.");
      }
      const agent = url.protocol === "https:" ? agents["https:"] : agents["http:"];
      return await callFirst(found, outgoing.repeatable, (address, kept) =>
        exchange({ url, outgoing, connecting, deadlines, authorities, address, agent: kept && agent }),
      );
    } finally {
      connecting.keep();
    }
  }

  return {
    async call(outgoing) {
      const started = performance.now();
      const result = await attempt(outgoing).catch((error: unknown) => failure("connect_error", reason(error)));
      const hidden = result.error?.code === "blocked_address";
      return { ...result, duration_ms: hidden ? null : Math.round(performance.now() - started) };
    },
    async problem(text) {
      const unfit = urlProblem(text, policy);
      if (unfit !== null) return unfit;
      const url = new URL(text);
      const resolving = deadlineIn(deadlines.connect_ms);
      const found = await addressesOf(url, resolve, resolving).finally(resolving.keep);
      const blocked = found.some((address) => isBlocked(address, url.hostname, policy));
      return blocked ? { code: "blocked_address", message: "must resolve to public addresses only" } : null;
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function deadlineIn(ms: number): Deadline {
  let passed = false;
  const pass = () => {
    passed = true;
    deadline.onPassed?.();
  };
  const timer = setTimeout(pass, ms);
  const deadline: Deadline = {
    get passed() {
      return passed;
    },
    onPassed: null,
    keep: () => clearTimeout(timer),
  };
  return deadline;
}

/** Every address of the URL's host; none when it does not resolve in time. */
async function addressesOf(url: URL, resolve: Resolve, deadline: Deadline): Promise<readonly string[]> {
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return [host];
  const late = new Promise<readonly string[]>((done) => {
    deadline.onPassed = () => done([]);
  });
  return await Promise.race([resolve(host), late]).catch(() => []);
}

/** Calls the addresses in turn until one is reached, each by a kept connection if there is one and it may be tried. */
async function callFirst(
  addresses: readonly string[],
  repeatable: boolean,
  call: (address: string, kept: boolean) => Promise<Called>,
): Promise<Result> {
  let result = failure("connect_error", "Nothing was called.");
  for (const address of addresses) {
    let called = await call(address, repeatable);
    // The kept connection was closed as the request was on its way: that says nothing of the other side.
    if (called.stale) called = await call(address, false);
    result = { ...called.result, ip_address: address };
    if (called.reached) break;
  }
  return result;
}

/** Writes one request and reads the answer. */
function exchange(call: Call): Promise<Called> {
  const { url, connecting, deadlines, outgoing } = call;
  const secure = url.protocol === "https:";
  return new Promise((resolve) => {
    const request = (secure ? https : http).request(requestOptions(call));
    let stage: "dialling" | "securing" | "waiting" | "reading" = "dialling";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (result: Result, stale = false) => {
      clearTimeout(timer);
      connecting.onPassed = null;
      resolve({ result, reached: stage !== "dialling" || connecting.passed, stale });
    };
    const fail = (code: OutboundErrorCode, message: string, stale = false) => {
      settle(failure(code, message), stale);
      request.destroy();
    };
    const tooLate = () => fail("timeout", "The connection did not stand in time.");
    const connected = () => {
      stage = "waiting";
      connecting.onPassed = null;
      timer = setTimeout(() => fail("timeout", "There was no answer in time."), deadlines.headers_ms);
    };
    connecting.onPassed = tooLate;
    if (connecting.passed) tooLate();
    request.on("socket", (socket) => {
      if (request.reusedSocket) return connected();
      socket.once("connect", secure ? () => (stage = "securing") : connected);
      if (secure) socket.once("secureConnect", connected);
    });
    request.on("error", (error) => {
      if (stage === "reading") return; // The answer is there; its body ends early, which `readBody` sees.
      const stale = request.reusedSocket && stage === "waiting" && !connecting.passed;
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
      readBody(response, outgoing.body_bytes_max, deadlines.body_ms, (body, complete) => {
        settle(answerOf(response, body, complete));
        if (!complete) request.destroy();
      });
    });
    // As text it is written in one piece with the headers.
    request.end(outgoing.body ?? undefined);
  });
}

function requestOptions({ url, address, outgoing, agent, authorities }: Call): https.RequestOptions {
  const host = bareHost(url.hostname);
  return {
    host: address,
    port: portOf(url),
    path: url.pathname + url.search,
    method: outgoing.method,
    headers: { ...outgoing.headers, host: url.host, ...lengthOf(outgoing.body) },
    agent,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: true, // Said aloud, so that no setting of the environment can switch the check off.
    ...(authorities !== undefined && { ca: authorities }),
  };
}

const lengthOf = (body: string | null) => (body === null ? {} : { "content-length": Buffer.byteLength(body) });

/** Reads a body up to its cap or deadline, and tells once what came and whether that was all. */
function readBody(
  response: http.IncomingMessage,
  bytes_max: number,
  body_ms: number,
  tell: (body: Uint8Array, complete: boolean) => void,
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
    if (bytes > bytes_max) stop(false);
  });
  response.on("end", () => stop(true));
  response.on("error", () => stop(false));
  response.on("close", () => stop(false));
}

function answerOf(response: http.IncomingMessage, body: Uint8Array, complete: boolean): Result {
  const headers: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(response.headers)) {
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  const answer = { status_code: response.statusCode ?? 0, headers, body, complete };
  return { answer, error: null, ip_address: null };
}

const failure = (code: OutboundErrorCode, message: string): Result => ({
  answer: null,
  error: { code, message },
  ip_address: null,
});

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
