// Power cuts, at any moment of the first start and under load. Whatever was acknowledged must be there afterwards.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Random, seededRandom } from "../../src/core/random.ts";
import { defaultProgram, type StartedService, startService } from "../service.ts";
import type { FaultScript } from "./fault_script.ts";
import { type LoopDisk, lacksLoopDisks, loopDisk } from "./loop_disk.ts";

const usual_cycles = 20;
const disk_mib = 400;
const clients = 16;
/** A cut counts only if this many writes were acknowledged before it. */
const acknowledged_min = 100;
const ready_within_ms = 60_000;

/** The same program on a disk that only claims to have synced: it must lose data. */
export const unsynced: readonly string[] = [process.execPath, join(import.meta.dir, "unsynced.ts"), ...defaultProgram];

/** The result of some cuts: what was acknowledged before, and descriptions of what was missing afterwards. */
export interface Cuts {
  cuts: number;
  acknowledged: number;
  readonly losses: string[];
}

/** A service whose data lies on a disk with removable power. */
interface Bench {
  readonly disk: LoopDisk;
  readonly data: string;
  readonly log: string;
  readonly random: Random;
}

// The service must create and store the key itself.
const env = { PACKHOUSE_SECRET_KEY: "" };

/** Cuts the power of services that start for the first time, during the start or soon after. */
export function cutFirstStarts(cuts: number, program: readonly string[] = defaultProgram): Promise<Cuts> {
  return onBench(async (bench) => {
    const result: Cuts = { cuts: 0, acknowledged: 0, losses: [] };
    let start_ms = 1000;
    for (let cycle = 0; cycle < cuts; cycle += 1) {
      bench.disk.format();
      // Half of them during the start, the others a moment after, when everything has been reported and nothing is
      // written.
      const early = cycle % 2 === 0 && program === defaultProgram;
      const begun_at = performance.now();
      const server = launch(bench, program);
      if (early) await Promise.race([server.ready, Bun.sleep(bench.random.integer(0, Math.ceil(start_ms)))]);
      else {
        await server.ready;
        start_ms = performance.now() - begun_at;
        await Bun.sleep(bench.random.integer(0, 300));
      }
      const keys = [...server.output().matchAll(/ph_(?:live|test)_\w+/g)].map(([key]) => key);
      bench.disk.cut();
      result.cuts += 1;
      await server.kill();
      bench.disk.restore();
      result.acknowledged += keys.length;
      await restarted(bench, result.losses, async (service) => {
        for (const key of keys) {
          const { status } = await ask(service, key, "GET", "/products");
          if (status !== 200) result.losses.push(`a key that had been printed returns ${status}`);
        }
        // If cut between creating and printing the keys, they are lost, and the service explains how to create others.
        const output = server.output() + service.output;
        if (!/ph_live_|keys create/.test(output)) result.losses.push("it does not mention keys");
      });
    }
    return result;
  });
}

interface Write {
  readonly key: string;
  readonly name: string;
  /** The response, once the write was acknowledged. */
  answer: string | null;
}

/** Cuts the power of a service that many clients write to, repeatedly on one disk. */
export function cutUnderLoad(cuts: number, program: readonly string[] = defaultProgram): Promise<Cuts> {
  return onBench(async (bench) => {
    const result: Cuts = { cuts: 0, acknowledged: 0, losses: [] };
    let keys: string[] = [];
    for (let cycle = 0; cycle < cuts && result.losses.length === 0; cycle += 1) {
      await restarted({ ...bench, program }, result.losses, async (service) => {
        if (keys.length === 0) keys = await Promise.all([service.makeKey("live"), service.makeKey("test")]);
        // A control must lose what it acknowledges from now on, not its keys.
        if (program !== defaultProgram) bench.disk.sync();
        const writes = await loaded(bench, service, keys, `P${cycle}`);
        result.cuts += 1;
        result.acknowledged += writes.filter(({ answer }) => answer !== null).length;
        bench.disk.restore();
        await restarted(bench, result.losses, (again) => settled(again, writes, result.losses));
      });
    }
    await restarted(bench, result.losses, async (service) => {
      const { output } = await service.verify();
      if (output !== "live: 0 differences\ntest: 0 differences\n") result.losses.push(output);
    });
    return result;
  });
}

/** Writes to both environments until the power is cut and the service has ended. */
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
      if (status !== 201) throw new Error(`a write returned ${status}: ${text}`);
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

/** Repeats every write. One that was acknowledged gets the same response, byte for byte, and so its effect is there. */
async function settled(service: StartedService, writes: readonly Write[], losses: string[]): Promise<void> {
  const left = [...writes];
  const client = async () => {
    for (let write = left.pop(); write !== undefined; write = left.pop()) {
      const { status, text } = await post(service, write);
      if (status !== 201) losses.push(`${write.name} returns ${status}`);
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

/** Starts a service without waiting: it may be cut before it is ready. */
function launch({ data }: Bench, program: readonly string[]) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("PACKHOUSE_"));
  const server = Bun.spawn([...program, "serve", "--port", "0", "--data", data], {
    ...{ env: Object.fromEntries(inherited), stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  });
  let output = "";
  const ready = Promise.withResolvers<void>();
  const late = setTimeout(() => ready.reject(new Error("the service was not ready in time")), ready_within_ms);
  const read = async () => {
    for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      if (output.includes("accepts requests at")) ready.resolve();
    }
    ready.reject(new Error(`the service ended before it was ready: ${output}`));
  };
  const end = read().finally(() => clearTimeout(late));
  ready.promise.catch(() => {});
  return {
    ready: ready.promise,
    output: () => output,
    kill: async () => {
      server.kill("SIGKILL");
      await server.exited;
      await end;
    },
  };
}

/** Starts the service on what the disk now holds, and stops it after `work`. If it does not start, that is a loss. */
async function restarted(
  { data, log, program = defaultProgram }: Bench & { program?: readonly string[] },
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

/** Prints the result of some cuts. Returns how many checks failed. A control must lose something. */
function report(what: string, { cuts, acknowledged, losses }: Cuts, is_control = false): number {
  console.log(`  ${what}: ${cuts} cuts, ${acknowledged} acknowledged before, ${losses.length} lost`);
  const shown = losses.slice(0, is_control ? 1 : 5);
  for (const loss of shown) console.log(`    ${is_control ? "for example: " : ""}${loss}`);
  if (is_control && losses.length === 0) console.log("    nothing was lost, so this run proves nothing");
  return losses.length > 0 === is_control ? 0 : 1;
}

/** Why power cannot be cut here; null if it can. */
export function lacksPowerCuts(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-power-"));
  try {
    return lacksLoopDisks(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const power: FaultScript = {
  description: "cuts the power at the first start and under load (the number says how often)",
  lacks: async () => lacksPowerCuts(),
  run: async (cycles = usual_cycles) => {
    const controls = Math.min(cycles, 3);
    return (
      report("at the first start", await cutFirstStarts(cycles)) +
      report("under load", await cutUnderLoad(cycles)) +
      report("control, at the first start without fsync", await cutFirstStarts(controls, unsynced), true) +
      report("control, under load without fsync", await cutUnderLoad(controls, unsynced), true)
    );
  },
};
