// Keys with real servers: a change on one applies to all, and the client's address is taken from the connection.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { flagsOf, runCommand, type StartedService } from "../../../scripts/service.ts";
import { engine } from "../../../src/core/config.ts";
import { client, freshDatabase } from "../../flows/service.ts";
import { startWatchedService } from "../../flows/watched_service.ts";

// Each step starts a process, possibly on a busy machine.
setDefaultTimeout(60_000);

const env = { PACKHOUSE_TRUSTED_PROXIES: "127.0.0.0/8, ::1, 10.0.0.0/8" };
const within_ms = 1000;
let services: StartedService[];
let full: string;
beforeAll(async () => {
  const database_url = await freshDatabase();
  const first = await startWatchedService({ database_url, env });
  // On PostgreSQL, two servers use the same data.
  services = engine === "postgres" ? [first, await startWatchedService({ database_url, env })] : [first];
  full = await first.makeKey("live");
});
afterAll(async () => {
  for (const service of services) await service.remove();
});

const api = (at = 0) => client(services[at]?.url ?? "", full);

async function make(fields: object = {}): Promise<{ id: string; key: string }> {
  const { data } = await api().must("POST", "/keys", { name: "till", permission: "read", ...fields });
  return data;
}

/** The response of each server to a key. */
async function answers(key: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { url } of services) {
    const { status, body } = await client(url, key).send("GET", "/products");
    all.push(status === 200 ? 200 : body.error.code);
  }
  return all;
}
const everywhere = (answer: unknown) => services.map(() => answer);

/** Runs a command alongside the servers. */
async function packhouse(...words: string[]): Promise<void> {
  const { err, code } = await runCommand([...words, ...flagsOf(services[0] as StartedService)]);
  expect([err, code]).toEqual(["", 0]);
}

test("a key revoked on one server is refused by all within a second", async () => {
  const { id, key } = await make();
  expect(await answers(key)).toEqual(everywhere(200));
  await api().must("DELETE", `/keys/${id}`);
  await Bun.sleep(within_ms);
  expect(await answers(key)).toEqual(everywhere("api_key_revoked"));
});

test("a key revoked on the command line is refused by running servers within a second", async () => {
  const { id, key } = await make();
  expect(await answers(key)).toEqual(everywhere(200));
  await packhouse("keys", "revoke", "--id", id);
  await Bun.sleep(within_ms);
  expect(await answers(key)).toEqual(everywhere("api_key_revoked"));
});

test("a new IP list applies to all servers within a second", async () => {
  const { id, key } = await make();
  expect(await answers(key)).toEqual(everywhere(200));
  await api().must("PATCH", `/keys/${id}`, { ip_mode: "enforce", ip_list: ["198.51.100.7"] });
  await Bun.sleep(within_ms);
  expect(await answers(key)).toEqual(everywhere("ip_not_allowed"));
});

/** The status and error code of a request for the list with these header lines, written to the socket. */
async function raw(key: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(services[0]?.url ?? "");
  const socket = connect(Number(port), hostname);
  const head = ["GET /v1/products HTTP/1.1", `Host: ${hostname}:${port}`, `Authorization: Bearer ${key}`, ...lines];
  socket.write([...head, "Connection: close", "", ""].join("\r\n"));
  const text = await new Response(socket as unknown as ReadableStream).text();
  return `${/^HTTP\/1.1 (\d+)/.exec(text)?.[1]} ${/^x-ip-allowlist: (\w+)/im.exec(text)?.[1] ?? "-"}`;
}

test("the client's address is the one that the last trusted proxy wrote", async () => {
  const { key } = await make({ ip_mode: "observe", ip_list: ["198.51.100.7", "2a00:7::/32"] });
  const cases: [string[], string][] = [
    [[], "denied"],
    [["X-Forwarded-For: 198.51.100.7"], "allowed"],
    [["X-Forwarded-For: 198.51.100.7, 203.0.113.9"], "denied"],
    [["X-Forwarded-For: 203.0.113.9, 198.51.100.7, 10.1.1.1"], "allowed"],
    [["X-Forwarded-For: 198.51.100.7", "X-Forwarded-For: 203.0.113.9"], "denied"],
    [["x-forwarded-for: 203.0.113.9", "X-FORWARDED-FOR: 198.51.100.7", "X-Forwarded-For: 10.1.1.1"], "allowed"],
    [["X-Forwarded-For: [2a00:7::1]:443"], "allowed"],
    [["X-Forwarded-For: 198.51.100.7, nobody"], "denied"],
  ];
  for (const [lines, word] of cases) expect([lines, await raw(key, lines)]).toEqual([lines, `200 ${word}`]);
});
