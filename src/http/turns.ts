import type { Store } from "../database/store.ts";
import { Fault } from "../kit/fault.ts";
import type { Call } from "./call.ts";

/** How long a repeated request waits for the first, before it is refused. */
const patience_ms = 2000;

/** The request that is under way, and when it is done. */
interface Turn {
  readonly call: Call;
  readonly done: Promise<unknown>;
}

const turns = new WeakMap<Store, Map<string, Turn>>();

/**
 * Runs `work` when no other request with the same `Idempotency-Key` is under way in this process. It waits a while for
 * one that is, and tells `work` that it has waited: the answer of the first may be stored by then. A nested call with
 * the same key runs at once.
 * Refuses: idempotency_key_in_use.
 */
export async function inTurn<Done>(call: Call, key: string, work: (waited: boolean) => Promise<Done>): Promise<Done> {
  const under_way = turnsOf(call.store.base);
  const { promise: late, resolve: tooLate } = Promise.withResolvers<"late">();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const other = under_way.get(key);
      if (other === undefined) break;
      if (other.call === call) return await work(false);
      timer ??= setTimeout(() => tooLate("late"), patience_ms);
      if ((await Promise.race([other.done, late])) === "late") throw inUse();
    }
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    under_way.set(key, { call, done });
    try {
      return await work(timer !== undefined);
    } finally {
      under_way.delete(key);
      finish();
    }
  } finally {
    clearTimeout(timer);
  }
}

function turnsOf(store: Store): Map<string, Turn> {
  const known = turns.get(store) ?? new Map<string, Turn>();
  turns.set(store, known);
  return known;
}

/** Says that the first request with a key is not done yet. */
export function inUse(): Fault {
  const message = "A request with this Idempotency-Key is still being worked on; send it again.";
  return new Fault("idempotency_key_in_use", message, { retry_after_seconds: 1 });
}
