// A cache of reads. The old data stay on the screen while new data are read, and equal reads share one request.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { tabEnvironment } from "../browser/router.ts";
import { type ApiReply, get, onWritten, type Pagination, type Params, withParams } from "./client.ts";
import { merchantAsked } from "./merchants.ts";
import { type ApiProblem, problemOf } from "./problem.ts";

interface QueryState {
  readonly answer: ApiReply<unknown> | null;
  readonly problem: ApiProblem | null;
  readonly fetching: boolean;
  /** The time of the read, by the page's clock. */
  readonly at: number;
}

interface QueryEntry {
  readonly path: string;
  readonly address: string;
  /** The code of the merchant whose records are read; null for all. */
  readonly merchant: string | null;
  readonly state: Signal<QueryState>;
  users: number;
  aborting: AbortController | null;
  underWay: Promise<void> | null;
  /** Requested again during the read, so it is read once more. */
  again: boolean;
}

const entries = new Map<string, QueryEntry>();
const entries_max = 80;
const fresh_ms = 1000;
/** Distinguishes reads of the same path: environment and merchant. */
const scopeOf = () => `${tabEnvironment.value} ${merchantAsked.value?.code ?? ""}`;
const nothing: QueryState = { answer: null, problem: null, fetching: false, at: Number.NEGATIVE_INFINITY };

function entryOf(path: string, params: Params | undefined): QueryEntry {
  const address = withParams(path, params);
  const merchant = merchantAsked.value?.code ?? null;
  const key = `${scopeOf()} ${address}`;
  const known = entries.get(key);
  if (known !== undefined) return known;
  const unread = { state: signal(nothing), users: 0, aborting: null, underWay: null, again: false };
  const entry = { path, address, merchant, ...unread };
  entries.set(key, entry);
  return entry;
}

/** Drops an entry without users. A component that has rendered it but does not use it yet renders again. */
function forget(key: string, entry: QueryEntry): void {
  entries.delete(key);
  entry.state.value = { ...nothing };
}

/** Aborts the read of an entry without users, and drops the oldest such entries. */
function tidyUp(entry: QueryEntry): void {
  if (entry.users > 0) return;
  entry.aborting?.abort();
  for (const [key, old] of entries) {
    if (entries.size <= entries_max) break;
    if (old.users === 0) forget(key, old);
  }
}

function load(entry: QueryEntry): Promise<void> {
  if (entry.underWay !== null) {
    entry.again = true;
    return entry.underWay;
  }
  const aborting = new AbortController();
  entry.aborting = aborting;
  entry.again = false;
  entry.state.value = { ...entry.state.peek(), fetching: true };
  const reading = async () => {
    try {
      const answer = await get(entry.address, { signal: aborting.signal, merchant: entry.merchant });
      entry.state.value = { answer, problem: null, fetching: false, at: performance.now() };
    } catch (error) {
      const before = entry.state.peek();
      const problem = aborting.signal.aborted ? before.problem : problemOf(error);
      // The data may have changed, so the earlier response is no longer fresh.
      entry.state.value = { ...before, problem, fetching: false, at: nothing.at };
    } finally {
      entry.underWay = null;
      entry.aborting = null;
    }
    if (entry.again && entry.users > 0) await load(entry);
    // The next user reads again.
    else if (entry.again) entry.state.value = { ...entry.state.peek(), at: nothing.at };
  };
  entry.underWay = reading();
  return entry.underWay;
}

/** Uses entries while a component is shown, and reads them. */
function useEntries(used: readonly QueryEntry[]): void {
  useEffect(() => {
    for (const entry of used) {
      entry.users += 1;
      ensure(entry);
    }
    return () => {
      for (const entry of used) entry.users -= 1;
      // Another component may start using an entry in the same task.
      queueMicrotask(() => used.forEach(tidyUp));
    };
  }, used);
}

/** Reads an entry unless it is fresh or being read. */
function ensure(entry: QueryEntry): void {
  const reading = entry.aborting?.signal.aborted === false;
  if (!reading && performance.now() - entry.state.peek().at > fresh_ms) void load(entry);
}

/** The state of a query. */
interface QueryResult<Data> {
  /** Undefined until the first response. */
  readonly data: Data | undefined;
  readonly pagination: Pagination | null;
  readonly etag: string | null;
  /** Why the last read failed; `data` may still hold earlier data. */
  readonly problem: ApiProblem | null;
  /** Whether there is nothing to show yet. */
  readonly loading: boolean;
  readonly fetching: boolean;
  /** Whether `data` still belongs to the previous parameters. */
  readonly previous: boolean;
  readonly reload: () => Promise<void>;
}

/**
 * Reads a path of the API, and again whenever a hint reports a change. With `path` null it reads nothing. When only the
 * parameters change, `data` stays that of the previous ones until the new data arrive.
 */
export function useQuery<Data>(path: string | null, params?: Params): QueryResult<Data> {
  const entry = path === null ? null : entryOf(path, params);
  const last = useRef<{ path: string; scope: string; answer: ApiReply<unknown> } | null>(null);
  useEntries(entry === null ? [] : [entry]);
  const { answer, problem, fetching } = entry?.state.value ?? nothing;
  if (entry !== null && answer !== null) last.current = { path: entry.path, scope: scopeOf(), answer };
  const before = last.current;
  const stands = answer === null && before?.path === entry?.path && before?.scope === scopeOf();
  const shown = answer ?? (stands ? (before?.answer ?? null) : null);
  return {
    data: shown?.data as Data | undefined,
    pagination: shown?.pagination ?? null,
    etag: shown?.etag ?? null,
    problem,
    loading: entry !== null && shown === null && problem === null,
    fetching,
    previous: answer === null && shown !== null,
    reload: () => (entry === null ? Promise.resolve() : load(entry)),
  };
}

const reload_ms = 1000;

/** Reads again every second while something is under way that no hint reports, such as a print job. */
export function useReloading(under_way: boolean, reload: () => Promise<void>): void {
  useEffect(() => {
    if (!under_way) return;
    const timer = setInterval(() => void reload(), reload_ms);
    return () => clearInterval(timer);
  }, [under_way]);
}

const rows_max = 100;

/** The newest rows of a list that is oldest first: those of its last pages, and whether there are older ones. */
export function useNewest<Row>(path: string, pages: number): NewestRows<Row> {
  const first = useQuery<readonly Row[]>(path, { limit: rows_max });
  const last = Math.ceil((first.pagination?.total ?? 0) / rows_max);
  const from = Math.max(1, last - pages + 1);
  const others = Array.from({ length: last }, (_, at) => at + 1).filter((page) => page > 1 && page >= from);
  const entries = others.map((page) => entryOf(path, { limit: rows_max, page }));
  useEntries(entries);
  const read = entries.flatMap(({ state }) => (state.value.answer?.data ?? []) as readonly Row[]);
  const rows = from === 1 ? [...(first.data ?? []), ...read] : read;
  return { rows, more: from > 1, problem: first.problem };
}

interface NewestRows<Row> extends Pick<QueryResult<unknown>, "problem"> {
  /** Oldest first. */
  readonly rows: readonly Row[];
  readonly more: boolean;
}

/** Reads a form's data and ETag once. The API then refuses to overwrite a later change by someone else. */
export function useOpened<Data>(path: string): QueryResult<Data> {
  const now = useQuery<Data>(path);
  const opened = useRef<QueryResult<Data> | null>(null);
  if (opened.current === null && now.data !== undefined && !now.fetching) opened.current = now;
  return opened.current ?? { ...now, data: undefined, loading: now.problem === null };
}

const nounOf = (path: string) => path.replace(/^\/dashboard\/api(?=\/)/, "").split(/[/?]/)[1] ?? "";

let held = false;

/**
 * Pauses all reads while the session changes its merchant or membership. Call the returned function to reload
 * everything.
 */
export function holdRefresh(): () => void {
  held = true;
  return () => {
    held = false;
    refresh("all");
  };
}

/** Reloads as `refresh` does. Returns when all has been read, or could not be. */
async function reload(nouns: ReadonlySet<string> | "all", later: ReadonlySet<string> = new Set()): Promise<void> {
  if (held) return;
  const reads: Promise<void>[] = [];
  for (const [key, entry] of entries) {
    const noun = nounOf(entry.path);
    if ((nouns !== "all" && !nouns.has(noun)) || later.has(noun)) continue;
    if (entry.users > 0) reads.push(load(entry));
    else forget(key, entry);
  }
  await Promise.all(reads);
}

/**
 * Reloads shown data of these resources (`orders`, `inventory`, …) and drops data that is not shown. Resources in
 * `later` are skipped.
 */
export function refresh(nouns: ReadonlySet<string> | "all", later?: ReadonlySet<string>): void {
  void reload(nouns, later);
}

/** Drops all data, because another user has signed in. */
export function forgetAll(): void {
  for (const entry of entries.values()) entry.aborting?.abort();
  entries.clear();
}

onWritten((path) => reload(new Set([nounOf(path)])));
