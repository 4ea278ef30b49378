// Hints to the open screens of the dashboard. A hint names what has changed and carries no data.
import { randomBytes } from "node:crypto";
import type { EventType } from "../../outbox/catalog.ts";

/** The type of a hint: the type of an event, or `changed` for a change without an event. */
type HintType = EventType | "changed";

/** A hint that something has changed. The front end of the dashboard reads it. */
export interface Hint {
  readonly id: string;
  readonly type: HintType;
  /** The list that it belongs to, as its path names it: `orders`, `shipping/carrier-accounts`. */
  readonly noun: string;
  /** The ids, SKUs or numbers of what has changed, as far as they are known. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** Whom a hint is for: the house and one merchant, the house alone (null), or `all` where it names nothing. */
type Whose = number | null | "all";

/** A hint without a number yet. Only those who may call its route receive it, and of merchants those it is for. */
export interface News extends Pick<Hint, "type" | "noun" | "ids" | "at"> {
  readonly reads: string;
  readonly whose: Whose;
}

/** A hint with those whom it is for. */
interface Kept extends Pick<News, "reads" | "whose"> {
  readonly hint: Hint;
}

const nouns: Readonly<Record<string, string>> = {
  order: "orders",
  inventory: "inventory",
  shipment: "shipments",
  return: "returns",
};

const about = ["id", "sku", "order_id", "shipment_id", "return_id", "lot_id"] as const;

/** Makes a hint of a merchant's event, from the body that a version 1 subscription receives. */
export function newsOfEvent(type: EventType, body: string, at: string, whose: number | null): News {
  const noun = nouns[type.slice(0, type.indexOf("."))] ?? "events";
  const { data = {} } = (body === "" ? {} : JSON.parse(body)) as { data?: Readonly<Record<string, unknown>> };
  const named = about.map((field) => data[field]).filter((value) => typeof value === "string");
  return { type, noun, reads: `GET /${noun}`, ids: [...new Set(named)], at, whose };
}

/** What a route changes: the list that shows it, which is the nearest readable path above the route. */
export interface Changed {
  readonly noun: string;
  readonly reads: string;
}

/** What each writing route changes, by the name of the route. */
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

/** The ids in a path: the parts where the pattern of the route has parameters. */
export function idsIn(pattern: string, path: string): string[] {
  const given = path.split("/");
  return pattern.split("/").flatMap((part, at) => (part.startsWith(":") ? (given[at] ?? []) : []));
}

const kept_max = 512;

/**
 * The last hints, for clients that reconnect. Their ids begin with the moment the ring was made and a few letters of
 * chance, so that neither a restart nor another server ever gives one of them again.
 */
export class Ring {
  readonly #name: string;
  readonly #hints: Kept[] = [];
  #last = 0;

  constructor(now: number) {
    this.#name = `${now}${randomBytes(3).toString("hex")}`;
  }

  /** Gives a hint its number and keeps it. */
  add({ reads, whose, ...news }: News): Hint {
    this.#last += 1;
    const hint = { id: this.#idOf(this.#last), ...news };
    this.#hints.push({ hint, reads, whose });
    if (this.#hints.length > kept_max) this.#hints.shift();
    return hint;
  }

  /** The id of the last hint, or the id before the first one. */
  get last(): string {
    return this.#idOf(this.#last);
  }

  /** The hints after the one with this id; null if they are no longer known. */
  after(id: string): readonly Kept[] | null {
    const [name, number] = id.split("-");
    const seen = Number(number);
    if (name !== this.#name || !Number.isInteger(seen) || seen > this.#last) return null;
    const missed = this.#last - seen;
    return missed > this.#hints.length ? null : this.#hints.slice(this.#hints.length - missed);
  }

  /** Forgets the kept hints, because hints between them and the next one were lost. */
  clear(): void {
    this.#hints.length = 0;
    // A client that saw the last hint has missed something too.
    this.#last += 1;
  }

  #idOf(number: number): string {
    return `${this.#name}-${number}`;
  }
}
