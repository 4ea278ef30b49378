// One attempt at one delivery over the network, and what the log keeps of it.
import type { Deadlines } from "../../outbound/connection.ts";
import type { AddressPolicy, UrlProblem } from "../../outbound/destination.ts";
import { createOutbound, type Outcome, type Resolve } from "../../outbound/outbound.ts";
import type { Answered, TalkOver } from "../../outbound/talk.ts";
import type { AttemptError, AttemptResult } from "../attempt.ts";

export interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly deadlines?: Deadlines;
  readonly resolve?: Resolve;
  /** Authorities to trust instead of the system's, in PEM. */
  readonly authorities?: string;
  readonly talkOver?: TalkOver;
}

/** What is sent, and to whom. The host and the length are added to the headers. */
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

/** How long the parts of an attempt may take where nothing else is said. Its body changes nothing. */
export const default_deadlines: Deadlines = { connect_ms: 3000, headers_ms: 5000, body_ms: 1000 };
const body_bytes_max = 16 * 1024;
const body_bytes_kept_max = 4 * 1024;
const header_characters_kept_max = 500;
const message_characters_max = 300;

const kept_headers = [
  ...["content-type", "content-length", "content-encoding", "date", "location", "retry-after", "server", "via"],
  ...["webhook-delivery", "x-request-id", "x-correlation-id", "cf-ray", "x-amzn-requestid", "traceparent"],
];

/** A sender for the receivers that the policy allows. It keeps connections open between attempts. */
export function createSender({ deadlines = default_deadlines, ...options }: SenderOptions): Sender {
  const outbound = createOutbound({ ...options, deadlines });
  return {
    async send(sending) {
      // Receivers know an event by its id, so that it may arrive twice.
      return resultOf(await outbound.call({ ...sending, method: "POST", body_bytes_max, repeatable: true }));
    },
    problem: outbound.problem,
    close: outbound.close,
  };
}

function resultOf({ answer, error, ip_address, duration_ms }: Outcome): AttemptResult {
  if (answer !== null) return { ...kept(answer), ip_address, duration_ms };
  const message = printable(error.message).slice(0, message_characters_max);
  return {
    ...{ status_code: null, headers: {}, body: null, truncated: false },
    error: { code: error.code, message },
    ...{ ip_address, duration_ms },
  };
}

function kept({ status_code, headers, body, complete }: Answered) {
  const lines: Record<string, string> = {};
  for (const name of kept_headers) {
    const value = headers[name];
    if (value !== undefined) lines[name] = printable(value).slice(0, header_characters_kept_max);
  }
  return {
    status_code,
    headers: lines,
    body: excerpt(body),
    truncated: !complete || body.length > body_bytes_kept_max,
    error: httpError(status_code),
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
  const text = printable(decode(bytes.subarray(0, body_bytes_kept_max)));
  // What was no UTF-8 has grown by its replacement characters.
  const grown = Buffer.byteLength(text) > body_bytes_kept_max;
  return grown ? decode(Buffer.from(text).subarray(0, body_bytes_kept_max)) : text;
}

// `stream` leaves out a character whose end is missing.
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });

/** A text without NUL, which not every database can keep. */
const printable = (text: string): string => text.replaceAll("\u0000", "\ufffd");
