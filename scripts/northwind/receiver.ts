import { Webhook } from "standardwebhooks";

/** A receiver of webhooks on this machine that verifies their signatures. */
export interface Receiver {
  readonly url: string;
  /** The secret of the subscription. Earlier deliveries get 503, so that they are retried. */
  trust(secret: string): void;
  /** How many different events of each type arrived with a valid signature. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many different events arrived with a valid signature. */
  readonly received: number;
  /** How many deliveries had no valid signature. */
  readonly unverified: number;
  stop(): Promise<void>;
}

/** Opens a receiver on a free loopback port. It verifies signatures with `standardwebhooks`. */
export function openReceiver(): Receiver {
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  let webhook: Webhook | null = null;
  let unverified = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      if (webhook === null) return new Response(null, { status: 503 });
      try {
        const event = webhook.verify(body, Object.fromEntries(request.headers)) as { id: string; type: string };
        if (!seen.has(event.id)) counts.set(event.type, (counts.get(event.type) ?? 0) + 1);
        seen.add(event.id);
        return new Response(null, { status: 204 });
      } catch {
        unverified++;
        return new Response(null, { status: 401 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/events`,
    trust: (secret) => {
      webhook = new Webhook(secret);
    },
    counts,
    get received() {
      return seen.size;
    },
    get unverified() {
      return unverified;
    },
    stop: () => server.stop(true),
  };
}
