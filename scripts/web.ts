// `bun scripts/web.ts [--watch]`: builds the dashboard's front end from src/dashboard/web into dist/dashboard.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { root } from "./install.ts";

/** The front end's source. */
const webSource = join(root, "src/dashboard/web");
/** The build: `index.html`, and `assets/` with content hashes in their names. */
export const webBuilt = join(root, "dist/dashboard");

const index = join(webBuilt, "index.html");
// Smaller files gain nothing from compression.
const packed_from_bytes = 700;

/** Builds the front end, compresses its files, and replaces the whole build at once. Returns its source files. */
export async function buildWeb(): Promise<readonly string[]> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = `${webBuilt}-${process.pid}`;
  const assets = join(folder, "assets");
  rmSync(folder, { recursive: true, force: true });
  try {
    const { metafile } = await Bun.build({
      entrypoints: [join(webSource, "index.html")],
      outdir: assets,
      target: "browser",
      minify: true,
      metafile: true,
      splitting: true,
      publicPath: "/dashboard/assets/",
      naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
      define: { "process.env.NODE_ENV": '"production"' },
      tsconfig: join(webSource, "tsconfig.json"),
    });
    for (const name of readdirSync(assets)) await finish(folder, name);
    rmSync(webBuilt, { recursive: true, force: true });
    renameSync(folder, webBuilt);
    return Object.keys(metafile?.inputs ?? {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Moves the page out of the assets, and compresses each asset that gains by it. Other encodings are made on request.
 */
async function finish(folder: string, name: string): Promise<void> {
  const file = join(folder, "assets", name);
  if (name.endsWith(".html")) return renameSync(file, join(folder, "index.html"));
  const bytes = await Bun.file(file).bytes();
  if (bytes.byteLength < packed_from_bytes || /\.(?:png|woff2|jpg)$/.test(name)) return;
  // The best quality takes seconds for a large file, and saves little of it.
  const quality = name.endsWith(".wasm") ? 9 : 11;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  unlinkSync(file);
}

/** Builds the front end if it is missing or older than its sources. Returns whether it did. */
export async function ensureWeb(): Promise<boolean> {
  const built = existsSync(index) ? statSync(index).mtimeMs : 0;
  const named = ["src/dashboard/web/**/*", "src/**/*.transitions.ts", "scripts/web.ts"];
  const made_of = [...named.flatMap((names) => [...new Bun.Glob(names).scanSync({ cwd: root })]), "bun.lock"];
  if (made_of.every((file) => statSync(join(root, file)).mtimeMs <= built)) return false;
  // A separate process: one that started before the packages were installed does not find them.
  const build = Bun.spawn([process.execPath, import.meta.path], { stdout: "ignore", stderr: "inherit" });
  if ((await build.exited) !== 0) throw new Error("The dashboard could not be built.");
  return true;
}

if (import.meta.main) {
  const report = (error: unknown) => console.error(error instanceof AggregateError ? error.errors.join("\n") : error);
  const build = async () => {
    const start = performance.now();
    await buildWeb();
    console.log(`dist/dashboard, ${Math.round(performance.now() - start)} ms`);
  };
  if (!process.argv.includes("--watch")) {
    await build().catch((error) => {
      report(error);
      process.exit(1);
    });
  } else {
    await build().catch(report);
    let timer: ReturnType<typeof setTimeout> | undefined;
    watch(webSource, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => build().catch(report), 50);
    });
  }
}
