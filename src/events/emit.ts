import { iso } from "../core/clock.ts";
import { wireId } from "../core/ids.ts";
import type { Tx } from "../storage/database.ts";
import { bareOf } from "../storage/scope.ts";
import type { DomainEvent } from "./event_types.ts";
import { insertEvents } from "./events.sql.ts";

const body_bytes_max = 64 * 1024;

// The listeners of transactions' events, by the connection's statements, which only one transaction uses at a time. Its
// parts may have other scopes.
const listeners = new WeakMap<Tx["sql"], (event: DomainEvent) => void>();

/** Runs work in a transaction and returns its result and the events that it emitted. */
export async function captureEvents<Answer>(
  tx: Tx,
  work: () => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly events: readonly DomainEvent[] }> {
  const events: DomainEvent[] = [];
  const sql = bareOf(tx.sql);
  listeners.set(sql, (event) => events.push(event));
  try {
    return { answer: await work(), events };
  } finally {
    listeners.delete(sql);
  }
}

/**
 * Stores events in the caller's transaction, so that a change and its events are committed together or not at all. The
 * fan-out job finds them after the commit. In a body over 64 KiB, the longest lists are cut, and `truncated` is set.
 */
export async function emit(tx: Tx, events: readonly DomainEvent[]): Promise<void> {
  if (events.length === 0) return;
  const listener = listeners.get(bareOf(tx.sql));
  if (listener !== undefined) events.forEach(listener);
  const created_at = tx.now;
  const rows = events.map(({ type, merchant_id, data, previous = {} }) => {
    const id = tx.newId("evt");
    const body = bodyOf({ id, type, created_at: iso(created_at), merchant_id: wireId("merchant", merchant_id), data });
    const previous_json = Object.keys(previous).length === 0 ? null : JSON.stringify(previous);
    return { id, merchant_id, type, created_at, body, previous: previous_json };
  });
  await insertEvents(tx, rows);
  tx.wake("webhooks.fan_out", tx.now);
}

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly merchant_id: string;
  readonly data: DomainEvent["data"];
}

function bodyOf(event: EventBody): string {
  const body = JSON.stringify(event);
  // A character takes at most three bytes in UTF-8, so most bodies need no count.
  if (body.length * 3 <= body_bytes_max || Buffer.byteLength(body) <= body_bytes_max) return body;
  const data: Record<string, unknown> = { ...event.data, truncated: true };
  const lists = Object.entries(data).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  lists.sort(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
  for (const [name, list] of lists) {
    for (let keep = list.length; keep > 0; keep = Math.floor(keep / 2)) {
      data[name] = list.slice(0, keep);
      if (Buffer.byteLength(JSON.stringify({ ...event, data })) <= body_bytes_max) {
        return JSON.stringify({ ...event, data });
      }
    }
    data[name] = [];
  }
  return JSON.stringify({ ...event, data });
}
