// `bun run build`: one binary, dist/packhouse, that needs nothing beside it.
import { mkdirSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { workers } from "../src/kit/worker.ts";
import { root } from "./install.ts";
import { buildWeb, webBuilt } from "./web.ts";

/** Where the binary lies after the build. */
export const binary = join(root, "dist/packhouse");

// The reference page is a quarter as large when packed, and goes out as it is.
const packFiles: BunPlugin = {
  name: "pack-files",
  setup(build) {
    build.onLoad({ filter: /\/standalone\.js$/ }, async ({ path }) => {
      return { contents: gzipSync(await readFile(path), { level: 9 }), loader: "file" };
    });
  },
};

async function compile(entrypoints: string[], outfile: string, assets: string[] = []): Promise<void> {
  await Bun.build({
    entrypoints,
    // Or else a `.env` or a `bunfig.toml` with a preload in the current folder would run in the service.
    compile: { outfile, assets, autoloadDotenv: false, autoloadBunfig: false },
    minify: true,
    bytecode: true,
    format: "esm",
    sourcemap: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [packFiles],
  });
}

/**
 * Compiles a program of one line in the same way and runs it among a hostile `.env` and `bunfig.toml`: it must see
 * neither, and know that it is in production.
 */
async function probe(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "packhouse-probe-"));
  try {
    const entry = join(folder, "probe.ts");
    await Bun.write(entry, "console.log(process.env.NODE_ENV, process.env.PACKHOUSE_PROBE ?? 'unset');\n");
    await compile([entry], join(folder, "probe"));
    await Bun.write(join(folder, ".env"), "PACKHOUSE_PROBE=leaked\n");
    await Bun.write(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    await Bun.write(join(folder, "preload.ts"), "console.log('preloaded');\n");
    const run = Bun.spawn([join(folder, "probe")], { cwd: folder, env: {}, stdio: ["ignore", "pipe", "inherit"] });
    const said = (await new Response(run.stdout).text()).trim();
    if (said !== "production unset")
      throw new Error(`A binary reads its current folder's .env or bunfig.toml: ${said}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    mkdirSync(join(root, "dist"), { recursive: true });
    await probe();
    await buildWeb();
    const programs = ["main.ts", ...Object.values(workers)];
    await compile(
      programs.map((program) => join(root, "src", program)),
      binary,
      [webBuilt],
    );
    console.log(`dist/packhouse, ${Math.round(statSync(binary).size / 1e6)} MB`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
