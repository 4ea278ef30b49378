import { afterEach, describe, expect, test } from "bun:test";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { StartedService } from "../../scripts/service.ts";
import { client, startFreshService } from "../flows/service.ts";
import { startWatchedService } from "../flows/watched_service.ts";

const limit_ms = 120_000;
const started: StartedService[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.remove();
});

async function start(env: Record<string, string> = {}): Promise<StartedService> {
  const service = await startFreshService({ env });
  started.push(service);
  return service;
}

/** One of the keys that it printed at its first start. */
const printed = (mode: "live" | "test", { output }: StartedService) =>
  new RegExp(`ph_${mode}_\\w+`).exec(output)?.[0] ?? "";

/** Restarts it on the same data. */
async function again({ data, database_url }: StartedService): Promise<StartedService> {
  const service = await startWatchedService({ data, database_url });
  started.push(service);
  return service;
}

/** Sends one request on a keep-alive connection. Returns the status, or the name of the connection error. */
function post(url: string, key: string, agent: Agent, body: object): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(`${url}/v1/products`, { method: "POST", agent, headers }, (answer) => {
      answer.on("data", () => {}).on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("error", (error) => resolve(error.message));
    });
    sent.on("error", (error) => resolve((error as { code?: string }).code ?? error.message));
    sent.end(JSON.stringify(body));
  });
}

async function metrics(url: string, key: string): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text();
}

/** The response of `/health` once the service accepts no more requests. */
async function stopping(url: string): Promise<Response> {
  for (;;) {
    const health = await fetch(`${url}/health`);
    if (health.status === 503 && health.headers.has("retry-after")) return health;
    await Bun.sleep(50);
  }
}

/** Opens a connection and starts a request with a body of 100 bytes, which ends on demand. */
async function beginRequest(url: string, key: string) {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  const body = JSON.stringify({ sku: "SLOW", name: "x".repeat(100) }).padEnd(200);
  const said = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("close", () => said.resolve(text));
  socket.on("error", () => {});
  const head = [
    "POST /v1/products HTTP/1.1",
    "Host: packhouse.test",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 50)}`);
  while (!(await metrics(url, key)).includes("packhouse_http_requests_under_way 2\n")) await Bun.sleep(50);
  return { finish: () => socket.write(body.slice(50)), said: said.promise };
}

describe("stop: works", () => {
  test(
    "under load: everything acknowledged is stored, and everything refused was not done",
    async () => {
      const service = await start();
      const key = await service.makeKey("live");
      const kept: string[] = [];
      const unanswered: string[] = [];
      const work = async (worker: number) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let n = 0; ; n += 1) {
          const sku = `S-${worker}-${n}`;
          const outcome = await post(service.url, key, agent, { sku, name: sku });
          if (outcome === 201) kept.push(sku);
          else {
            // Refused because the service is stopping, or too late for that response: then nothing was done.
            expect([503, "ECONNRESET", "ECONNREFUSED"]).toContain(outcome);
            unanswered.push(sku);
            agent.destroy();
            return;
          }
        }
      };
      const workers = Array.from({ length: 16 }, (_, worker) => work(worker));
      while (kept.length < 200) await Bun.sleep(20);
      const code = await service.stop();
      await Promise.all(workers);
      expect(code).toBe(0);
      expect(unanswered).toHaveLength(16);
      const { must } = client((await again(service)).url, key);
      const there = new Set<string>();
      for (let page = "/products?limit=100"; page !== ""; ) {
        const { data, meta } = await must("GET", page);
        for (const { sku } of data) there.add(sku);
        const { next_cursor } = meta.pagination;
        page = next_cursor === null ? "" : `/products?limit=100&cursor=${next_cursor}`;
      }
      expect(kept.filter((sku) => !there.has(sku))).toEqual([]);
      expect(unanswered.filter((sku) => there.has(sku))).toEqual([]);
    },
    limit_ms,
  );

  test(
    "waits for a pending request and closes its connection; until then others get 503, including /health",
    async () => {
      const service = await start();
      const key = printed("live", service);
      const slow = await beginRequest(service.url, key);
      const code = service.stop();
      const health = await stopping(service.url);
      expect([health.status, health.headers.get("connection"), health.headers.get("retry-after")]).toEqual([
        503,
        "close",
        "1",
      ]);
      expect((await health.json()) as object).toMatchObject({ error: { code: "unavailable" } });
      slow.finish();
      const said = await slow.said;
      expect(said).toMatch(/^HTTP\/1\.1 201 /);
      expect(said.toLowerCase()).toContain("connection: close");
      expect(said).toMatch(/"sku":"SLOW"/);
      expect(await code).toBe(0);
    },
    limit_ms,
  );

  test(
    "waits for a delivery that is being sent, and records it",
    async () => {
      const service = await start();
      const key = printed("test", service);
      const { must } = client(service.url, key);
      const hit = Promise.withResolvers<void>();
      let hits = 0;
      using receiver = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async () => {
          hits += 1;
          hit.resolve();
          await Bun.sleep(1000);
          return new Response("ok");
        },
      });
      const url = `http://127.0.0.1:${receiver.port}/hook`;
      const { data: hook } = await must("POST", "/webhooks", { url, events: ["inventory.updated"] });
      await must("POST", "/products", { sku: "TEA", name: "Tea" });
      await must("POST", "/inventory", { sku: "TEA", quantity: 1 });
      await hit.promise;
      expect(await service.stop()).toBe(0);
      const api = client((await again(service)).url, key);
      const { data: deliveries } = await api.must("GET", `/webhooks/${hook.id}/deliveries`);
      expect(deliveries).toMatchObject([{ status: "delivered", attempts: 1 }]);
      expect(hits).toBe(1);
    },
    limit_ms,
  );
});

describe("stop: guards", () => {
  test(
    "abandons what takes longer than the limit, logs it and exits with 1",
    async () => {
      const service = await start({ PACKHOUSE_STOP_SECONDS: "1", PACKHOUSE_LOG_LEVEL: "error" });
      const slow = await beginRequest(service.url, printed("live", service));
      expect(await service.stop()).toBe(1);
      expect(await slow.said).toBe("");
    },
    limit_ms,
  );

  test(
    "ends immediately at the second signal",
    async () => {
      const service = await start({ PACKHOUSE_STOP_SECONDS: "60" });
      await beginRequest(service.url, printed("live", service));
      const code = service.stop();
      await stopping(service.url);
      process.kill(service.pid, "SIGINT");
      expect(await code).toBe(1);
    },
    limit_ms,
  );
});
