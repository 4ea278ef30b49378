// How soon the compiled binary responds after its start, and how much memory it uses, compared with a bare Bun server.
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary, compile } from "../build.ts";
import { root } from "../install.ts";
import { default_secret_key, startService } from "../service.ts";
import { env, startStocked } from "./business.ts";
import { load, median } from "./load.ts";
import { fillLedger } from "./seed.ts";
import { adjust, listStock, reserveSome } from "./shots.ts";

const rounds = 15;
const movements = 2_500_000;
const goals = { times_bare: 4, first_ms: 100, grown: 1.2, idle_mb: 80, loaded_mb: 250 } as const;
const settles_ms = 10_000;
const patience_ms = 30_000;

/** One way to start a server; `port` is where it listens. */
interface Side {
  readonly name: string;
  readonly words: (port: number) => readonly string[];
  /** What is done before each start. */
  readonly before?: () => Promise<void>;
  /** A key for requesting a list after the first response. */
  readonly key?: string;
}

/** From the start of a process to its first response, and its CPU time until then. */
interface First {
  readonly ms: number;
  readonly cpu_ms: number;
}

/** The first response after a start, and the first list of orders. */
interface Firsts extends First {
  readonly list: First | null;
}

/** Measures starts and memory of the compiled binary. Returns how many goals are missed. */
export async function measureStart(seconds: number): Promise<number> {
  const built = Bun.spawnSync([process.execPath, join(root, "scripts/build.ts")], { stdout: "ignore" });
  if (built.exitCode !== 0) throw new Error("The binary could not be built.");
  const folder = await mkdtemp(join(tmpdir(), "packhouse-bench-start-"));
  try {
    const data = { first: join(folder, "first"), small: join(folder, "small"), big: join(folder, "big") };
    const bare = await compileBare(folder);
    const key = await fillData(data.small, data.big);
    const serve = (place: string) => (port: number) => [binary, "serve", "--port", String(port), "--data", place];
    const none = async () => await rm(data.first, { recursive: true, force: true });
    const missed = await measureFirsts([
      { name: "bare Bun", words: () => [bare] },
      { name: "no data yet", words: serve(data.first), before: none },
      { name: `small data (${await megabytes(data.small)})`, words: serve(data.small), key },
      { name: `much data (${await megabytes(data.big)})`, words: serve(data.big), key },
    ]);
    await measureCommands(data.small);
    return missed + (await measureMemory(bare, data.small, key, seconds));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compiles a server that returns the same response to every request, with the same options as the binary. */
async function compileBare(folder: string): Promise<string> {
  const source = join(folder, "bare.ts");
  const port = 'Number(process.env["BARE_PORT"])';
  await Bun.write(source, `Bun.serve({ port: ${port}, hostname: "127.0.0.1", fetch: () => new Response("ok") });\n`);
  const outfile = join(folder, "bare");
  await compile([source], outfile);
  return outfile;
}

/** Creates a business with stock, and a copy of it with a long ledger. Returns a key for both. */
async function fillData(small: string, big: string): Promise<string> {
  const { service, key } = await startStocked();
  await service.stop();
  for (const place of [small, big]) await cp(service.data, place, { recursive: true });
  await rm(service.data, { recursive: true });
  fillLedger(join(big, "test.db"), movements);
  // Files that another program has written are read through once, and then no more.
  for (const data of [small, big]) await (await startService({ program: [binary], data, env })).stop();
  return key;
}

const megabytes = async (data: string) => `${Math.round((await stat(join(data, "test.db"))).size / 1e6)} MB`;

async function measureFirsts(sides: readonly Side[]): Promise<number> {
  const measured = sides.map((side) => ({ side, firsts: [] as Firsts[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { side, firsts } of measured) {
      await side.before?.();
      const first = await firstAnswer(side);
      // The first round reads the files into the page cache.
      if (round > 0) firsts.push(first);
    }
  }
  const [bare, , small, big] = measured.map(({ firsts }) => ({
    ms: median(firsts, ({ ms }) => ms).ms,
    cpu_ms: median(firsts, ({ cpu_ms }) => cpu_ms).cpu_ms,
  })) as [First, First, First, First];
  console.log(`\nfrom start to first response, median of ${rounds} (goal: at most ${goals.times_bare} × bare or`);
  console.log(`${goals.first_ms} ms, and as soon with much data as with little)`);
  console.log(`${"".padEnd(34)}${["ms", "CPU ms", "× bare"].map((it) => it.padStart(12)).join("")}`);
  for (const { side, firsts } of measured) {
    const { ms } = median(firsts, (one) => one.ms);
    const { cpu_ms } = median(firsts, (one) => one.cpu_ms);
    console.log(row(side.name, [ms.toFixed(0), cpu_ms.toFixed(0), (ms / bare.ms).toFixed(1)]));
  }
  console.log("\nfrom start to the first list of orders, requested after that");
  for (const { side, firsts } of measured) {
    const lists = firsts.flatMap(({ list }) => list ?? []);
    if (lists.length === 0) continue;
    const [ms, cpu] = [median(lists, (one) => one.ms).ms, median(lists, (one) => one.cpu_ms).cpu_ms];
    console.log(row(side.name, [ms.toFixed(0), cpu.toFixed(0), (ms / bare.ms).toFixed(1)]));
  }
  const late = small.ms > goals.first_ms && small.ms > goals.times_bare * bare.ms;
  const grown = big.cpu_ms > goals.grown * small.cpu_ms;
  return [late, grown].filter((missed) => missed).length;
}

const row = (name: string, cells: readonly string[]) =>
  `${name.padEnd(34)}${cells.map((it) => it.padStart(12)).join("")}`;

/** A running server, when it was started, and the time of its first response. */
interface Begun extends First {
  readonly child: Bun.Subprocess;
  readonly port: number;
  readonly begun: number;
}

/** Starts a server and waits for its first response. */
async function begin({ words }: Pick<Side, "words">): Promise<Begun> {
  const port = await freePort();
  const own = { PACKHOUSE_SECRET_KEY: default_secret_key, PACKHOUSE_LOG_LEVEL: "error", BARE_PORT: String(port) };
  const begun = performance.now();
  const child = Bun.spawn([...words(port)], { env: own, stdio: ["ignore", "ignore", "inherit"] });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (answer?.ok) break;
    if (child.exitCode !== null || performance.now() - begun > patience_ms) throw new Error("It does not respond.");
    await Bun.sleep(1);
  }
  return { child, port, begun, ms: performance.now() - begun, cpu_ms: cpuOf(child.pid) };
}

async function firstAnswer(side: Side): Promise<Firsts> {
  const { child, port, begun, ms, cpu_ms } = await begin(side);
  let list: First | null = null;
  if (side.key !== undefined) {
    const headers = { authorization: `Bearer ${side.key}` };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/orders`, { headers });
    if (!answer.ok) throw new Error(`The list of orders returned ${answer.status}.`);
    await answer.arrayBuffer();
    list = { ms: performance.now() - begun, cpu_ms: cpuOf(child.pid) };
  }
  child.kill("SIGTERM");
  await child.exited;
  return { ms, cpu_ms, list };
}

/** The CPU time of all threads of a process, in milliseconds. */
function cpuOf(pid: number): number {
  const of = (thread: string) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0) / 1e6;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** How long commands that serve no requests take. */
async function measureCommands(data: string): Promise<void> {
  console.log("\ncommands, from start to end");
  const make = ["keys", "create", "--create-data", "--name", "bench", "--mode", "test", "--data", data];
  for (const words of [["version"], ["--help"], ["keys", "list", "--data", data], make]) {
    const took = Array.from({ length: rounds }, () => {
      const begun = performance.now();
      const { resourceUsage } = Bun.spawnSync([binary, ...words], { env: {} });
      const { user, system } = resourceUsage.cpuTime;
      return { ms: performance.now() - begun, cpu_ms: Number(user + system) / 1000 };
    });
    const [ms, cpu] = [median(took, (one) => one.ms).ms, median(took, (one) => one.cpu_ms).cpu_ms];
    console.log(row(words.slice(0, 2).join(" "), [ms.toFixed(0), cpu.toFixed(0)]));
  }
}

/**
 * The memory of a process in MB: all of it, and its share if pages shared with other processes are divided among them.
 */
function memoryOf(pid: number): { rss: number; pss: number } {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024;
  return { rss: of("Rss"), pss: of("Pss") };
}

async function measureMemory(bare: string, data: string, key: string, seconds: number): Promise<number> {
  console.log(`\nmemory (goal: at most ${goals.idle_mb} MB idle, ${goals.loaded_mb} MB under load)`);
  console.log(row("", ["RSS MB", "PSS MB"]));
  const tell = (name: string, pid: number) => {
    const { rss, pss } = memoryOf(pid);
    console.log(row(name, [rss.toFixed(0), pss.toFixed(0)]));
    return rss;
  };
  const idle = await begin({ words: () => [bare] });
  const served = await begin({ words: (port) => [binary, "serve", "--port", String(port), "--data", data] });
  await Bun.sleep(settles_ms);
  tell("bare Bun, idle", idle.child.pid);
  const at_rest = tell("idle, 10 s after start", served.child.pid);
  const url = `http://127.0.0.1:${served.port}`;
  let most = 0;
  for (let round = 0; round < 3; round += 1) {
    for (const shot of [adjust, reserveSome, listStock]) {
      await load({ url, key, shot, seconds, first: round * 1_000_000 });
      most = Math.max(most, memoryOf(served.child.pid).rss);
    }
    tell(`after load, round ${round + 1} of 3`, served.child.pid);
  }
  for (const { child } of [idle, served]) child.kill("SIGTERM");
  await Promise.all([idle.child.exited, served.child.exited]);
  return [at_rest > goals.idle_mb, most > goals.loaded_mb].filter((missed) => missed).length;
}
