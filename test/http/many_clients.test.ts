// More clients than the process has file descriptors for.
import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { defaultProgram, type StartedService } from "../../scripts/service.ts";
import { client, startFreshService } from "../flows/service.ts";

const limit_ms = 120_000;
const descriptors = 256;
const crowd = 400;
const spell_ticks = 50;
const spells_max = 8;
const limited = (...command: string[]) => ["sh", "-c", `ulimit -n ${descriptors}; exec "$@"`, "sh", ...command];

let service: StartedService | null = null;
let bare: Bun.Subprocess<"ignore", "pipe", "inherit"> | null = null;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  bare?.kill("SIGKILL");
  await service?.remove();
});

/** Opens a connection and sends `head`. Returns what is read from it until it ends. */
function open(url: string, head = "") {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const said = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  socket.on("close", () => said.resolve(text));
  socket.write(head);
  sockets.push(socket);
  return { socket, said: said.promise };
}

/** The CPU ticks that a process has used. */
function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/**
 * The CPU ticks of a process per tick of a spinning one: the minimum of several intervals, since a service that has
 * just started has other work, which ends. A spinning process uses as much in every interval, also on a busy machine.
 */
async function leastWork(pid: number, spinning: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let spell = 0; spell <= spells_max && least >= 0.5; spell += 1) {
    const [worked, spun] = [ticks(pid), ticks(spinning)];
    while (ticks(spinning) - spun < spell_ticks) await Bun.sleep(20);
    // In the first interval clients are still connecting.
    if (spell > 0) least = Math.min(least, (ticks(pid) - worked) / (ticks(spinning) - spun));
  }
  return least;
}

/** A plain Bun server that is out of file descriptors. */
async function startBare(): Promise<{ url: string; pid: number }> {
  const program = `console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() }).url.href)`;
  const command = limited(process.execPath, "-e", program);
  bare = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { value } = await bare.stdout.getReader().read();
  return { url: new TextDecoder().decode(value).trim(), pid: bare.pid };
}

test.skipIf(process.platform !== "linux")(
  "at the descriptor limit it does not spin or lose anything, and continues when clients have left",
  async () => {
    service = await startFreshService({ program: limited(...defaultProgram) });
    const { url, pid, makeKey } = service;
    const spinning = await startBare();
    const key = await makeKey("live");
    const body = JSON.stringify({ sku: "TEA", name: "Tea" });
    const head = `POST /v1/products HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n`;
    const begun = open(url, `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`);
    const metrics = async () => (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text();
    while (!(await metrics()).includes("packhouse_http_requests_under_way 2\n")) await Bun.sleep(50);
    for (let n = 0; n < crowd; n += 1) for (const address of [url, spinning.url]) open(address);
    // If Bun alone no longer spins, this never ends, and watching the port is no longer needed.
    expect(await leastWork(pid, spinning.pid)).toBeLessThan(0.5);
    begun.socket.write(body.slice(1));
    expect(await begun.said).toStartWith("HTTP/1.1 201 ");
    for (const socket of sockets.splice(0)) socket.destroy();
    while ((await fetch(`${url}/health`).catch(() => null))?.status !== 200) await Bun.sleep(50);
    expect((await client(url, key).must("GET", "/products?sku=TEA")).data).toHaveLength(1);
    expect(await metrics()).toMatch(/^packhouse_port_closed_total [1-9]/m);
  },
  limit_ms,
);
