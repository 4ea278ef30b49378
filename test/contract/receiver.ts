// A receiver of webhooks on a port of its own, which knows of a signature only what its secret tells it.
import { verify } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";

export interface Delivery {
  readonly headers: Headers;
  /** The bytes as they came, as text. */
  readonly raw: string;
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string; readonly id: string };
}

/** Starts a receiver that answers with `status` and keeps every delivery. */
export function startReceiver(status = 200) {
  const deliveries: Delivery[] = [];
  let wake = () => {};
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const raw = await request.text();
      deliveries.push({ headers: request.headers, raw, event: JSON.parse(raw) });
      wake();
      return new Response("received", { status });
    },
  });

  /** Waits until the deliveries are what a question asks for, ten seconds at most. */
  async function until(enough: (all: readonly Delivery[]) => boolean): Promise<readonly Delivery[]> {
    const late = Promise.withResolvers<never>();
    const types = () => deliveries.map(({ event }) => event.type).join(", ");
    const timer = setTimeout(() => late.reject(new Error(`Only these came: ${types()}`)), 10_000);
    try {
      while (!enough(deliveries)) {
        const next = Promise.withResolvers<void>();
        wake = next.resolve;
        await Promise.race([next.promise, late.promise]);
      }
    } finally {
      clearTimeout(timer);
      late.promise.catch(() => {});
    }
    return deliveries;
  }

  return { url: `http://127.0.0.1:${server.port}/hooks`, deliveries, until, stop: () => server.stop(true) };
}

/** Which of a delivery's signatures its secret does not make, by two verifiers that know nothing of Packhouse. */
export async function badSignatures({ headers, raw }: Pick<Delivery, "headers" | "raw">, secret: string) {
  const bad: string[] = [];
  for (const name of ["x-webhook-signature", "x-packhouse-signature"]) {
    const hex = headers.get(name) ?? "";
    if (!/^[0-9a-f]{64}$/.test(hex) || !(await verify(secret, raw, `sha256=${hex}`))) bad.push(name);
  }
  try {
    new Webhook(secret).verify(raw, Object.fromEntries(headers));
  } catch {
    bad.push("webhook-signature");
  }
  return bad;
}
