// Hints to the open screens of the dashboard. A hint names what has changed and carries no data.
import { randomBytes } from "node:crypto";
import type { EventType } from "../../events/event_types.ts";

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

/** Whom a hint is for: the house alone (null), or the house and these merchants. */
type HintAudience = number | readonly number[] | null;

/** Whether a hint is for a merchant. */
export const isFor = (whose: HintAudience, merchant_id: number): boolean =>
  typeof whose === "number" ? whose === merchant_id : whose !== null && whose.includes(merchant_id);

/** A hint without a number yet. Only those who may call its route receive it, and of merchants those it is for. */
export interface UnnumberedHint extends Pick<Hint, "type" | "noun" | "ids" | "at"> {
  readonly reads: string;
  readonly whose: HintAudience;
}

/** A hint with those whom it is for. */
interface StoredHint extends Pick<UnnumberedHint, "reads" | "whose"> {
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
export function hintOfEvent(type: EventType, body: string, at: string, whose: number | null): UnnumberedHint {
  const noun = nouns[type.slice(0, type.indexOf("."))] ?? "events";
  const { data = {} } = JSON.parse(body) as { data?: Readonly<Record<string, unknown>> };
  const named = about.map((field) => data[field]).filter((value) => typeof value === "string");
  return { type, noun, reads: `GET /${noun}`, ids: [...new Set(named)], at, whose };
}

/** What a route changes: the list that shows it, which is the nearest readable path above the route. */
export interface ChangeOfCall {
  readonly noun: string;
  readonly reads: string;
}

/** What each writing route changes, by the name of the route. */
export function changesOf(
  routes: ReadonlyMap<string, { readonly path: string; readonly writes: boolean }>,
): Map<string, ChangeOfCall> {
  const changes = new Map<string, ChangeOfCall>();
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

type May = (news: Pick<UnnumberedHint, "reads" | "whose">) => boolean;

/** An id that says nothing about how many there are. */
const freshId = (): string => randomBytes(12).toString("base64url");

/**
 * The last hints, for clients that reconnect. Their ids are random: nobody learns from them how much happens to others,
 * and neither a restart nor another server ever gives one of them again.
 */
export class Ring {
  /** Before the first hint that is kept since hints were last lost. */
  #start = freshId();
  #is_whole = true;
  #hints: StoredHint[] = [];

  /** Gives a hint its id and keeps it. */
  add({ reads, whose, ...news }: UnnumberedHint): Hint {
    const hint = { id: freshId(), ...news };
    this.#hints.push({ hint, reads, whose });
    if (this.#hints.length > kept_max) {
      this.#hints.shift();
      this.#is_whole = false;
    }
    return hint;
  }

  /** The id of the last hint that a client may see, or the id before the first one. */
  lastFor(may: May): string {
    return this.#hints.findLast(may)?.hint.id ?? this.#start;
  }

  /** The hints after the one with this id; null if they are no longer known. */
  after(id: string): readonly StoredHint[] | null {
    if (id === this.#start) return this.#is_whole ? this.#hints : null;
    const at = this.#hints.findIndex(({ hint }) => hint.id === id);
    return at < 0 ? null : this.#hints.slice(at + 1);
  }

  /** Forgets the kept hints, because hints between them and the next one were lost. */
  clear(): void {
    this.#hints = [];
    this.#start = freshId();
    this.#is_whole = true;
  }
}
