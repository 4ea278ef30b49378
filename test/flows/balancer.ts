// A minimal load balancer over servers of one database, and a steady load for them. It never retries, so every request
// that a server does not answer is counted.
import { Agent, createServer, request } from "node:http";

const look_every_ms = 250;
const look_within_ms = 5000;
// On a busy machine a single probe may fail.
const failed_looks_max = 3;

interface Upstream {
  readonly url: string;
  readonly agent: Agent;
  ready: boolean;
  failed_looks: number;
  looking: boolean;
}

/** A load balancer in front of the servers. */
interface Balancer {
  readonly url: string;
  /** Sets the known servers. New ones are probed before they get requests. */
  use(urls: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Probes one server. A healthy one gets requests; one that is shutting down gets none from now on. */
async function lookAt(one: Upstream): Promise<void> {
  if (one.looking) return;
  one.looking = true;
  const seen = await fetch(`${one.url}/health`, { signal: AbortSignal.timeout(look_within_ms) })
    .then(async (answer) => ((await answer.json()) as { status?: string }).status)
    .catch(() => undefined);
  one.looking = false;
  one.failed_looks = seen === "ok" ? 0 : one.failed_looks + 1;
  if (seen === "ok") one.ready = true;
  else if (seen === "stopping" || one.failed_looks >= failed_looks_max) one.ready = false;
}

/** Starts a balancer that distributes requests in turn over the servers whose `/health` returns 200. */
export async function startBalancer(): Promise<Balancer> {
  let upstreams: Upstream[] = [];
  let turn = 0;
  const look = async () => {
    await Promise.all(upstreams.map(lookAt));
  };
  const timer = setInterval(look, look_every_ms);
  const server = createServer((incoming, outgoing) => {
    const ready = upstreams.filter((one) => one.ready);
    const chosen = ready[turn++ % Math.max(ready.length, 1)];
    const fail = (reason: string) => {
      // More text after a part of a response would be taken for the next response on the connection.
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502, { "content-type": "text/plain" }).end(reason);
    };
    if (chosen === undefined) return fail("no server is ready");
    const { method, url, headers } = incoming;
    const { connection: _, ...kept } = headers;
    const passed = request(`${chosen.url}${url}`, { method, headers: kept, agent: chosen.agent }, (answer) => {
      const { connection, ...told } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, told);
      answer.on("error", (error) => fail(String(error)));
      answer.on("close", () => answer.complete || fail("the response was cut off"));
      answer.pipe(outgoing);
    });
    passed.on("error", (error) => fail(String(error)));
    incoming.pipe(passed);
  });
  // Keeps client connections open long enough that none is closed just as the client reuses it.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    use: async (urls) => {
      const known = upstreams;
      const fresh = (url: string) => ({
        url,
        agent: new Agent({ keepAlive: true }),
        ready: false,
        failed_looks: 0,
        looking: false,
      });
      upstreams = urls.map((url) => known.find((one) => one.url === url) ?? fresh(url));
      await look();
    },
    stop: async () => {
      clearInterval(timer);
      for (const { agent } of upstreams) agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The result of a steady load. */
export interface Work {
  readonly sent: number;
  readonly per_second: number;
  /** Every request that did not get the expected response. */
  readonly failed: readonly string[];
  readonly slowest_ms: number;
}

/** Sends requests at a steady rate until stopped, each at its scheduled time, however long the others take. */
export function steadily(per_second: number, send: (n: number) => Promise<string | null>): () => Promise<Work> {
  const begun_at = performance.now();
  const failed: string[] = [];
  const under_way = new Set<Promise<void>>();
  let sent = 0;
  let slowest_ms = 0;
  const one = async (n: number) => {
    const at = performance.now();
    const problem = await send(n).catch(String);
    slowest_ms = Math.max(slowest_ms, performance.now() - at);
    if (problem !== null) failed.push(`request ${n}: ${problem}`);
  };
  const timer = setInterval(() => {
    while (sent < ((performance.now() - begun_at) / 1000) * per_second) {
      const work: Promise<void> = one(sent++).finally(() => under_way.delete(work));
      under_way.add(work);
    }
  }, 5);
  return async () => {
    clearInterval(timer);
    const seconds = (performance.now() - begun_at) / 1000;
    await Promise.all(under_way);
    return { sent, per_second: sent / seconds, failed, slowest_ms };
  };
}

/** Places orders of one line. Returns a function that sends one, for `steadily`. */
export function ordersOf(url: string, key: string, order: object): (n: number) => Promise<string | null> {
  return async (n) => {
    const answer = await fetch(`${url}/v1/orders`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ order_number: `S-${n}`, ...order }),
    });
    const text = await answer.text();
    return answer.status === 201 ? null : `${answer.status} ${text.slice(0, 200)}`;
  };
}
