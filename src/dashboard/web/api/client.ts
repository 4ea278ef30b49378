// The only place that calls the server.
import { signal } from "@preact/signals";
import { tabEnvironment } from "../browser/router.ts";
import { words } from "../text/common.ts";
import { merchantAsked } from "./merchants.ts";
import { ApiProblem, unreachable } from "./problem.ts";

/** Query parameters. Undefined, null and empty text are left out. */
export type Params = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The pagination of a list. */
export interface Pagination {
  readonly page?: number;
  readonly limit: number;
  readonly total?: number;
  readonly total_pages?: number;
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** A response of the API: its data with pagination, ETag and status. */
export interface ApiReply<Data> {
  readonly data: Data;
  readonly pagination: Pagination | null;
  readonly etag: string | null;
  readonly status: number;
}

/** The options of a request. */
interface RequestOptions {
  readonly params?: Params | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The `ETag` for `If-Match`: the API refuses the change if someone else changed the resource since. */
  readonly match?: string | null | undefined;
  /** The `Idempotency-Key`: the same for each try of one action. By default a new one per request; null for none. */
  readonly key?: string | null | undefined;
  /** The merchant's code; null for all. By default that of the page. */
  readonly merchant?: string | null | undefined;
}

/** Whether the last request could not reach the server. */
export const offline = signal(false);

/** When the server sent its last response (ms), by its clock and to the second. */
export const last_response = signal({ sent_at: Number.NaN });

/** Whether the session has ended. The shell then asks the user to sign in. */
export const signedOut = signal(false);

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** A new idempotency key. Works on plain http, where `crypto.randomUUID` does not. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The address of a path: below the version of the API, or as it is for the routes that only the dashboard uses. */
const addressOf = (path: string) => (path.startsWith("/dashboard/api/") ? path : `/v1${path}`);

/** A path with its parameters. */
export function withParams(path: string, params: Params = {}): string {
  const present = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  if (present.length === 0) return path;
  return `${path}?${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}`;
}

interface RequestContent {
  readonly method: Method;
  readonly body?: BodyInit | undefined;
  readonly type?: string;
  readonly accept?: string;
}

async function request(
  address: string,
  { method, body, type, accept }: RequestContent,
  sending: RequestOptions,
): Promise<Response> {
  const headers = new Headers({ accept: accept ?? "application/json" });
  if (tabEnvironment.peek() === "test") headers.set("packhouse-mode", "test");
  const { merchant = merchantAsked.peek()?.code ?? null } = sending;
  if (merchant !== null) headers.set("packhouse-merchant", merchant);
  if (type !== undefined) headers.set("content-type", type);
  if (method !== "GET" && sending.key !== null) headers.set("idempotency-key", sending.key ?? newKey());
  if (sending.match) headers.set("if-match", sending.match);
  const init: RequestInit = { method, headers, credentials: "same-origin", cache: "no-cache" };
  if (body !== undefined) init.body = body;
  if (sending.signal !== undefined) init.signal = sending.signal;
  let response: Response;
  try {
    response = await fetch(withParams(address, sending.params), init);
  } catch (error) {
    if (sending.signal?.aborted) throw error;
    offline.value = true;
    throw unreachable(words.unreachable);
  }
  offline.value = false;
  last_response.value = { sent_at: Date.parse(response.headers.get("date") ?? "") };
  if (response.ok) return response;
  const problem = new ApiProblem(response.status, await response.json().catch(() => null));
  // A wrong current password also returns 401, but that user is still signed in.
  const isOut = problem.code === "authentication_required" && !address.startsWith("/dashboard/api/");
  if (isOut) signedOut.value = true;
  throw problem;
}

interface Bare<Data> {
  readonly data?: Data;
  readonly meta?: { readonly pagination?: Pagination };
  readonly pagination?: Pagination | null;
}

async function answerOf<Data>(response: Response): Promise<ApiReply<Data>> {
  const text = await response.text();
  const body = text === "" ? {} : JSON.parse(text);
  // Customers and sessions come without an envelope; their lists have the fields of `meta` at the top level.
  const { data = body, meta = {}, pagination = meta.pagination ?? null } = body as Bare<Data>;
  return { data: data as Data, pagination, etag: response.headers.get("etag"), status: response.status };
}

const written: ((path: string) => unknown)[] = [];

/** Calls `listener` with the path of each change that this tab makes. It may return a promise of its reads. */
export function onWritten(listener: (path: string) => unknown): void {
  written.push(listener);
}

/** The longest time that a change counts as unread, whatever its requests wait for. */
const unread_max_ms = 10_000;

/** The ETags of records that this tab is changing, until the records have been read again. */
const outdated = signal<readonly { readonly etag: string }[]>([]);

/** Whether this tab is changing the record that it shows with this ETag: a request with it would be refused. */
export function isOutdated(etag: string | null | undefined): boolean {
  return outdated.value.some((one) => one.etag === etag);
}

function setOutdated(etag: string): () => void {
  const change = { etag };
  const end = () => {
    clearTimeout(timer);
    outdated.value = outdated.peek().filter((one) => one !== change);
  };
  const timer = setTimeout(end, unread_max_ms);
  outdated.value = [...outdated.peek(), change];
  return end;
}

async function sendChange<Data>(
  path: string,
  content: RequestContent,
  sending: RequestOptions,
): Promise<ApiReply<Data>> {
  const end = sending.match ? setOutdated(sending.match) : () => {};
  try {
    const answer = await answerOf<Data>(await request(addressOf(path), content, sending));
    void Promise.allSettled(written.map((listener) => listener(path))).then(end);
    return answer;
  } catch (error) {
    end();
    throw error;
  }
}

function write<Data>(method: Method, path: string, body: unknown, sending: RequestOptions): Promise<ApiReply<Data>> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
  return sendChange(path, { method, ...json }, sending);
}

/** An event that an action would send, with the fields that would change. */
export interface RehearsedEvent {
  readonly type: string;
  readonly object: string;
  /** Its id, or the SKU of an `inventory_item`. */
  readonly id: string | null;
  readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

/** The outcome of a rehearsed action. */
export interface Rehearsal<Data> {
  readonly data: Data;
  readonly events: readonly RehearsedEvent[];
}

/** A request that changes something, as data. */
export interface ApiCall extends Pick<RequestOptions, "params" | "merchant"> {
  readonly method: Exclude<Method, "GET">;
  readonly path: string;
  readonly body?: unknown;
}

/** Sends a request. */
export function callApi<Data>({ method, path, body, ...call }: ApiCall, sending: RequestOptions = {}) {
  return write<Data>(method, path, body ?? (method === "POST" ? {} : undefined), { ...sending, ...call });
}

/** Rehearses a request: the API responds as it would, but changes nothing. */
export async function rehearse<Data>(call: ApiCall, sending: RequestOptions = {}): Promise<Rehearsal<Data>> {
  const { method, path, body, ...rest } = call;
  const json = body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
  const options = { ...sending, ...rest, key: null, params: { ...rest.params, dry_run: true } };
  const response = await request(`/v1${path}`, { method, ...json }, options);
  const { data, meta } = (await response.json()) as { data: Data; meta: { events: readonly RehearsedEvent[] } };
  return { data, events: meta.events };
}

/** Reads from the API. */
export async function get<Data>(path: string, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return answerOf<Data>(await request(addressOf(path), { method: "GET" }, sending));
}

/** Creates a resource or acts on one. */
export function post<Data>(path: string, body: unknown = {}, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return write("POST", path, body, sending);
}

/** Updates some fields of a resource. */
export function patch<Data>(path: string, body: unknown, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return write("PATCH", path, body, sending);
}

/** Deletes a resource. */
export function remove<Data>(path: string, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return write("DELETE", path, undefined, sending);
}

/** Sends a CSV file to an import of the API. */
export function sendCsv<Data>(path: string, file: Blob, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return sendChange(path, { method: "POST", body: file, type: "text/csv" }, sending);
}

/** Uploads a file. The API goes by its content. */
export function sendFile<Data>(path: string, file: Blob, sending: RequestOptions = {}): Promise<ApiReply<Data>> {
  return sendChange(path, { method: "POST", body: file, type: "application/octet-stream" }, sending);
}

/** Reads a document: a PDF, an image or CSV. */
export async function getDocument(path: string, accept: string, sending: RequestOptions = {}): Promise<Blob> {
  const response = await request(`/v1${path}`, { method: "GET", accept }, sending);
  return await response.blob();
}

/** Calls a route for the session cookie below `/dashboard/api/`, which is not part of the API. */
export async function callDashboard<Data>(method: "GET" | "POST" | "DELETE", path: string, body?: unknown) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), type: "application/json" };
  return answerOf<Data>(await request(`/dashboard/api${path}`, { method, ...json }, { merchant: null }));
}

/** Opens a document of the API, such as a packing slip, in a new tab. Call it first in a click handler. */
export async function openDocument(path: string, accept = "application/pdf", params: Params = {}): Promise<void> {
  // Browsers block a tab that is opened after a wait, so it is opened before the request.
  const tab = window.open("", "_blank");
  try {
    const address = URL.createObjectURL(await getDocument(path, accept, { params }));
    if (tab === null) location.assign(address);
    else tab.location.href = address;
    setTimeout(() => URL.revokeObjectURL(address), 600_000);
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Saves a response of the API as a file with this name. */
export async function saveFile(path: string, name: string, accept = "text/csv", params: Params = {}): Promise<void> {
  saveBlob(await getDocument(path, accept, { params }), name);
}

/** Saves a blob as a file with this name. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
