// Loads a server over keep-alive connections from a second process: `wrk` if it is installed, else autocannon.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * One kind of request. In `path` and `body`, `{n}` becomes a number that no other request of the run has, and `{id}`
 * one of `ids`.
 */
export interface Shot {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly body?: string;
  readonly ids?: readonly (number | string)[];
}

export interface Figures {
  readonly requests_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Responses other than 2xx. */
  readonly failed: number;
}

export interface Load {
  readonly url: string;
  readonly key: string;
  readonly shot: Shot;
  readonly seconds: number;
  /** The first value of `{n}`. Runs that share a server start at different values. */
  readonly first: number;
}

/** The number of connections. Each sends its next request once it has a response. */
export const connections = 32;

export const driver: "wrk" | "autocannon" = Bun.which("wrk") === null ? "autocannon" : "wrk";

/** Sends one kind of request for some seconds and returns the figures. */
export function load(it: Load): Promise<Figures> {
  return driver === "wrk" ? withWrk(it) : withAutocannon(it);
}

async function withWrk({ url, key, shot, seconds, first }: Load): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-bench-"));
  const script = join(folder, "shot.lua");
  writeFileSync(script, luaOf(shot, key, first));
  const flags = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, url];
  const out = await textOf("wrk", flags);
  rmSync(folder, { recursive: true });
  const figure = (pattern: RegExp) => pattern.exec(out)?.slice(1) ?? [];
  const ms = ([amount = "0", unit = "ms"]: string[]) =>
    Number(amount) * (unit === "us" ? 0.001 : unit === "s" ? 1000 : 1);
  return {
    requests_per_second: Number(figure(/Requests\/sec:\s+([\d.]+)/)[0] ?? 0),
    p50_ms: ms(figure(/50%\s+([\d.]+)(us|ms|s)/)),
    p99_ms: ms(figure(/99%\s+([\d.]+)(us|ms|s)/)),
    failed: Number(figure(/Non-2xx or 3xx responses: (\d+)/)[0] ?? 0),
  };
}

function luaOf({ method, path, body = "", ids = [] }: Shot, key: string, first: number): string {
  // Lua's operator joins at most two hundred pieces.
  const fill = (text: string) =>
    `table.concat({${JSON.stringify(text).replaceAll("{n}", '", n, "').replaceAll("{id}", '", id, "')}})`;
  return `
local n = ${first}
local ids = {${ids.map((id) => JSON.stringify(id)).join(",")}}
local headers = {["authorization"]="Bearer ${key}", ["content-type"]="application/json"}
request = function()
  n = n + 1
  local id = #ids > 0 and ids[n % #ids + 1] or ""
  return wrk.format("${method}", ${fill(path)}, headers, ${method === "GET" ? "nil" : fill(body)})
end
`;
}

async function withAutocannon({ url, key, shot, seconds, first }: Load): Promise<Figures> {
  const settings = JSON.stringify({ url, key, shot, connections, seconds, first });
  const module = createRequire(import.meta.url).resolve("autocannon");
  const program = `
    const autocannon = require(${JSON.stringify(module)});
    const { url, key, shot, connections, seconds, first } = ${settings};
    let n = first;
    const setupRequest = (request) => {
      n += 1;
      const fill = (text) => text.replaceAll("{n}", n).replaceAll("{id}", shot.ids?.[n % shot.ids.length]);
      return { ...request, path: fill(shot.path), ...(shot.body ? { body: fill(shot.body) } : {}) };
    };
    const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
    const request = { method: shot.method, path: "/", headers, setupRequest };
    autocannon({ url, connections, duration: seconds, requests: [request] })
      .then((it) => console.log(JSON.stringify(it)));`;
  const it = JSON.parse(await textOf(process.execPath, ["run", "-"], program));
  return {
    requests_per_second: it.requests.average,
    p50_ms: it.latency.p50,
    p99_ms: it.latency.p99,
    failed: it.non2xx + it.errors,
  };
}

/** The median of each figure. */
export function median<T>(of: readonly T[], figure: (one: T) => number): T {
  const sorted = of.toSorted((a, b) => figure(a) - figure(b));
  return sorted[Math.floor(sorted.length / 2)] as T;
}

function textOf(program: string, words: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(input);
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve(text) : reject(new Error(`${program} ended with ${code}`))));
  });
}
