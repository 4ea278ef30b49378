// Receives hints of changes as server-sent events. A hint has no data; screens reload what they show.
import { effect, signal } from "@preact/signals";
import type { Hint } from "../../server/hint.ts";
import { tabEnvironment } from "../browser/router.ts";
import { refresh } from "./query.ts";
import { readSessionAgain } from "./session.ts";

/** The other lists that also show the resources of a list. */
const showing: Readonly<Record<string, readonly string[]>> = {
  orders: ["inventory", "overview", "exceptions", "reports", "search", "view_counts", "waves", "work", "totes"],
  waves: ["work", "totes"],
  inventory: ["overview", "exceptions", "orders", "products"],
  shipments: ["orders", "tracking", "shipping", "overview", "exceptions", "view_counts"],
  returns: ["orders", "overview", "exceptions"],
  webhooks: ["notices", "overview", "exceptions"],
  platforms: ["overview", "exceptions"],
  products: ["overview"],
};

/** Whether the stream of hints is open. */
export const connected = signal(false);

let waiting: Set<string> | "all" | null = null;
let timer = 0;
const gather_ms = 150;

/** The minimum interval (ms) between reads of resources that are costlier than a list. */
const rest_interval_ms: Readonly<Record<string, number>> = {
  overview: 3000,
  exceptions: 3000,
  view_counts: 3000,
  reports: 30_000,
  waves: 3000,
  work: 3000,
};
const read_at = new Map<string, number>();
/** Costly resources within their minimum interval. */
const resting = new Set<string>();

/** Reloads soon; many hints at once cause one read. */
function refreshSoon(nouns: readonly string[] | "all"): void {
  if (nouns === "all" || waiting === "all") waiting = "all";
  else waiting = new Set([...(waiting ?? []), ...nouns]);
  if (timer === 0) timer = window.setTimeout(refreshNow, gather_ms);
}

function refreshNow(): void {
  timer = 0;
  const due = waiting;
  waiting = null;
  if (due === null) return;
  const now = performance.now();
  const later = new Set<string>();
  for (const [noun, rest_ms] of Object.entries(rest_interval_ms)) {
    if (due !== "all" && !due.has(noun)) continue;
    const rest = (read_at.get(noun) ?? Number.NEGATIVE_INFINITY) + rest_ms - now;
    if (rest <= 0) read_at.set(noun, now);
    else {
      later.add(noun);
      if (!resting.has(noun)) window.setTimeout(readAgain, rest, noun);
      resting.add(noun);
    }
  }
  refresh(due, later);
}

/** Treats the first reads of costly resources as recent, so that they are not reloaded immediately. */
function restFromNow(): void {
  for (const noun of Object.keys(rest_interval_ms)) if (!read_at.has(noun)) read_at.set(noun, performance.now());
}

function readAgain(noun: string): void {
  resting.delete(noun);
  refreshSoon([noun]);
}

/** The first parts of the paths that this hint may change. */
function nounsOf({ noun }: Pick<Hint, "noun">): readonly string[] {
  const [first = ""] = noun.split("/");
  return [first, ...(showing[first] ?? [])];
}

function take(text: string): void {
  const hint = JSON.parse(text) as Hint;
  if (hint.noun === "merchants") readSessionAgain();
  refreshSoon(nounsOf(hint));
}

// The server sends something at least every 15 seconds. After a longer silence, the connection counts as dead.
const idle_ms = 40_000;
const check_interval_ms = 10_000;

let source: EventSource | null = null;
let heard_at = 0;

function open(): void {
  close();
  const opened = new EventSource(`/dashboard/api/events?mode=${tabEnvironment.peek()}`);
  source = opened;
  heard_at = performance.now();
  const hear = (act: (data: string) => void) => (event: MessageEvent<string>) => {
    heard_at = performance.now();
    act(event.data);
  };
  opened.onopen = () => {
    connected.value = true;
    heard_at = performance.now();
    // Changes before the stream opened produced no hints.
    restFromNow();
    refreshSoon("all");
  };
  opened.onerror = () => {
    connected.value = false;
  };
  opened.onmessage = hear(take);
  opened.addEventListener(
    "resync",
    hear(() => refreshSoon("all")),
  );
  opened.addEventListener(
    "beat",
    hear(() => {}),
  );
}

function close(): void {
  source?.close();
  source = null;
  connected.value = false;
}

/** Reopens a dead or refused stream. Browsers do not retry a refused one. */
function reopen(): void {
  if (source === null) return;
  if (source.readyState === EventSource.CLOSED || performance.now() - heard_at > idle_ms) open();
}

/** Listens while the tab is visible, because browsers limit the connections of all tabs together. */
export function listen(): () => void {
  const follow = () => (document.visibilityState === "visible" ? source === null && open() : close());
  document.addEventListener("visibilitychange", follow);
  const looking = window.setInterval(reopen, check_interval_ms);
  const stop = effect(() => {
    tabEnvironment.value;
    close();
    follow();
  });
  return () => {
    stop();
    window.clearInterval(looking);
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}
