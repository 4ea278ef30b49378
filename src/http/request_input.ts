// What the text of JSON shows beyond its value: repeated fields, numbers that would lose digits, syntax errors.
import { type ParseErrorCode, visit } from "jsonc-parser";
import { isExactNumber } from "../core/decimals.ts";
import { Fault, invalidFields } from "../core/faults.ts";

/** The places in valid JSON text where a field is given that its object has already: `line_items[0].quantity`. */
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

// Numbers of up to 15 digits are always exact, so most texts need no closer look.
const longNumber = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The places in valid JSON text, below a field of this name, of numbers that cannot be shown again as they are. */
function inexactNumbers(text: string, below: string): string[] {
  if (!longNumber.test(text)) return [];
  const found: string[] = [];
  for (const { open, token } of tokensOf(text)) {
    if (!/^[-\d]/.test(token) || isExactNumber(token)) continue;
    if (open.some(({ name }, at) => name === below && at < open.length - 1)) found.push(pathOf(open));
  }
  return found;
}

/** An object or list that is not closed yet, and where in it the text is. */
interface JsonContainer {
  /** The names an object has had so far; null for a list. */
  readonly names: Set<string> | null;
  name: string;
  index: number;
}

/** A sign, text or number of JSON; `name` is set when it is the name of a field. */
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

/** Where the first syntax error is, counted from 1, and what it is. */
interface JsonBreak {
  readonly line: number;
  readonly column: number;
  readonly why: string;
}

// A longer search would delay other requests.
const looked_through_max = 256 << 10;

// By the codes of `ParseErrorCode`, from 1.
const reasons = [
  "JSON knows no such word",
  "this is no number",
  "the name of a field is expected, in double quotes",
  "a value is expected",
  "a colon is expected",
  "a comma is expected",
  "a closing brace is expected",
  "a closing bracket is expected",
  "nothing more is expected",
  "JSON has no comments",
  "JSON has no comments",
  "a text has no closing quote in its line",
  "a number is not complete",
  "an escape needs four hexadecimal digits",
  "there is no such escape",
  "a control character must be written as an escape",
];

/** Finds the first syntax error of a text that is not JSON; null when the text is too long to search. */
function findBreak(text: string): JsonBreak | null {
  if (text.length > looked_through_max) return null;
  let found: JsonBreak | null = null;
  const onError = (code: ParseErrorCode, _: number, __: number, line: number, column: number) => {
    found = { line: line + 1, column: column + 1, why: reasons[code - 1] ?? "this is no JSON" };
    throw new Error("the first break is enough");
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // The first error was found, or the text is nested too deep to be searched.
  }
  return found;
}

// What a request sends: its body, as text and parsed, and the parameters of its query.

const json_bytes_max = 1 << 20;
const json_depth_max = 32;
const csv_bytes_max = 10 << 20;
const notification_bytes_max = 256 << 10;

/** What a body may be. */
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
/** What a platform sends: JSON, and before the first of it a form that only tests whether the address answers. */
const notification: BodyKind = {
  name: "notification",
  media_type: "application/json",
  type: new RegExp(`${json.type.source}|${form.source}`, "i"),
  bytes_max: notification_bytes_max,
};

/** The kinds of bodies, by the names that routes give them. */
export const bodyKinds = { json, csv, notification } as const;

/** The name of a kind of body. */
export type BodyKindName = keyof typeof bodyKinds;

/** Whether the body of a request says that it is JSON, of a kind that may be something else as well. */
export function saysJson(request: Request): boolean {
  return json.type.test(request.headers.get("content-type") ?? "");
}

/**
 * The text of a body, empty when there is none. No more is read than the kind may have, however much is sent.
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
 * The bytes of a body, none when there is none.
 * Refuses: payload_too_large, unsupported_media_type, malformed_request when it breaks off.
 */
export async function readBody(request: Request, kind: BodyKind): Promise<Uint8Array> {
  const bytes = await readBytes(request, kind);
  if (bytes.byteLength === 0) return bytes;
  if (!kind.type.test(request.headers.get("content-type") ?? "")) {
    throw new Fault("unsupported_media_type", `Send the body as Content-Type: ${kind.media_type}.`);
  }
  if (!/^(identity)?$/i.test(request.headers.get("content-encoding") ?? "")) {
    throw new Fault("unsupported_media_type", "Send the body as it is, without a Content-Encoding.");
  }
  return bytes;
}

/** Refuses a body that says itself that it is too long, before anything of it is read. Refuses: payload_too_large. */
export function refuseSize(request: Request, kind: BodyKind): void {
  if (Number(request.headers.get("content-length") ?? 0) > kind.bytes_max) throw tooLarge(kind);
}

const tooLarge = ({ name, bytes_max }: BodyKind) =>
  new Fault("payload_too_large", `A ${name} body may have at most ${bytes_max} bytes.`);

async function readBytes(request: Request, kind: BodyKind): Promise<Uint8Array> {
  const { bytes_max } = kind;
  try {
    if (request.headers.get("content-length") !== null) return await request.bytes();
    // The length of a body in chunks is not known in advance.
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
    throw new Fault("malformed_request", "The body ended too early.");
  }
}

// A byte order mark is kept: who signs a body signs it as well.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A text without the byte order mark that it may begin with. */
const withoutMark = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text);

/**
 * Reads JSON strictly: no repeated field, at most 32 levels, no half of a surrogate pair.
 * Refuses: malformed_request, validation_failed (with the fields that are repeated).
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
    throw new Fault("malformed_request", `JSON may be nested ${json_depth_max} levels deep.`);
  }
  // An escape such as \ud800 can make text that no UTF-8 can carry; two such texts could share a key.
  if (/\\u[dD][89a-fA-F]/.test(text) && holdsHalfPair(value)) {
    throw new Fault("malformed_request", "The body holds half of a surrogate pair.");
  }
  // Of a repeated field this parser keeps one value; another parser might keep the other.
  if (members !== membersOf(value)) throw invalidFields(repeatedFields(text).map(repeated));
  return value;
}

function brokenJson(text: string): Fault {
  const found = findBreak(text);
  if (found === null) return new Fault("malformed_request", "The body is not valid JSON.");
  const { line, column, why } = found;
  const where = `at line ${line}, column ${column}`;
  return new Fault("malformed_request", `The body is not valid JSON ${where}: ${why}.`, { line, column });
}

/** Refuses numbers in metadata that would lose digits when they are stored. Refuses: validation_failed. */
export function refuseInexact(text: string): void {
  const places = inexactNumbers(text, "metadata");
  const message = "is a number of more digits than can be kept; send it as text";
  if (places.length > 0) throw invalidFields(places.map((field) => ({ field, code: "inexact_number", message })));
}

/** The parameters of a query. Refuses: validation_failed, when one is repeated: a value would be lost silently. */
export function readQuery(text: string): Record<string, string> {
  const query = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (query.has(name)) twice.add(name);
    query.set(name, value);
  }
  if (twice.size > 0) throw invalidFields([...twice].map(repeated));
  return Object.fromEntries(query);
}

const repeated = (field: string) => ({ field, code: "repeated", message: "is given more than once" });

/** Whether any text in the value, or any name of a field, holds half of a surrogate pair. */
function holdsHalfPair(value: unknown): boolean {
  // JSON.stringify leaves whole pairs as they are and writes a half as an escape.
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

/** The number of members of all objects in a value that is not nested too deep. */
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
