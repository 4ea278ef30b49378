// Caddy in front of two servers on one PostgreSQL, with the configuration that operators get.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedService, startService } from "../../service.ts";
import type { Look } from "./debian.ts";

const caddyfile = join(import.meta.dir, "../../package/container/Caddyfile");
const orders_each = 100;
const hint_within_ms = 15_000;
const pause_ms = 20;
// Longer than a few of the health checks that Caddy makes.
const seen_within_ms = 4000;

/** Restarts two servers behind Caddy alternately under load, and listens to the dashboard's event stream. */
export async function lifeBehindCaddy(database_url: string, program: readonly string[]): Promise<readonly Look[]> {
  const looks: Look[] = [];
  const see = (what: string, is_so: boolean, found: unknown) => {
    looks.push({ what, instead: is_so ? null : JSON.stringify(found) });
  };
  const home = mkdtempSync(join(tmpdir(), "packhouse-caddy-"));
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const start = (port: number) => startService({ database_url, program, port });
  const servers: StartedService[] = [];
  const url = `http://127.0.0.1:${ports[2]}`;
  let caddy: Bun.Subprocess | null = null;
  try {
    for (const port of ports.slice(0, 2)) servers.push(await start(port));
    const [first, second] = servers as [StartedService, StartedService];
    const env = {
      ...{ PATH: process.env["PATH"] ?? "", HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
      PACKHOUSE_DOMAIN: url,
      PACKHOUSE_SERVERS: servers.map((server) => new URL(server.url).host).join(" "),
    };
    caddy = Bun.spawn(["caddy", "run", "--config", caddyfile, "--adapter", "caddyfile"], {
      ...{ env, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    });
    const key = await first.makeKey("live");
    await answering(url);
    see("Caddy forwards to a server", (await fetch(`${url}/health`)).ok, "no");
    see("a hint reaches the dashboard at once", await hears(url, key), "nothing came in time");
    const restarts = async () => {
      for (const [at, server] of [first, second].entries()) {
        see("a server stops gracefully", (await server.stop()) === 0, "another exit code");
        servers[at] = await start(Number(new URL(server.url).port));
        // Caddy must see that it is back before the next one stops, as the guide says.
        await Bun.sleep(seen_within_ms);
      }
    };
    let over = false;
    const asking = asks(url, key, () => over);
    await restarts();
    over = true;
    const { sent, failed } = await asking;
    console.log(`  ${sent} requests while both were restarted in turn, ${failed.length} failed`);
    see("no request fails while servers are restarted alternately", failed.length === 0 && sent > orders_each, failed);
  } finally {
    caddy?.kill("SIGKILL");
    for (const server of servers) await server.remove();
    rmSync(home, { recursive: true, force: true });
  }
  return looks;
}

async function freePort(): Promise<number> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

/** Waits until something responds, since Caddy does not report when it is ready. */
async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok) return;
    await Bun.sleep(100);
  }
  throw new Error(`Nothing responds at ${url}.`);
}

/** Whether a change arrives through the proxy, on a stream that stays open. */
async function hears(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "accept-encoding": "gzip" };
  const ending = new AbortController();
  const stream = await fetch(`${url}/dashboard/api/events`, { headers, signal: ending.signal });
  const late = setTimeout(() => ending.abort(), hint_within_ms);
  const post = (path: string, body: object) =>
    fetch(`${url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  try {
    const decoder = new TextDecoder();
    let [text, has_changed] = ["", false];
    for await (const chunk of stream.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (/"noun":"inventory"/.test(text)) return true;
      if (!/event: ready/.test(text) || has_changed) continue;
      has_changed = true;
      // Either server may make the change: both stream the events of either.
      await post("products", { sku: "HEARD", name: "Tea" });
      await post("inventory", { sku: "HEARD", quantity: 5 });
    }
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(late);
    ending.abort();
  }
}

/**
 * Writes and reads until `isOver`. Returns what failed. A write carries an idempotency key, so it may be
 * repeated.
 */
async function asks(url: string, key: string, isOver: () => boolean) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const failed: string[] = [];
  let sent = 0;
  while (!isOver()) {
    sent += 2;
    const sku = `ASKED-${sent}`;
    const answers = await Promise.all([
      fetch(`${url}/v1/products`, {
        ...{ method: "POST", headers: { ...headers, "idempotency-key": sku } },
        body: JSON.stringify({ sku, name: "Tea" }),
      }),
      fetch(`${url}/v1/orders`, { headers }),
    ]).catch((error) => [String(error)]);
    for (const answer of answers) {
      if (typeof answer === "string") failed.push(answer);
      else if (!answer.ok) failed.push(`${answer.status} ${await answer.text()}`);
      else await answer.bytes();
    }
    await Bun.sleep(pause_ms);
  }
  return { sent, failed };
}
