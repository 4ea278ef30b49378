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
  /** When it was read, by the clock of the page. */
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
  /** Asked for again during the read, so it is read once more. */
  again: boolean;
}

const entries = new Map<string, QueryEntry>();
const entries_max = 80;
const fresh_ms = 1000;
/** What reads of the same address differ by. */
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

/** Forgets an entry without users. Whoever has drawn it and is not its user yet draws again, with a new entry. */
function forget(key: string, entry: QueryEntry): void {
  entries.delete(key);
  entry.state.value = { ...nothing };
}

/** Ends the read of an entry without users, and forgets the oldest such entries. */
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
      // What it was to read may have changed, so the earlier answer is not fresh any more.
      entry.state.value = { ...before, problem, fetching: false, at: nothing.at };
    } finally {
      entry.underWay = null;
      entry.aborting = null;
    }
    if (entry.again && entry.users > 0) await load(entry);
    // Who comes next finds no fresh answer.
    else if (entry.again) entry.state.value = { ...entry.state.peek(), at: nothing.at };
  };
  entry.underWay = reading();
  return entry.underWay;
}

/** Reads what is neither fresh nor being read. */
function ensure(entry: QueryEntry): void {
  const reading = entry.aborting?.signal.aborted === false;
  if (!reading && performance.now() - entry.state.peek().at > fresh_ms) void load(entry);
}

/** The state of a query. */
interface QueryResult<Data> {
  /** Undefined until the first answer. */
  readonly data: Data | undefined;
  readonly pagination: Pagination | null;
  readonly etag: string | null;
  /** Why the last read failed; `data` may still hold earlier data. */
  readonly problem: ApiProblem | null;
  /** Nothing to show yet. */
  readonly loading: boolean;
  readonly fetching: boolean;
  /** Whether `data` still belongs to the parameters before, while the new ones are read. */
  readonly previous: boolean;
  readonly reload: () => Promise<void>;
}

/**
 * Reads a path of the API, and again whenever a hint says that it may have changed. With `path` null it reads nothing.
 * While the same path is read with other parameters, `data` stays that of the last ones.
 */
export function useQuery<Data>(path: string | null, params?: Params): QueryResult<Data> {
  const entry = path === null ? null : entryOf(path, params);
  const last = useRef<{ path: string; scope: string; answer: ApiReply<unknown> } | null>(null);
  useEffect(() => {
    if (entry === null) return;
    entry.users += 1;
    ensure(entry);
    return () => {
      entry.users -= 1;
      // Another component may use the entry in the same turn.
      queueMicrotask(() => tidyUp(entry));
    };
  }, [entry]);
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

/** Reads the data of a form and its ETag once. If others change it, the API refuses to overwrite their change. */
export function useOpened<Data>(path: string): QueryResult<Data> {
  const now = useQuery<Data>(path);
  const opened = useRef<QueryResult<Data> | null>(null);
  if (opened.current === null && now.data !== undefined && !now.fetching) opened.current = now;
  return opened.current ?? { ...now, data: undefined, loading: now.problem === null };
}

const nounOf = (path: string) => path.split(/[/?]/)[1] ?? "";

let held = false;

/**
 * Reads nothing again until the function that it answers is called, which then reads all again: meanwhile it changes
 * as whom the server takes this session.
 */
export function holdRefresh(): () => void {
  held = true;
  return () => {
    held = false;
    refresh("all");
  };
}

/**
 * Reads again what is shown of these resources (`orders`, `inventory`, …), and forgets what is not shown. Resources in
 * `later` are left alone.
 */
export function refresh(nouns: ReadonlySet<string> | "all", later: ReadonlySet<string> = new Set()): void {
  if (held) return;
  for (const [key, entry] of entries) {
    const noun = nounOf(entry.path);
    if ((nouns !== "all" && !nouns.has(noun)) || later.has(noun)) continue;
    if (entry.users > 0) void load(entry);
    else forget(key, entry);
  }
}

/** Forgets everything, because another user has signed in. */
export function forgetAll(): void {
  for (const entry of entries.values()) entry.aborting?.abort();
  entries.clear();
}

onWritten((path) => refresh(new Set([nounOf(path)])));
