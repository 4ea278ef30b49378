// The built front end as files: what the binary carries, or the folder that `bun scripts/web.ts` has written.
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress, gzip } from "node:zlib";
import { onFirstUse } from "../../core/memoize.ts";

/** How an asset can be sent. */
export type AssetForm = "br" | "gzip" | "plain";

/** One asset. Only one of its forms is carried; the others are made of it when they are first asked for, and kept. */
export interface Asset {
  readonly type: string;
  /** Whether packing makes it smaller. If not, it has its plain form alone. */
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
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

const folder = join(import.meta.dir, "../../../dist/dashboard");
const unpack = promisify(brotliDecompress);
const pack = promisify(gzip);
const within = /^dashboard\//;

/** The files of the binary by their path below `dist/dashboard`; empty when this runs from source. */
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

/** Browsers take brotli over TLS and on their own machine, and gzip otherwise; other clients may take neither. */
function packedAsset(type: string, br: Blob): Asset {
  const plain = async () => await unpack(await br.bytes());
  const forms = {
    br: async () => br,
    gzip: keptOnce(async () => new Blob([await pack(await plain())])),
    plain: keptOnce(async () => new Blob([await plain()])),
  };
  return { type, is_packed: true, as: (form) => forms[form]() };
}

/** What is made at the first call and kept; one that fails is made again. */
function keptOnce(make: () => Promise<Blob>): () => Promise<Blob> {
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
 * A reader of the front end; null where it is not built. The binary's never changes. From source it is read anew once
 * it has been built again.
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
