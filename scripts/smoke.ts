// Runs the compiled binary as a stranger would: in an empty folder, with an empty environment.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { binary } from "./build.ts";

const patience_ms = 20_000;

function run(folder: string, words: readonly string[]) {
  return Bun.spawn([binary, ...words], { cwd: folder, env: {}, stdio: ["ignore", "pipe", "pipe"] });
}

async function tellsItsVersion(folder: string): Promise<void> {
  const asked = run(folder, ["version"]);
  const [said, code] = await Promise.all([new Response(asked.stdout).text(), asked.exited]);
  if (code !== 0 || !said.includes(manifest.version)) throw new Error(`version ended with ${code}: ${said}`);
}

/** Reads what a process prints until the pattern is found in it; the whole text when it ends without. */
async function readUntil(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (pattern.test(text)) break;
  }
  return text;
}

async function servesAndStops(folder: string): Promise<void> {
  const service = run(folder, ["serve", "--port", "0", "--data", join(folder, "data")]);
  const complaints = new Response(service.stderr).text();
  const late = setTimeout(() => service.kill("SIGKILL"), patience_ms);
  try {
    const said = await readUntil(service.stdout, /http:\/\/[\d.]+:\d+\b[^\d]/);
    const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
    if (!address) throw new Error(`serve printed no address: ${said}`);
    const health = await fetch(`${address}/health`);
    if (!health.ok) throw new Error(`/health answered ${health.status}: ${await health.text()}`);
    service.kill("SIGTERM");
    const code = await service.exited;
    if (code !== 0) throw new Error(`serve ended with ${code} after SIGTERM`);
  } catch (error) {
    service.kill("SIGKILL");
    throw new Error(`${error instanceof Error ? error.message : error}\n${await complaints}`);
  } finally {
    clearTimeout(late);
  }
}

const folder = await mkdtemp(join(tmpdir(), "packhouse-smoke-"));
try {
  await tellsItsVersion(folder);
  await servesAndStops(folder);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
