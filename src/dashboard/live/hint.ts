// What the screens of the dashboard are told while they are open: not what is new, but of what there is something new.
import { randomBytes } from "node:crypto";
import type { EventType } from "../../outbox/catalog.ts";

/** The type of a hint: what happened, or that something was changed of which no event tells. */
type HintType = EventType | "changed";

/** Of what there is something new. The dashboard's front end reads this. */
export interface Hint {
  readonly id: string;
  readonly type: HintType;
  /** The list that it belongs to, as its path names it: `orders`, `shipping/carrier-accounts`. */
  readonly noun: string;
  /** What it is about, as far as that is known: ids, SKUs, numbers. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** A hint that has no number yet, with the route that one must be allowed to ask to be told of it. */
export interface News extends Pick<Hint, "type" | "noun" | "ids" | "at"> {
  readonly reads: string;
}

const nouns: Readonly<Record<string, string>> = {
  order: "orders",
  inventory: "inventory",
  shipment: "shipments",
  return: "returns",
};

const about = ["id", "sku", "order_id", "shipment_id", "return_id", "lot_id"] as const;

/** The news that an event is, from what a subscription of version 1 receives of it. */
export function newsOfEvent(type: EventType, body: string, at: string): News {
  const noun = nouns[type.slice(0, type.indexOf("."))] ?? "events";
  const { data = {} } = (body === "" ? {} : JSON.parse(body)) as { data?: Readonly<Record<string, unknown>> };
  const named = about.map((field) => data[field]).filter((value) => typeof value === "string");
  return { type, noun, reads: `GET /${noun}`, ids: [...new Set(named)], at };
}

/** What a route changes: the list that shows it, by the nearest path above it that can be asked. */
export interface Changed {
  readonly noun: string;
  readonly reads: string;
}

/** What each route that may change something changes, by its name. */
export function changesOf(
  routes: ReadonlyMap<string, { readonly path: string; readonly writes: boolean }>,
): Map<string, Changed> {
  const changes = new Map<string, Changed>();
  for (const [name, { path, writes }] of routes) {
    if (!writes) continue;
    for (let at = path.replace(/\/:.*$/, ""); at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      if (!routes.has(`GET ${at}`)) continue;
      changes.set(name, { noun: at.slice(1), reads: `GET ${at}` });
      break;
    }
  }
  return changes;
}

/** The ids in a path, in the places where the route's pattern has parameters. */
export function idsIn(pattern: string, path: string): string[] {
  const given = path.split("/");
  return pattern.split("/").flatMap((part, at) => (part.startsWith(":") ? (given[at] ?? []) : []));
}

const kept_max = 512;

/**
 * The last hints, for those who come back. Their ids begin with the moment the ring was made and a few letters of
 * chance, so that neither a restart nor another server ever gives one of them again.
 */
export class Ring {
  readonly #name: string;
  readonly #hints: { readonly hint: Hint; readonly reads: string }[] = [];
  #last = 0;

  constructor(now: number) {
    this.#name = `${now}${randomBytes(3).toString("hex")}`;
  }

  /** Numbers news and keeps it. */
  add({ reads, ...news }: News): Hint {
    this.#last += 1;
    const hint = { id: this.#idOf(this.#last), ...news };
    this.#hints.push({ hint, reads });
    if (this.#hints.length > kept_max) this.#hints.shift();
    return hint;
  }

  /** The id of the last hint, or of none when there was none yet. */
  get last(): string {
    return this.#idOf(this.#last);
  }

  /** What came after the hint with this id; null when that is not known any more. */
  after(id: string): readonly { readonly hint: Hint; readonly reads: string }[] | null {
    const [name, number] = id.split("-");
    const seen = Number(number);
    if (name !== this.#name || !Number.isInteger(seen) || seen > this.#last) return null;
    const missed = this.#last - seen;
    return missed > this.#hints.length ? null : this.#hints.slice(this.#hints.length - missed);
  }

  /** Forgets what is kept: something was lost between it and what comes next. */
  clear(): void {
    this.#hints.length = 0;
    // Whoever saw the last one has missed something.
    this.#last += 1;
  }

  #idOf(number: number): string {
    return `${this.#name}-${number}`;
  }
}
