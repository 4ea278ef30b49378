// The built front end: embedded in the binary, or in the folder that `bun scripts/web.ts` writes.
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import { onFirstUse } from "../../core/memoize.ts";

/** The encoding of an asset. */
export type AssetForm = "br" | "gzip" | "plain";

/** An asset. Only one form is embedded; the others are created on first use and cached. */
export interface Asset {
  readonly type: string;
  /** Whether compression makes it smaller. If not, only the plain form exists. */
  readonly is_packed: boolean;
  readonly as: (form: AssetForm) => Promise<Blob>;
}

/** The whole front end. */
export interface WebFiles {
  readonly index: string;
  readonly index_etag: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

const folder = join(import.meta.dir, "../../../dist/dashboard");
const unpack = promisify(brotliDecompress);
const pack = promisify(gzip);
const within = /^dashboard\//;

/** The embedded files by their path below `dist/dashboard`; empty when run from source. */
function embedded(): Map<string, Blob> {
  const files = Bun.embeddedFiles as readonly (Blob & { readonly name: string })[];
  return new Map(files.filter(({ name }) => within.test(name)).map((file) => [file.name.replace(within, ""), file]));
}

async function fromFolder(): Promise<Map<string, Blob>> {
  const names = await readdir(join(folder, "assets")).catch(() => []);
  const files = ["index.html", ...names.map((name) => `assets/${name}`)].map((name) => [name, open(name)] as const);
  return new Map(await Promise.all(files.map(async ([name, file]) => [name, await file] as const)));
}

const open = async (name: string) => new Blob([await Bun.file(join(folder, name)).bytes()]);

/** Browsers accept brotli over TLS and on localhost, otherwise gzip. Other clients may accept neither. */
function packedAsset(type: string, br: Blob): Asset {
  const plain = async () => await unpack(await br.bytes());
  const forms = {
    br: async () => br,
    gzip: cached(async () => new Blob([await pack(await plain())])),
    plain: cached(async () => new Blob([await plain()])),
  };
  return { type, is_packed: true, as: (form) => forms[form]() };
}

/** Calls `make` once and caches the result; a failure is retried at the next call. */
function cached(make: () => Promise<Blob>): () => Promise<Blob> {
  let made: Promise<Blob> | null = null;
  return () => {
    const making = made ?? make();
    made = making;
    making.catch(() => {
      if (made === making) made = null;
    });
    return making;
  };
}

async function collected(files: ReadonlyMap<string, Blob>): Promise<WebFiles | null> {
  const index = await files.get("index.html")?.text();
  if (index === undefined) return null;
  const assets = new Map<string, Asset>();
  for (const [path, file] of files) {
    const [, name, ending = "", packed] = /^assets\/(.+?\.(\w+))(\.br)?$/.exec(path) ?? [];
    const type = types[ending];
    if (name === undefined || type === undefined) continue;
    assets.set(name, packed ? packedAsset(type, file) : { type, is_packed: false, as: async () => file });
  }
  const digest = createHash("sha256").update(index).digest("base64url").slice(0, 22);
  return { index, index_etag: `"${digest}"`, assets };
}

/**
 * Returns a reader of the front end, which returns null if the front end is not built. When run from source, a new
 * build is read again; embedded files never change.
 */
export function webFiles(): () => Promise<WebFiles | null> {
  const carried = onFirstUse(() => {
    const files = embedded();
    return files.size > 0 ? collected(files) : null;
  });
  let last: { readonly built: number; readonly files: Promise<WebFiles | null> } | undefined;
  return async () => {
    const read = carried();
    if (read !== null) return await read;
    const built = await stat(join(folder, "index.html")).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
    if (built === null) return null;
    if (last?.built !== built) last = { built, files: fromFolder().then(collected) };
    return await last.files;
  };
}
