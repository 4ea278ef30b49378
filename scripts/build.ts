// `bun run build`: builds one binary, dist/packhouse, and the Chinese, Japanese and Korean fonts next to it.
import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { type Environment, environments } from "../src/core/environment.ts";
import { onFirstUse } from "../src/core/memoize.ts";
import { workers } from "../src/core/workers.ts";
import { longHeads } from "../src/server/listener.ts";
import { migrateSqlite } from "../src/storage/migrations/migrate.ts";
import { migrations } from "../src/storage/migrations/migration_sql.ts";
import { root } from "./install.ts";
import { startService } from "./service.ts";
import { buildWeb, webBuilt } from "./web.ts";

/** The path of the binary after the build. */
export const binary = join(root, "dist/packhouse");

// The font file that the program looks for in its own folder.
const fonts_name = "packhouse-fonts.zst";

/** The limit for the binary's size in bytes, so that growth is noticed. Bun's own is 107 MB. */
const size_max = 132_000_000;

const packed = (bytes: Uint8Array) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 22 } });

/** The bytes of an empty database of an environment, as all migrations create it. */
function migrated(mode: Environment): Uint8Array {
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

/** What the program carries compressed, by the file name. */
const carried = new Map<string, Uint8Array>();

/** Embeds a text compressed. Returns the source of a module that decompresses it as `text` before running `rest`. */
function unpacking(name: string, text: string, rest: string): string {
  carried.set(name, packed(Buffer.from(text)));
  return `import { readFileSync } from "node:fs";
    import place from "packed/${name}.zst";
    const text = Bun.zstdDecompressSync(readFileSync(place)).toString();
    ${rest}`;
}

// Files are compressed if that saves much. The reference page is compressed already; the others are decompressed when
// they are first used. Fonts are compressed in the source, too.
const packFiles: BunPlugin = {
  name: "pack-files",
  setup(build) {
    build.onResolve({ filter: /^packed\/.+\.zst$/ }, ({ path }) => ({ path, namespace: "packed" }));
    build.onLoad({ filter: /./, namespace: "packed" }, ({ path }) => {
      return { contents: carried.get(path.slice("packed/".length, -".zst".length)) ?? "", loader: "file" };
    });
    build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      return { contents: packed(await readFile(path)), loader: "file" };
    });
    build.onLoad({ filter: /\/openapi\/examples\.json$/ }, async ({ path }) => {
      const contents = unpacking("examples", await readFile(path, "utf8"), "export default JSON.parse(text);");
      return { contents, loader: "js" };
    });
    build.onLoad({ filter: /\/migrations\/migration_sql\.ts$/ }, () => {
      const rest = "export const { migrations } = JSON.parse(text);";
      return { contents: unpacking("migrations", JSON.stringify({ migrations }), rest), loader: "js" };
    });
    // A first start writes a database that the migrations created here, instead of running them.
    build.onLoad({ filter: /\/sqlite\/empty_database\.ts$/ }, () => {
      const made = Object.fromEntries(environments.map((mode) => [mode, packed(migrated(mode)).toString("base64")]));
      const contents = `const made = ${JSON.stringify(made)};
        export const emptyDatabase = (mode) => Bun.zstdDecompressSync(Buffer.from(made[mode], "base64"));`;
      carries_databases = true;
      return { contents, loader: "js" };
    });
    // The Chinese, Japanese and Korean fonts would be half of what the binary adds to Bun's, so they are a file of
    // their own.
    build.onLoad({ filter: /\/NotoSansCJK\.ttc\.zst$/ }, ({ path }) => {
      copyFileSync(path, join(dirname(binary), fonts_name));
      const beside = `import { dirname, join } from "node:path";
        export default join(dirname(process.execPath), ${JSON.stringify(fonts_name)});`;
      return { contents: beside, loader: "js" };
    });
  },
};

let carries_databases = false;

/**
 * Libraries that a server may run without for a long time, and what is used of each. The binary carries them compressed
 * and without bytecode, which is an eighth of the size, and evaluates each when it is first loaded.
 */
const packed_libraries: Readonly<Record<string, readonly string[]>> = {
  "@cantoo/fontkit": ["create"],
  "@cantoo/pdf-lib": ["PDFDocument", "PDFName", "PDFString"],
  "@peculiar/x509": [
    ...["AuthorityKeyIdentifierExtension", "BasicConstraintsExtension", "ExtendedKeyUsage", "Extension"],
    ...["ExtendedKeyUsageExtension", "KeyUsageFlags", "KeyUsagesExtension", "SubjectAlternativeNameExtension"],
    ...["SubjectKeyIdentifierExtension", "X509Certificate", "X509CertificateGenerator"],
  ],
  "file-type": ["fileTypeFromBlob"],
  nodemailer: ["createTransport"],
};

/** A library as one program: a function of `exports`, `require` and `module`, which assigns what is used of it. */
async function libraryBuilt(name: string) {
  const used = join(root, "src", "used.ts");
  return Bun.build({
    entrypoints: [used],
    files: { [used]: `export { ${packed_libraries[name]?.join(", ")} } from ${JSON.stringify(name)};` },
    ...{ target: "bun", format: "cjs", minify: true, metafile: true, define, plugins: [leaveOutWoff2] },
  });
}

const libraryProgram = async (name: string) => (await (await libraryBuilt(name)).outputs[0]?.text()) ?? "";

const libraryFiles = async (name: string) => Object.keys((await libraryBuilt(name)).metafile?.inputs ?? {});

const libraryPrograms = onFirstUse(async () => {
  const made = Object.keys(packed_libraries).map(async (name) => [name, await libraryProgram(name)] as const);
  return new Map(await Promise.all(made));
});

/** The programs of all these libraries are built first, since a build cannot wait for another. */
const packLibraries = (programs: ReadonlyMap<string, string>): BunPlugin => ({
  name: "pack-libraries",
  setup(build) {
    const names = new RegExp(`^(?:${[...programs.keys()].join("|")})$`);
    build.onResolve({ filter: names }, ({ path }) => ({ path, namespace: "library" }));
    build.onLoad({ filter: /./, namespace: "library" }, ({ path }) => {
      const rest = `import { createRequire } from "node:module";
        const made = { exports: {} };
        (0, eval)(text)(made.exports, createRequire(import.meta.url), made);
        export const { ${packed_libraries[path]?.join(", ")} } = made.exports;`;
      return { contents: unpacking(basename(path), programs.get(path) ?? "", rest), loader: "js" };
    });
  },
});

// Half a megabyte that fontkit uses to read WOFF2; no font here is in that format.
const leaveOutWoff2: BunPlugin = {
  name: "leave-out-woff2",
  setup(build) {
    build.onLoad({ filter: /\/brotli\/decompress\.js$/ }, () => {
      return { contents: 'module.exports = () => { throw new Error("WOFF2 is not read"); };', loader: "js" };
    });
  },
};

const define = { "process.env.NODE_ENV": '"production"' };

/** A machine that programs are compiled for, and Bun's own program for it. */
export interface Machine {
  readonly target: Bun.Build.CompileTarget;
  readonly runtime: string;
}

/** What a program is compiled with besides its source. */
interface Beside {
  readonly assets?: string[];
  /** The file in which a start has recorded the functions that it ran, so that their bytecode is adjacent. */
  readonly order?: string | null;
  /** The target machine; this one if absent. */
  readonly machine?: Machine | null;
}

/** Compiles a program. Returns its source files, as paths from the current folder. */
export async function compile(entrypoints: string[], outfile: string, beside: Beside = {}): Promise<string[]> {
  const { assets = [], order = null, machine = null } = beside;
  const { metafile } = await Bun.build({
    entrypoints,
    // Otherwise a `.env` or a `bunfig.toml` with a preload in the current folder would affect the service.
    compile: {
      ...{ outfile, assets, execArgv: [longHeads], autoloadDotenv: false, autoloadBunfig: false },
      bytecodeOrder: order,
      ...(machine && { target: machine.target, executablePath: machine.runtime }),
    },
    metafile: true,
    minify: true,
    // Bytecode of what runs when a program is loaded, and of its functions. Nested functions are compiled when they are
    // called: their bytecode would add 4 MB.
    bytecode: true,
    bytecodeDepth: 1,
    // What several programs share is included once.
    splitting: true,
    format: "esm",
    sourcemap: "none",
    define,
    plugins: [packFiles, packLibraries(await libraryPrograms())],
  });
  return Object.keys(metafile?.inputs ?? {});
}

/**
 * Compiles a one-line program in the same way and runs it next to a hostile `.env` and `bunfig.toml`. It must see
 * neither, and know that it runs in production.
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

/** Starts a compiled server on existing data, as most starts are, and records in a file which functions it runs. */
async function noteStart(program: string, order: string): Promise<void> {
  const quiet = { PACKHOUSE_LOG_LEVEL: "error" };
  const first = await startService({ program: [program], env: quiet });
  try {
    const key = await first.makeKey("test");
    await first.stop();
    const env = { ...quiet, BUN_BYTECODE_ORDER_OUT: order };
    const { url, stop } = await startService({ program: [program], data: first.data, env });
    for (const path of ["/health", "/v1/orders"]) {
      const { ok, status } = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      if (!ok) throw new Error(`The binary returned ${status} for ${path} while its start was recorded.`);
    }
    await stop();
  } finally {
    await first.remove();
  }
}

const programs = ["main.ts", ...Object.values(workers)].map((program) => join(root, "src", program));

/**
 * Compiles the server twice: the functions that the first one ran at its start, recorded in a file, are adjacent in the
 * second. Once if the file exists.
 */
async function compileServer(order: string): Promise<string[]> {
  if (!existsSync(order)) {
    await compile(programs, binary, { assets: [webBuilt] });
    await noteStart(binary, order);
  }
  return compile(programs, binary, { assets: [webBuilt], order });
}

/** Compiles the server for another machine, after `build` has created everything it carries and recorded its start. */
export async function compileFor(machine: Machine, outfile: string, order: string): Promise<void> {
  await compile(programs, outfile, { assets: [webBuilt], order, machine });
}

/**
 * Builds the front end and the binary of this machine, and checks it. The recorded start is kept in the file `order`,
 * and an existing recording is used again, since no two starts are the same. Returns which files of packages went into
 * it.
 */
export async function build(order: string): Promise<readonly string[]> {
  mkdirSync(join(root, "dist"), { recursive: true });
  await probe();
  const web = await buildWeb();
  const own = await compileServer(order);
  if (!carries_databases)
    throw new Error("The binary carries no empty database: src/storage/sqlite/empty_database.ts moved.");
  const libraries = await Promise.all(Object.keys(packed_libraries).map(libraryFiles));
  const made_of = [...web, ...own, ...libraries.flat()].filter((path) => path.includes("node_modules/"));
  return [...new Set(made_of.map((path) => resolve(path)))].sort();
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), "packhouse-order-"));
  try {
    await build(join(folder, "order"));
    const { size } = statSync(binary);
    console.log(`dist/packhouse, ${Math.round(size / 1e6)} MB, and dist/${fonts_name}`);
    if (size > size_max) throw new Error(`The binary is larger than ${size_max / 1e6} MB.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
