// The service under replay: one process for the whole folder, asked over HTTP with a key of either mode.
import { expect, test } from "bun:test";
import { flagsOf, runCommand, type StartedService } from "../../scripts/service.ts";
import type { Environment } from "../../src/core/environment.ts";
import type { KeyLevel } from "../../src/http/auth/permissions.ts";
import { freshDatabase } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";
import { expectShape, refusal } from "./shape.ts";

/** Both kinds of key and both base addresses, each once. */
export const callers = [
  { mode: "live", base: "/v1" },
  { mode: "test", base: "/api/v1" },
] as const;
export type ContractCaller = { readonly mode: Environment; readonly base: string };

let service: StartedService | null = null;
const keys = new Map<string, string>();
const replayed = new Set<string>();

/** Starts the service on an empty database and makes a key of each mode, and of each permission. */
export async function startContract(): Promise<void> {
  const database_url = await freshDatabase();
  // Live subscriptions of these tests name a receiver on this machine, where nobody listens.
  const started = await startWatchedService({ database_url, env: { PACKHOUSE_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32" } });
  service = started;
  const wanted = ["live full", "test full", "live read", "live read_write"] as const;
  await Promise.all(
    wanted.map(async (name) => {
      const [mode, permission] = name.split(" ") as [Environment, KeyLevel];
      keys.set(name, await started.makeKey(mode, permission));
    }),
  );
}

/** Ends the service and removes its data. */
export async function stopContract(): Promise<void> {
  await service?.remove();
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  /** What stands at a path of the body, such as `data.items.0.sku`. */
  at(path: string): unknown;
  /** The text at a path of the body. */
  textAt(path: string): string;
}

/** The key of a mode with a permission. */
export function keyOf(mode: Environment, permission: KeyLevel): string {
  const key = keys.get(`${mode} ${permission}`);
  if (key === undefined) throw new Error(`There is no ${permission} key of mode ${mode}.`);
  return key;
}

/** Makes a key that may be used from these addresses only. */
export async function makeListedKey(mode: Environment, addresses: string): Promise<string> {
  const words = ["keys", "create", "--name", "listed", "--mode", mode, "--allow", addresses, "--json"];
  const { out } = await runCommand([...words, ...flagsOf(service as StartedService)]);
  return JSON.parse(out).key;
}

/** Sends one request to a path from the root; a body that is a text goes out as it is. */
export async function send(method: string, path: string, key: string | null, body?: unknown, headers = {}) {
  const response = await fetch(`${service?.url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const content = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return answerOf(response.status, response.headers, isJson ? JSON.parse(content) : content);
}

function answerOf(status: number, headers: Headers, body: unknown): Answer {
  const at = (path: string) =>
    path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);
  const textAt = (path: string) => {
    const found = at(path);
    if (typeof found !== "string") throw new Error(`There is no text at ${path} of ${JSON.stringify(body)}`);
    return found;
  };
  return { status, headers, body, at, textAt };
}

/** A client of one environment; it remembers what it asked. */
export function open({ mode, base }: ContractCaller, permission: KeyLevel = "full") {
  const asked: string[] = [];
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    asked.push(`${method} ${path.replace(/\?.*/, "")}`);
    return send(method, `${base}${path}`, keyOf(mode, permission), body, headers);
  };
  /** Asks and insists on a 2xx. */
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    if (answer.status === 200 || answer.status === 201) return answer;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  /** Asks and insists on a refusal with this status and code. */
  const refused = async (status: number, code: string, method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    expect({ asked: `${method} ${path}`, status: answer.status }).toEqual({ asked: `${method} ${path}`, status });
    expectShape(answer.body, refusal(code), `${method} ${path}`);
    return answer;
  };
  const get = (path: string) => must("GET", path);
  const post = (path: string, body: unknown = {}) => must("POST", path, body);
  const patch = (path: string, body: unknown) => must("PATCH", path, body);
  return { mode, base, asked, ask, must, refused, get, post, patch };
}
export type Api = ReturnType<typeof open>;

/**
 * A test of one documented endpoint, named as the specification's table has it (`POST /orders/:id/hold`), in both
 * environments. It fails when it never asked that endpoint.
 */
export function replay(row: string, what: string, work: (api: Api) => Promise<void>): void {
  test.each(callers)(`${row} ${what} ($mode key, $base)`, async (caller) => {
    const api = open(caller);
    await work(api);
    const [method, path = ""] = row.split(" ");
    const pattern = new RegExp(`^${method} ${path.replace(/:\w+|<\w+>/g, "[^/]+")}$`);
    expect(api.asked.filter((call) => pattern.test(call))).not.toBeEmpty();
    replayed.add(row);
  });
}

/** Whether a documented endpoint has been replayed by name. */
export function wasReplayed(row: string): boolean {
  return replayed.has(row);
}

const withQuery = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

/** Insists that a list of at least two rows has the documented pages: from 1, 50 rows by default, at most 100. */
export async function expectPages(api: Api, path: string, pagination = "meta.pagination"): Promise<void> {
  const first = await api.get(path);
  expect(first.at(pagination)).toMatchObject({ page: 1, limit: 50 });
  const total = Number(first.at(`${pagination}.total`));
  expect(total).toBeGreaterThanOrEqual(2);
  expect(first.at(`${pagination}.total_pages`)).toBe(Math.ceil(total / 50));
  const second = await api.get(withQuery(path, "limit=1&page=2"));
  expect(second.at(pagination)).toMatchObject({ page: 2, limit: 1, total, total_pages: total });
  expect(second.at("data")).toEqual([first.at("data.1")]);
  const beyond = await api.get(withQuery(path, `limit=100&page=${Math.ceil(total / 100) + 1}`));
  expect(beyond.at(pagination)).toMatchObject({ limit: 100, total });
  expect(beyond.at("data")).toEqual([]);
  for (const query of ["limit=101", "limit=0", "page=0", "page=x"]) {
    await api.refused(422, "validation_failed", "GET", withQuery(path, query));
  }
}
