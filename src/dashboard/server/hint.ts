// Hints to the open screens of the dashboard. A hint names what has changed and carries no data.
import { randomBytes } from "node:crypto";
import type { EventType } from "../../events/event_types.ts";

/** The type of a hint: the type of an event, or `changed` for a change without an event. */
type HintType = EventType | "changed";

/** A hint that a record or list has changed. */
export interface Hint {
  readonly id: string;
  readonly type: HintType;
  /** The path of the changed list: `orders`, `shipping/carrier_accounts`. */
  readonly noun: string;
  /** The known ids, SKUs or numbers of the changed records. */
  readonly ids: readonly string[];
  /** ISO 8601. */
  readonly at: string;
}

/** The audience of a hint: the operator only (null), or the operator and these merchants. */
type HintAudience = number | readonly number[] | null;

/** Whether a merchant may receive a hint. */
export const isFor = (audience: HintAudience, merchant_id: number): boolean =>
  typeof audience === "number" ? audience === merchant_id : audience?.includes(merchant_id) === true;

/** A hint without an id yet. It is sent to users who may call its route and belong to its audience. */
export interface UnnumberedHint extends Pick<Hint, "type" | "noun" | "ids" | "at"> {
  readonly reads: string;
  readonly audience: HintAudience;
}

/** A hint with its audience. */
interface StoredHint extends Pick<UnnumberedHint, "reads" | "audience"> {
  readonly hint: Hint;
}

const nouns: Readonly<Record<string, string>> = {
  order: "orders",
  inventory: "inventory",
  shipment: "shipments",
  return: "returns",
};

const about = ["id", "sku", "order_id", "shipment_id", "return_id", "lot_id"] as const;

/** Makes a hint from a merchant's event. `body` is the event as version 1 webhooks receive it. */
export function hintOfEvent(type: EventType, body: string, at: string, audience: number | null): UnnumberedHint {
  const noun = nouns[type.slice(0, type.indexOf("."))] ?? "events";
  const { data = {} } = JSON.parse(body) as { data?: Readonly<Record<string, unknown>> };
  const named = about.map((field) => data[field]).filter((value) => typeof value === "string");
  return { type, noun, reads: `GET /${noun}`, ids: [...new Set(named)], at, audience };
}

/** The list that a route changes: the nearest readable path above the route. */
export interface ChangeOfCall {
  readonly noun: string;
  readonly reads: string;
}

/** The list that each writing route changes, by route name. */
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

/** Returns the ids in a path: the parts where the route's pattern has parameters. */
export function idsIn(pattern: string, path: string): string[] {
  const parts = path.split("/");
  return pattern.split("/").flatMap((part, at) => (part.startsWith(":") ? (parts[at] ?? []) : []));
}

const kept_max = 512;

type May = (hint: Pick<UnnumberedHint, "reads" | "audience">) => boolean;

/** A random id, which does not reveal how many hints there are. */
const freshId = (): string => randomBytes(12).toString("base64url");

/**
 * The latest hints, for clients that reconnect. Their ids are random: they do not reveal how much happens to other
 * merchants, and no other server reuses them, even after a restart.
 */
export class Ring {
  /** The id before the first stored hint. It changes when hints are lost. */
  #start = freshId();
  #is_whole = true;
  #hints: StoredHint[] = [];

  /** Assigns an id to a hint and stores it. */
  add({ reads, audience, ...content }: UnnumberedHint): Hint {
    const hint = { id: freshId(), ...content };
    this.#hints.push({ hint, reads, audience });
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

  /** The hints after the one with this id; null if the id is no longer known. */
  after(id: string): readonly StoredHint[] | null {
    if (id === this.#start) return this.#is_whole ? this.#hints : null;
    const at = this.#hints.findIndex(({ hint }) => hint.id === id);
    return at < 0 ? null : this.#hints.slice(at + 1);
  }

  /** Drops all stored hints after a gap. */
  clear(): void {
    this.#hints = [];
    this.#start = freshId();
    this.#is_whole = true;
  }
}
