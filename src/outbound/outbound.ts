// The HTTP client for URLs that others chose. A name is resolved once, and the checked address is the one called. Each
// wait and each read has a limit, certificates are always checked, redirects and proxies are never used.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { memoized } from "../core/memoize.ts";
import {
  type ConnectionFailure,
  ConnectionPool,
  type ConnectionTimeouts,
  type ExchangeReply,
  type HttpConnection,
  type WrittenRequest,
} from "./connections.ts";
import {
  type AddressPolicy,
  bareHost,
  default_ports,
  isBlocked,
  notPublic,
  portOf,
  type UrlProblem,
  urlProblem,
} from "./destination.ts";
import type { ReceivedResponse } from "./response_reader.ts";

/** Finds every address of a host name. Rejects if there is none. */
type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Which addresses a client calls, and how. */
export interface OutboundOptions {
  readonly policy: AddressPolicy;
  readonly deadlines: ConnectionTimeouts;
  readonly resolve?: ResolveHost | undefined;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities?: string | undefined;
}

/** A request. `Host`, `Content-Length` and `Connection` are added to the headers. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for no body. */
  readonly body: string | null;
  /** The maximum size of the response's body. */
  readonly body_bytes_max: number;
  /** Whether a retry is harmless. A request that is not repeatable is sent once, on its own connection. */
  readonly repeatable: boolean;
  /** Timeout for the response's head, and again for its body, instead of the client's. */
  readonly answer_ms?: number;
}

/** Why there is no response. */
type OutboundErrorCode = "dns_error" | "blocked_address" | ConnectionFailure["code"];

/** A failure without a response. */
interface OutboundFailure {
  readonly code: OutboundErrorCode;
  readonly message: string;
  /** Whether the request was sent, so that it may have taken effect. */
  readonly written: boolean;
}

/** A response or an error, and the address that was called, if any. */
type OutboundResult = { readonly ip_address: string | null } & (
  | { readonly answer: ReceivedResponse; readonly error: null }
  | { readonly answer: null; readonly error: OutboundFailure }
);

/** The result of a request. The duration is null where it would reveal something about the operator's network. */
export type OutboundOutcome = OutboundResult & { readonly duration_ms: number | null };

/** An HTTP client. */
export interface Outbound {
  /** Makes one request. Never rejects: errors are part of the outcome. */
  call(outgoing: OutgoingRequest): Promise<OutboundOutcome>;
  /** Why a client may not use this URL, by its text and its host's addresses, or null. An unknown host is allowed. */
  problem(url: string): Promise<UrlProblem | null>;
  /** Closes every connection; a request in progress ends with an error. */
  close(): void;
}

/** The parts of a URL. */
interface OutboundTarget {
  readonly secure: boolean;
  /** The value of the header `Host`. */
  readonly authority: string;
  /** As in the URL, with IPv6 addresses in brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly path: string;
}

const systemResolve: ResolveHost = async (host) => {
  const addresses = await lookup(host, { all: true, verbatim: true });
  return addresses.map(({ address }) => address);
};

/** Creates a client that calls only addresses that the policy allows. It reuses connections. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { policy, deadlines, resolve = systemResolve, authorities } = options;
  const connections = new ConnectionPool();

  const targetOf = memoized((text: string) => {
    const problem = urlProblem(text, policy);
    return problem === null ? { target: readTarget(text), problem } : { target: null, problem };
  });

  /** Calls one address, on an idle connection if there is one and the request is repeatable. */
  async function callOne(
    address: string,
    target: OutboundTarget,
    outgoing: OutgoingRequest,
    until: number,
  ): Promise<ExchangeReply> {
    const { port, secure, hostname } = target;
    const request = writtenRequest(target, outgoing);
    const peer = { address, port, secure, hostname, authorities };
    const timeouts = limitsOf(outgoing, deadlines);
    const ask = async (connection: HttpConnection) => {
      const reply = await connection.ask(request, { ...timeouts, connect_ms: until - performance.now() });
      if (outgoing.repeatable) connections.keep(peer, connection);
      else connection.close();
      return reply;
    };
    const idle = outgoing.repeatable ? connections.take(peer) : null;
    if (idle === null) return await ask(connections.dial(peer));
    const reply = await ask(idle);
    // An idle connection may be closed while the request is sent, which does not mean that the other side is down.
    const retry = reply.lost?.code === "connect_error" && performance.now() < until;
    return retry ? await ask(connections.dial(peer)) : reply;
  }

  async function attempt(outgoing: OutgoingRequest, until: number): Promise<OutboundResult> {
    const { target, problem } = targetOf(outgoing.url);
    if (target === null) return failure("blocked_address", `The address ${problem.message}.`);
    const addresses = await addressesOf(target.hostname, resolve, deadlines.connect_ms);
    const refusal = refusalOf(addresses, target.hostname, policy);
    if (refusal !== null) return refusal;
    let result = failure("connect_error", "Nothing was called.");
    // Try the addresses in order until one accepts the connection.
    for (const address of addresses ?? []) {
      const { answer, lost } = await callOne(address, target, outgoing, until);
      const outcome =
        answer === null ? failureOf(showsPort(lost, target, policy) ? hidden(lost) : lost) : { answer, error: null };
      result = { ...outcome, ip_address: address };
      if (lost?.stage !== "dialling" || performance.now() >= until) break;
    }
    return result;
  }

  return {
    async call(outgoing) {
      const started = performance.now();
      const until = started + deadlines.connect_ms;
      const result = await attempt(outgoing, until).catch((error: unknown) => failure("connect_error", reason(error)));
      const is_untimed = result.error?.code === "blocked_address" || result.error?.message === hidden_message;
      return { ...result, duration_ms: is_untimed ? null : Math.round(performance.now() - started) };
    },
    async problem(text) {
      const { target, problem } = targetOf(text);
      if (target === null) return problem;
      const addresses = (await addressesOf(target.hostname, resolve, deadlines.connect_ms)) ?? [];
      const blocked = addresses.some((address) => isBlocked(address, target.hostname, policy));
      return blocked ? notPublic(policy) : null;
    },
    close: () => connections.close(),
  };
}

/**
 * Whether to hide from a merchant why there is no response, because it would show which ports of a machine are open:
 * for a failed TCP connection and, on other ports than the default ones, for every failure.
 */
const showsPort = ({ stage }: ConnectionFailure, { port }: OutboundTarget, { chosen_by }: AddressPolicy): boolean =>
  chosen_by === "merchant" && (stage === "dialling" || !default_ports.includes(port));

const hidden_message = "No connection was established.";

const hidden = ({ stage }: ConnectionFailure): ConnectionFailure => ({
  code: "connect_error",
  message: hidden_message,
  stage,
});

function readTarget(text: string): OutboundTarget {
  const url = new URL(text);
  return {
    secure: url.protocol === "https:",
    authority: url.host,
    hostname: url.hostname,
    port: portOf(url),
    path: url.pathname + url.search,
  };
}

const limitsOf = ({ answer_ms }: OutgoingRequest, deadlines: OutboundOptions["deadlines"]) =>
  answer_ms === undefined ? deadlines : { headers_ms: answer_ms, body_ms: answer_ms };

/** Why none of a host's addresses may be called, or null. `addresses` is null if the name did not resolve in time. */
function refusalOf(
  addresses: readonly string[] | null,
  hostname: string,
  policy: OutboundOptions["policy"],
): OutboundResult | null {
  if (addresses === null) return failure("timeout", "The host name was not resolved in time.");
  if (addresses.length === 0) return failure("dns_error", "The host name has no address.");
  const blocked = addresses.some((address) => isBlocked(address, hostname, policy));
  return blocked ? failure("blocked_address", `The address ${notPublic(policy).message}.`) : null;
}

/** Every address of a URL's host, or null if it does not resolve in time. */
async function addressesOf(hostname: string, resolve: ResolveHost, ms: number): Promise<readonly string[] | null> {
  const host = bareHost(hostname);
  if (isIP(host) !== 0) return [host];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), ms);
  });
  return await Promise.race([resolve(host).catch(() => []), late]).finally(() => clearTimeout(timer));
}

/** A request as it is sent. Throws if a header has invalid characters. */
function writtenRequest(
  { path, authority }: OutboundTarget,
  { method, headers: own, body, ...outgoing }: OutgoingRequest,
): WrittenRequest {
  const headers: (readonly [string, string])[] = [["Host", authority]];
  for (const name in own) {
    const value = own[name] ?? "";
    if (invalid_value.test(value)) throw new Error(`The header ${name} contains invalid characters.`);
    headers.push([name, value]);
  }
  if (body !== null) headers.push(["Content-Length", String(Buffer.byteLength(body))]);
  headers.push(["Connection", outgoing.repeatable ? "keep-alive" : "close"]);
  return { method, path, headers, body, body_bytes_max: outgoing.body_bytes_max };
}

// RFC 9110, section 5.5: visible ASCII, spaces and tabs.
const invalid_value = /[^\t\x20-\x7e]/;

const failure = (code: OutboundErrorCode, message: string, written = false): OutboundResult => ({
  answer: null,
  error: { code, message, written },
  ip_address: null,
});

const failureOf = ({ code, message, stage }: ConnectionFailure): OutboundResult =>
  failure(code, message, stage === "waiting" || stage === "reading");

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
