// Hints of what has changed, by server-sent events. A hint carries no data: what is shown is read anew.
import { effect, signal } from "@preact/signals";
import { refresh } from "./query.ts";
import { world } from "./world.ts";

/** One hint: `type` is an event's (`order.shipped`) or `changed`, `ids` are what it is about. */
export interface Hint {
  readonly id: string | number;
  readonly type: string;
  readonly ids?: readonly string[];
  readonly at?: string;
}

/** Which paths show what an event's noun is about. */
const showing: Readonly<Record<string, readonly string[]>> = {
  order: ["orders", "overview", "inventory", "reports"],
  inventory: ["inventory", "overview", "products"],
  shipment: ["orders", "shipments", "tracking", "shipping", "overview"],
  return: ["returns", "orders", "overview"],
};

// The prefixes of ids, for hints of nouns without events.
const byPrefix: Readonly<Record<string, string>> = {
  ord: "orders",
  prd: "products",
  cus: "customers",
  ret: "returns",
  whk: "webhooks",
  key: "keys",
  usr: "users",
  lbl: "shipping",
};

/** Whether changes of others arrive. */
export const connected = signal(false);

const listeners = new Set<(hint: Hint) => void>();

/** Calls `told` with each hint; what it answers ends that. */
export function onHint(told: (hint: Hint) => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

let waiting: Set<string> | "all" | null = null;
let timer = 0;
const gather_ms = 150;

/** Many hints at once are one reading. */
function refreshSoon(nouns: readonly string[] | "all"): void {
  if (nouns === "all" || waiting === "all") waiting = "all";
  else waiting = new Set([...(waiting ?? []), ...nouns]);
  if (timer !== 0) return;
  timer = window.setTimeout(() => {
    timer = 0;
    const due = waiting;
    waiting = null;
    if (due !== null) refresh(due);
  }, gather_ms);
}

/** The nouns whose paths may show something else after this hint. */
export function nounsOf({ type, ids = [] }: Hint): readonly string[] {
  const [noun = ""] = type.split(".");
  const known = showing[noun];
  if (known !== undefined) return known;
  const named = ids.flatMap((id) => byPrefix[id.split("_")[0] ?? ""] ?? []);
  return named.length > 0 ? named : [noun, `${noun}s`];
}

function take(text: string): void {
  const hint = JSON.parse(text) as Hint;
  for (const told of listeners) told(hint);
  refreshSoon(nounsOf(hint));
}

let source: EventSource | null = null;
let opened_before = false;

function open(): void {
  source?.close();
  source = new EventSource(`/dashboard/api/events?world=${world.peek()}`);
  source.onopen = () => {
    connected.value = true;
    // A stream that is opened anew tells nothing of the time between.
    if (opened_before) refreshSoon("all");
    opened_before = true;
  };
  source.onerror = () => {
    connected.value = false;
  };
  source.onmessage = ({ data }) => take(data);
  source.addEventListener("hint", ({ data }) => take(data));
  source.addEventListener("resync", () => refreshSoon("all"));
}

function close(): void {
  source?.close();
  source = null;
  connected.value = false;
}

/** Listens for as long as the tab is seen: a browser has few connections to share among all its tabs. */
export function listen(): () => void {
  const follow = () => (document.visibilityState === "visible" ? source === null && open() : close());
  document.addEventListener("visibilitychange", follow);
  const stop = effect(() => {
    world.value;
    close();
    follow();
  });
  return () => {
    stop();
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}
