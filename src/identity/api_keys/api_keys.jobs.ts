import { type Environment, environments } from "../../core/environment.ts";
import { readId } from "../../core/ids.ts";
import { clientOf, type Service } from "../../http/service.ts";
import type { RequestTrace } from "../../http/trace.ts";
import { findObservations, type IpObservation, saveObservation } from "./api_keys.sql.ts";

const write_every_ms = 2000;
const keys_max = 1000;
const addresses_max = 10;

/** Counts requests that IP lists in `observe` mode would have refused, in memory, and stores them in batches. */
export class IpListObserver {
  readonly #service: Service;
  readonly #seen: Readonly<Record<Environment, Map<number, IpObservation>>> = { live: new Map(), test: new Map() };
  #timer: Timer | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(service: Service) {
    this.#service = service;
    service.observers.push((request, trace) => {
      if (trace.outside) this.#note(request, trace);
    });
  }

  /** Stores the counts since the last call. Waits for earlier calls that are still storing theirs. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#flushing.then(() => this.#store());
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  async #store(): Promise<void> {
    for (const mode of environments) {
      const seen = [...this.#seen[mode]];
      this.#seen[mode].clear();
      if (seen.length === 0) continue;
      await this.#service.stores[mode].write(async (tx) => {
        const kept = await findObservations(
          tx,
          seen.map(([key_id]) => key_id),
        );
        for (const [key_id, more] of seen) await saveObservation(tx, key_id, together(kept.get(key_id), more));
      });
    }
  }

  #note(request: Request, { mode, actor_id }: RequestTrace): void {
    const key_id = readId("key", actor_id ?? "");
    if (mode === null || key_id === null) return;
    const seen = this.#seen[mode];
    const before = seen.get(key_id);
    if (before === undefined && seen.size >= keys_max) return;
    const at = this.#service.stores[mode].clock.now();
    const address = clientOf(this.#service, request) ?? "unknown";
    seen.set(key_id, together(before, { denied: 1, last_at: at, addresses: [{ address, at }] }));
    this.#timer ??= setTimeout(() => {
      this.flush().catch((error) =>
        this.#service.log.warn("observed IP addresses could not be stored", { error: String(error) }),
      );
    }, write_every_ms);
  }
}

function together(before: IpObservation | undefined, more: IpObservation): IpObservation {
  if (before === undefined) return more;
  const newer = new Set(more.addresses.map(({ address }) => address));
  const older = before.addresses.filter(({ address }) => !newer.has(address));
  return {
    denied: before.denied + more.denied,
    last_at: Math.max(before.last_at, more.last_at),
    addresses: [...more.addresses, ...older].slice(0, addresses_max),
  };
}
