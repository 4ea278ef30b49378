// Power cuts: at any moment of the first start, and under load. What was acknowledged must be there when power is back.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { type StartedService, startService, usualProgram } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";
import { type LoopDisk, lacksLoopDisks, loopDisk } from "./loop_disk.ts";

const usual_cycles = 20;
const disk_mib = 400;
const clients = 16;
/** A cut counts only when so many writes were acknowledged before it. */
const acknowledged_min = 100;
const ready_within_ms = 60_000;

/** The same program on a disk that only says that it has synced: what must lose. */
export const unsynced: readonly string[] = [process.execPath, join(import.meta.dir, "unsynced.ts"), ...usualProgram];

/** What came of some cuts: what was acknowledged before, and what was not there afterwards, in words. */
export interface Cuts {
  cuts: number;
  acknowledged: number;
  readonly losses: string[];
}

/** A service whose data lies on a disk that is cut from it. */
interface Bench {
  readonly disk: LoopDisk;
  readonly data: string;
  readonly log: string;
  readonly random: Random;
}

// The key is to be made and kept by the service itself.
const env = { PACKHOUSE_SECRET_KEY: "" };

/** Cuts the power of services that start for the first time, in any moment of it or soon after. */
export function cutFirstStarts(cuts: number, program: readonly string[] = usualProgram): Promise<Cuts> {
  return onBench(async (bench) => {
    const result: Cuts = { cuts: 0, acknowledged: 0, losses: [] };
    let start_ms = 1000;
    for (let cycle = 0; cycle < cuts; cycle += 1) {
      bench.disk.format();
      // Half of them while it starts; the others a moment after, when everything has been said and nothing is written.
      const early = cycle % 2 === 0 && program === usualProgram;
      const begun_at = performance.now();
      const server = launch(bench, program);
      if (early) await Promise.race([server.ready, Bun.sleep(bench.random.integer(0, Math.ceil(start_ms)))]);
      else {
        await server.ready;
        start_ms = performance.now() - begun_at;
        await Bun.sleep(bench.random.integer(0, 300));
      }
      const keys = [...server.said().matchAll(/ph_(?:live|test)_\w+/g)].map(([key]) => key);
      bench.disk.cut();
      result.cuts += 1;
      await server.kill();
      bench.disk.restore();
      result.acknowledged += keys.length;
      await restarted(bench, result.losses, async (service) => {
        for (const key of keys) {
          const { status } = await ask(service, key, "GET", "/products");
          if (status !== 200) result.losses.push(`a key that had been printed is answered ${status}`);
        }
        // Cut between their making and their printing, they are gone: then it says how to make others.
        const said = server.said() + service.said;
        if (!/ph_live_|keys create/.test(said)) result.losses.push("it says nothing of keys");
      });
    }
    return result;
  });
}

interface Write {
  readonly key: string;
  readonly name: string;
  /** The answer, once it was acknowledged. */
  answer: string | null;
}

/** Cuts the power of a service that many clients write to, again and again on one disk. */
export function cutUnderLoad(cuts: number, program: readonly string[] = usualProgram): Promise<Cuts> {
  return onBench(async (bench) => {
    const result: Cuts = { cuts: 0, acknowledged: 0, losses: [] };
    let keys: string[] = [];
    for (let cycle = 0; cycle < cuts && result.losses.length === 0; cycle += 1) {
      await restarted({ ...bench, program }, result.losses, async (service) => {
        if (keys.length === 0) keys = await Promise.all([service.makeKey("live"), service.makeKey("test")]);
        // A control shall lose what it acknowledges from now on, not its keys.
        if (program !== usualProgram) bench.disk.sync();
        const writes = await loaded(bench, service, keys, `P${cycle}`);
        result.cuts += 1;
        result.acknowledged += writes.filter(({ answer }) => answer !== null).length;
        bench.disk.restore();
        await restarted(bench, result.losses, (again) => settled(again, writes, result.losses));
      });
    }
    await restarted(bench, result.losses, async (service) => {
      const { said } = await service.verify();
      if (said !== "live: 0 differences\ntest: 0 differences\n") result.losses.push(said);
    });
    return result;
  });
}

/** Writes to both worlds until the power is cut and the service has ended. */
async function loaded({ disk, random }: Bench, service: StartedService, keys: readonly string[], prefix: string) {
  const writes: Write[] = [];
  let acknowledged = 0;
  let counting = true;
  const enough = Promise.withResolvers<void>();
  const client = async (number: number) => {
    for (let count = 0; counting; count += 1) {
      const write: Write = {
        key: keys[number % keys.length] ?? "",
        name: `${prefix}-${number}-${count}`,
        answer: null,
      };
      writes.push(write);
      const { status, text } = await post(service, write).catch(() => ({ status: 0, text: "" }));
      if (!counting) return;
      if (status !== 201) throw new Error(`a write was answered ${status}: ${text}`);
      write.answer = text;
      acknowledged += 1;
      if (acknowledged === acknowledged_min) enough.resolve();
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  await Promise.race([enough.promise, all]);
  await Bun.sleep(random.integer(0, 300));
  counting = false;
  disk.cut();
  await service.kill();
  await all;
  return writes;
}

/** Sends every write once more: one that was acknowledged is answered the same, byte for byte, and so it is there. */
async function settled(service: StartedService, writes: readonly Write[], losses: string[]): Promise<void> {
  const left = [...writes];
  const client = async () => {
    for (let write = left.pop(); write !== undefined; write = left.pop()) {
      const { status, text } = await post(service, write);
      if (status !== 201) losses.push(`${write.name} is answered ${status}`);
      else if (write.answer !== null && text !== write.answer) losses.push(`${write.name} had been acknowledged`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

const post = (service: StartedService, { key, name }: Write) =>
  ask(service, key, "POST", "/products", { sku: name, name }, { "idempotency-key": name });

async function ask(
  { url }: StartedService,
  key: string,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  const answer = await fetch(`${url}/v1${path}`, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function onBench(work: (bench: Bench) => Promise<Cuts>): Promise<Cuts> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-power-"));
  const disk = loopDisk(folder, disk_mib);
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  try {
    const random = seededRandom(seed);
    return await work({ disk, data: join(disk.path, "data"), log: join(folder, "log"), random });
  } finally {
    disk.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a service and leaves it to start: it may be cut before it is ready. */
function launch({ data }: Bench, program: readonly string[]) {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"));
  const server = Bun.spawn([...program, "serve", "--port", "0", "--data", data], {
    ...{ env: Object.fromEntries(kept), stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  });
  let said = "";
  const ready = Promise.withResolvers<void>();
  const late = setTimeout(() => ready.reject(new Error("the service was not ready in time")), ready_within_ms);
  const read = async () => {
    for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (said.includes("accepts requests at")) ready.resolve();
    }
    ready.reject(new Error(`the service ended before it was ready: ${said}`));
  };
  const end = read().finally(() => clearTimeout(late));
  ready.promise.catch(() => {});
  return {
    ready: ready.promise,
    said: () => said,
    kill: async () => {
      server.kill("SIGKILL");
      await server.exited;
      await end;
    },
  };
}

/** Starts the service on what the disk holds now, and ends it after the work. One that does not start is a loss. */
async function restarted(
  { data, log, program = usualProgram }: Bench & { program?: readonly string[] },
  losses: string[],
  work: (service: StartedService) => Promise<void>,
): Promise<void> {
  writeFileSync(log, "");
  let service: StartedService;
  try {
    service = await startService({ data, env, log, program });
  } catch {
    losses.push(`it does not start: ${readFileSync(log, "utf8").trim()}`);
    return;
  }
  try {
    await work(service);
  } finally {
    await service.kill();
  }
}

/** Prints what came of some cuts; how many checks failed. A control must lose something. */
function told(what: string, { cuts, acknowledged, losses }: Cuts, is_control = false): number {
  console.log(`  ${what}: ${cuts} cuts, ${acknowledged} acknowledged before, ${losses.length} lost`);
  const shown = losses.slice(0, is_control ? 1 : 5);
  for (const loss of shown) console.log(`    ${is_control ? "such as " : ""}${loss}`);
  if (is_control && losses.length === 0) console.log("    nothing was lost: this run shows nothing");
  return losses.length > 0 === is_control ? 0 : 1;
}

/** Why power cannot be cut here; null when it can. */
export function lacksPowerCuts(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-power-"));
  try {
    return lacksLoopDisks(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Power cuts at the first start and under load. */
export const power: FaultScript = {
  tells: "the power is cut, at the first start and under load (a number after it: so many times)",
  lacks: async () => lacksPowerCuts(),
  run: async (cycles = usual_cycles) => {
    const controls = Math.min(cycles, 3);
    return (
      told("at the first start", await cutFirstStarts(cycles)) +
      told("under load", await cutUnderLoad(cycles)) +
      told("control, at the first start without fsync", await cutFirstStarts(controls, unsynced), true) +
      told("control, under load without fsync", await cutUnderLoad(controls, unsynced), true)
    );
  },
};
