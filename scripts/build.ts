// `bun run build`: one binary, dist/packhouse, and beside it the fonts of Chinese, Japanese and Korean.
import { Database } from "bun:sqlite";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { migrateSqlite } from "../src/database/migrate.ts";
import { longHeads } from "../src/http/head.ts";
import { type Mode, modes } from "../src/kit/mode.ts";
import { workers } from "../src/kit/worker.ts";
import { root } from "./install.ts";
import { buildWeb, webBuilt } from "./web.ts";

/** Where the binary lies after the build. */
export const binary = join(root, "dist/packhouse");

// What the program looks for in the folder that it lies in.
const fonts_name = "packhouse-fonts.zst";

/** How large the binary may get, in bytes. Bun's own is 109 MB. */
const size_max = 125_000_000;

const packed = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 22 } });

/** The bytes of an empty database of a mode, as all migrations make it. */
function migrated(mode: Mode): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-empty-"));
  try {
    const path = join(folder, `${mode}.db`);
    using raw = new Database(path, { strict: true });
    raw.run("pragma journal_mode=wal");
    migrateSqlite(raw, mode, path);
    raw.run("pragma wal_checkpoint(truncate)");
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let carried_databases = false;

// What the program carries is packed where it is much smaller so. The page of the reference lies packed already; the
// others are unpacked when they are first used. Fonts lie packed in the source, too.
const packFiles: BunPlugin = {
  name: "pack-files",
  setup(build) {
    build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      return { contents: packed(await readFile(path)), loader: "file" };
    });
    build.onLoad({ filter: /\/reference\/examples\.json$/ }, async ({ path }) => {
      const text = packed(await readFile(path)).toString("base64");
      const contents = `export default JSON.parse(Bun.zstdDecompressSync(Buffer.from("${text}", "base64")).toString())`;
      return { contents, loader: "js" };
    });
    // A first start puts down a database that the migrations have made here, instead of running them.
    build.onLoad({ filter: /\/database\/empty_database\.ts$/ }, () => {
      carried_databases = true;
      const made = Object.fromEntries(modes.map((mode) => [mode, packed(migrated(mode)).toString("base64")]));
      const contents = `const made = ${JSON.stringify(made)};
        export const emptyDatabase = (mode) => Bun.zstdDecompressSync(Buffer.from(made[mode], "base64"));`;
      return { contents, loader: "js" };
    });
    // The fonts of Chinese, Japanese and Korean would be the half of what the binary adds to Bun's: they lie beside it.
    build.onLoad({ filter: /\/NotoSansCJK\.ttc\.zst$/ }, ({ path }) => {
      copyFileSync(path, join(dirname(binary), fonts_name));
      const beside = `import { dirname, join } from "node:path";
        export default join(dirname(process.execPath), ${JSON.stringify(fonts_name)});`;
      return { contents: beside, loader: "js" };
    });
    // Half a megabyte that fontkit reads WOFF2 with; no font here is one.
    build.onLoad({ filter: /\/brotli\/decompress\.js$/ }, () => {
      return { contents: 'module.exports = () => { throw new Error("WOFF2 is not read"); };', loader: "js" };
    });
  },
};

// How much later than usual code is compiled to that of the machine: most of a start runs once, and what runs on says
// that it has started, and a server that it is busy (`src/kit/hot_code.ts`).
const jitPolicy = 20;

/** Compiles a program. */
export async function compile(entrypoints: string[], outfile: string, assets: string[] = []): Promise<void> {
  await Bun.build({
    entrypoints,
    // Or else a `.env` or a `bunfig.toml` with a preload in the current folder would run in the service.
    compile: { outfile, assets, execArgv: [longHeads], autoloadDotenv: false, autoloadBunfig: false, jitPolicy },
    minify: true,
    // Of all that runs when a program is loaded, and no functions: with them it would weigh three times as much.
    bytecode: true,
    bytecodeDepth: 0,
    // What several programs share is there once.
    splitting: true,
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
    if (!carried_databases)
      throw new Error("The binary carries no empty database: src/database/empty_database.ts moved.");
    const { size } = statSync(binary);
    console.log(`dist/packhouse, ${Math.round(size / 1e6)} MB, and dist/${fonts_name}`);
    if (size > size_max) throw new Error(`The binary is larger than ${size_max / 1e6} MB.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
