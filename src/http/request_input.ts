// The input of a request: its head, its body, as text and parsed, and its query. JSON is read strictly.
import { estimateShallowMemoryUsageOf as bytesHeld } from "bun:jsc";
import { type ParseErrorCode, visit } from "jsonc-parser";
import { isExactNumber } from "../core/decimals.ts";
import { Fault, invalidFields } from "../core/faults.ts";

const head_bytes_max = 16 << 10;
const headers_max = 100;

// Adding up the headers of each request would cost up to a microsecond, while their size in memory is known at once. It
// is never less than their values and uncommon names; all common names together have less than 8 KiB.
const large_bytes = head_bytes_max >> 1;

/**
 * Refuses a request whose head is too large, has too many headers or names no single host, without which links would be
 * broken.
 * Refuses: headers_too_large, malformed_header.
 */
export function refuseHead(request: Request): void {
  const { headers, url } = request;
  if (headers.count > headers_max) {
    throw new Fault("headers_too_large", `The request has more than ${headers_max} headers.`);
  }
  if (bytesHeld(headers) + url.length > large_bytes && headBytes(request) > head_bytes_max) {
    const message = `The request line and headers exceed ${head_bytes_max} bytes.`;
    throw new Fault("headers_too_large", message);
  }
  const host = headers.get("host");
  if (host !== null && !isHost(host)) throw new Fault("malformed_header", "The Host header must name one host.");
}

/** Whether a text is a valid `Host` header: a name or an address, and optionally a port. */
function isHost(text: string): boolean {
  return /^([A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/.test(text);
}

/** The size of a head in bytes, as HTTP/1.1 writes it. Headers with the same name are combined into one. */
function headBytes({ method, url, headers }: Request): number {
  const target = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  let bytes = `${method} ${target} HTTP/1.1\r\n\r\n`.length;
  headers.forEach((value, name) => {
    bytes += `${name}: ${value}\r\n`.length;
  });
  return bytes;
}

interface RequestPath {
  /** The path after the version: `/orders/ord_1042` for both `/v1/…` and `/api/v1/…`. */
  readonly path: string;
  /** Whether the path starts with a version of the API. Few do not. */
  readonly versioned: boolean;
}

/** Parses the path of a URL. */
export function requestPathOf(url: string): RequestPath {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", from);
  const path = from < 0 ? "/" : url.slice(from, query < 0 ? undefined : query);
  const version = path.startsWith("/api/v1") ? "/api/v1" : "/v1";
  // A version alone is not a path below it: `/` is the service's home page.
  if (path === version || path === `${version}/`) return { path, versioned: true };
  if (path.startsWith(`${version}/`)) return { path: path.slice(version.length), versioned: true };
  return { path, versioned: false };
}

/** The paths of repeated fields in valid JSON text, such as `line_items[0].quantity`. */
function repeatedFields(text: string): string[] {
  const found = new Set<string>();
  for (const { open, name } of tokensOf(text)) {
    const names = open.at(-1)?.names;
    if (name === null || !names) continue;
    if (names.has(name)) found.add(pathOf(open));
    names.add(name);
  }
  return [...found];
}

// Numbers of up to 15 digits are always exact, so most texts need no closer check.
const longNumber = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The paths of numbers in valid JSON text, within a field of this name, that would lose digits. */
function inexactNumbers(text: string, below: string): string[] {
  if (!longNumber.test(text)) return [];
  const found: string[] = [];
  for (const { open, token } of tokensOf(text)) {
    if (!/^[-\d]/.test(token) || isExactNumber(token)) continue;
    if (open.some(({ name }, at) => name === below && at < open.length - 1)) found.push(pathOf(open));
  }
  return found;
}

/** An object or list that is still open, and the current position in it. */
interface JsonContainer {
  /** The names seen so far in an object; null for a list. */
  readonly names: Set<string> | null;
  name: string;
  index: number;
}

/** A punctuation mark, text or number of JSON. `name` is set for the name of a field. */
interface JsonToken {
  readonly token: string;
  readonly open: readonly JsonContainer[];
  readonly name: string | null;
}

function* tokensOf(text: string): Iterable<JsonToken> {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*/g) ?? [];
  const open: JsonContainer[] = [];
  for (const [at, token] of tokens.entries()) {
    const inner = open.at(-1);
    let name: string | null = null;
    if (token === "{") open.push({ names: new Set(), name: "", index: 0 });
    else if (token === "[") open.push({ names: null, name: "", index: 0 });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && inner !== undefined) inner.index += 1;
    else if (inner?.names && tokens[at + 1] === ":") {
      name = JSON.parse(token) as string;
      inner.name = name;
    }
    yield { token, open, name };
  }
}

function pathOf(open: readonly JsonContainer[]): string {
  return open.reduce((path, { names, name, index }) => {
    if (names === null) return `${path}[${index}]`;
    return path === "" ? name : `${path}.${name}`;
  }, "");
}

/** The first syntax error, with its position counted from 1. */
interface JsonSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

// A longer search would delay other requests.
const searched_max = 256 << 10;

// By the codes of `ParseErrorCode`, from 1.
const reasons = [
  "unknown word",
  "invalid number",
  "expected a field name in double quotes",
  "expected a value",
  "expected a colon",
  "expected a comma",
  "expected a closing brace",
  "expected a closing bracket",
  "unexpected text after the end",
  "comments are not allowed",
  "comments are not allowed",
  "missing closing quote",
  "incomplete number",
  "an escape needs four hexadecimal digits",
  "unknown escape",
  "control characters must be escaped",
];

/** Finds the first syntax error of invalid JSON; null when the text is too long to search. */
function findSyntaxError(text: string): JsonSyntaxError | null {
  if (text.length > searched_max) return null;
  let found: JsonSyntaxError | null = null;
  const onError = (code: ParseErrorCode, _: number, __: number, line: number, column: number) => {
    found = { line: line + 1, column: column + 1, reason: reasons[code - 1] ?? "invalid JSON" };
    throw new Error("the first error is enough");
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // The first error was found, or the text is nested too deep to search.
  }
  return found;
}

const json_bytes_max = 1 << 20;
const json_depth_max = 32;
const csv_bytes_max = 10 << 20;
const notification_bytes_max = 256 << 10;
const file_bytes_max = 5 << 20;
// What a form adds to its file.
const form_bytes_max = 16 << 10;

/** A kind of request body. */
export interface BodyKind {
  readonly name: string;
  readonly media_type: string;
  readonly type: RegExp;
  readonly bytes_max: number;
}

export const json: BodyKind = {
  name: "JSON",
  media_type: "application/json",
  type: /^application\/(json|[\w.-]+\+json)\s*(;|$)/i,
  bytes_max: json_bytes_max,
};
export const csv: BodyKind = {
  name: "CSV",
  media_type: "text/csv",
  type: /^text\/csv\s*(;|$)/i,
  bytes_max: csv_bytes_max,
};
const form = /^application\/x-www-form-urlencoded\s*(;|$)/i;
/** What a platform sends: JSON. Its first request may be a form that only tests whether the URL responds. */
const notification: BodyKind = {
  name: "notification",
  media_type: "application/json",
  type: new RegExp(`${json.type.source}|${form.source}`, "i"),
  bytes_max: notification_bytes_max,
};

/** An uploaded file: the body itself, or a form with it. Its type is that of its content, whatever is declared. */
export const file: BodyKind = {
  name: "file",
  media_type: "application/octet-stream",
  type: /^(?:application\/(?:octet-stream|pdf|zpl)|multipart\/form-data|image\/[\w.+-]+)\s*(;|$)/i,
  bytes_max: file_bytes_max + form_bytes_max,
};

/** The body of an upload whose file has at most this size. */
export const fileUpTo = (bytes_max: number): BodyKind => ({ ...file, bytes_max: bytes_max + form_bytes_max });

/** The kinds of bodies, by the names that routes use. */
export const bodyKinds = { json, csv, notification, file } as const;

/** The name of a kind of body. */
export type BodyKindName = keyof typeof bodyKinds;

/** Whether a body is declared as JSON, for kinds that also accept something else. */
export function isDeclaredJson(request: Request): boolean {
  return json.type.test(request.headers.get("content-type") ?? "");
}

/**
 * Reads a body as text, empty when there is none. Never reads more than the kind's limit.
 * Refuses: payload_too_large, unsupported_media_type, malformed_request.
 */
export async function readText(request: Request, kind: BodyKind): Promise<string> {
  try {
    return utf8.decode(await readBody(request, kind));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("malformed_request", "The body is not valid UTF-8.");
  }
}

/**
 * Reads the bytes of a body, none when there is none.
 * Refuses: payload_too_large, unsupported_media_type, malformed_request when it is cut off.
 */
export async function readBody(request: Request, kind: BodyKind): Promise<Uint8Array> {
  const bytes = await readBytes(request, kind);
  if (bytes.byteLength === 0) return bytes;
  if (!kind.type.test(request.headers.get("content-type") ?? "")) {
    throw new Fault("unsupported_media_type", `Send the body as Content-Type: ${kind.media_type}.`);
  }
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    throw new Fault("unsupported_media_type", "Send the body uncompressed, without Content-Encoding.");
  }
  return bytes;
}

/** Refuses a body whose declared length is too large, before reading it. Refuses: payload_too_large. */
export function refuseSize(request: Request, kind: BodyKind): void {
  if (Number(request.headers.get("content-length") ?? 0) > kind.bytes_max) throw tooLarge(kind);
}

const tooLarge = ({ name, bytes_max }: BodyKind) =>
  new Fault("payload_too_large", `The ${name} body exceeds ${bytes_max} bytes.`);

async function readBytes(request: Request, kind: BodyKind): Promise<Uint8Array> {
  const { bytes_max } = kind;
  try {
    if (request.headers.get("content-length") !== null) return await request.bytes();
    // The length of a chunked body is not known in advance.
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > bytes_max) throw tooLarge(kind);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("malformed_request", "The body is incomplete.");
  }
}

// A byte order mark is kept, since signatures of the body cover it.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Removes a leading byte order mark. */
const withoutMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

/**
 * Parses JSON strictly: no repeated fields, at most 32 levels, no lone surrogates.
 * Refuses: malformed_request, validation_failed (with the repeated fields).
 */
export function parseJson(body: string): unknown {
  const text = withoutMark(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw brokenJson(text);
  }
  const { depth, members } = measure(text);
  if (depth > json_depth_max) {
    throw new Fault("malformed_request", `The body is nested more than ${json_depth_max} levels deep.`);
  }
  // An escape such as \ud800 can produce text that UTF-8 cannot encode; two such texts could share a key.
  if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(value)) {
    throw new Fault("malformed_request", "The body contains a lone surrogate.");
  }
  // This parser keeps one value of a repeated field; another parser might keep the other.
  if (members !== membersOf(value)) throw invalidFields(repeatedFields(text).map(repeated));
  return value;
}

function brokenJson(text: string): Fault {
  const found = findSyntaxError(text);
  if (found === null) return new Fault("malformed_request", "The body is not valid JSON.");
  const { line, column, reason } = found;
  const where = `at line ${line}, column ${column}`;
  return new Fault("malformed_request", `The body is not valid JSON ${where}: ${reason}.`, { line, column });
}

/** Refuses numbers in metadata that would lose digits when stored. Refuses: validation_failed. */
export function refuseInexact(text: string): void {
  const places = inexactNumbers(text, "metadata");
  const message = "has more digits than can be stored; send it as text";
  if (places.length > 0) throw invalidFields(places.map((field) => ({ field, code: "inexact_number", message })));
}

/** Parses a query. Refuses: validation_failed, when a parameter is repeated: a value would be lost silently. */
export function readQuery(text: string): Record<string, string> {
  const query = new Map<string, string>();
  const repeated_names = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (query.has(name)) repeated_names.add(name);
    query.set(name, value);
  }
  if (repeated_names.size > 0) throw invalidFields([...repeated_names].map(repeated));
  return Object.fromEntries(query);
}

const repeated = (field: string) => ({ field, code: "repeated", message: "occurs more than once" });

/** Whether any text or field name in the value contains a lone surrogate. */
function hasLoneSurrogate(value: unknown): boolean {
  // JSON.stringify leaves surrogate pairs as they are and escapes lone surrogates.
  return /(?<!\\)(?:\\\\)*\\ud/.test(JSON.stringify(value));
}

/** The deepest nesting of valid JSON text and the number of its objects' members, without recursion. */
function measure(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (quoted) {
      if (letter === 0x5c) at += 1;
      else if (letter === 0x22) quoted = false;
    } else if (letter === 0x22) quoted = true;
    else if (letter === 0x3a) members += 1;
    else if (letter === 0x7b || letter === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (letter === 0x7d || letter === 0x5d) depth -= 1;
  }
  return { depth: deepest, members };
}

/** The number of members of all objects in a value of limited depth. */
function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersOf(item);
  else {
    for (const name of Object.keys(value)) {
      members += 1 + membersOf((value as Record<string, unknown>)[name]);
    }
  }
  return members;
}
