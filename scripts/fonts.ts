// `bun scripts/fonts.ts`: renews the fonts that the program carries, from packages that are downloaded only for this.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { root } from "./install.ts";

/** Where the packed fonts are written, each with its licence. */
const folder = join(root, "src/documents/fonts");

/** A font in its package; `licence` is a file of the package, too. */
interface Source {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly file: string;
  readonly licence: string;
}

const dejavu = { package: "dejavu-fonts-ttf", version: "2.37.3", licence: "LICENSE" };

const single: readonly Source[] = [
  { ...dejavu, name: "DejaVuSans", file: "ttf/DejaVuSans.ttf" },
  { ...dejavu, name: "DejaVuSans-Bold", file: "ttf/DejaVuSans-Bold.ttf" },
  noto("NotoSansBengali", "noto-sans-bengali", "0.4.4"),
  noto("NotoSansDevanagari", "noto-sans-devanagari", "0.4.1"),
  noto("NotoSansEthiopic", "noto-sans-ethiopic", "0.4.2"),
  noto("NotoSansGujarati", "noto-sans-gujarati", "0.4.2"),
  noto("NotoSansGurmukhi", "noto-sans-gurmukhi", "0.4.1"),
  noto("NotoSansKannada", "noto-sans-kannada", "0.4.3"),
  noto("NotoSansKhmer", "noto-sans-khmer", "0.4.3"),
  noto("NotoSansMalayalam", "noto-sans-malayalam", "0.4.2"),
  noto("NotoSansMyanmar", "noto-sans-myanmar", "0.4.2"),
  noto("NotoSansSinhala", "noto-sans-sinhala", "0.4.2"),
  noto("NotoSansTamil", "noto-sans-tamil", "0.4.3"),
  noto("NotoSansTelugu", "noto-sans-telugu", "0.4.2"),
  noto("NotoSansThai", "noto-sans-thai", "0.4.2"),
  noto("NotoEmoji", "noto-emoji", "0.4.7"),
];

// Thousands of their characters look the same, so that together they take a quarter less space.
const eastern: readonly Source[] = [
  noto("NotoSansSC", "noto-sans-sc", "0.4.3"),
  noto("NotoSansJP", "noto-sans-jp", "0.4.3"),
  noto("NotoSansKR", "noto-sans-kr", "0.4.3"),
];

function noto(name: string, folder_name: string, version: string): Source {
  const file = `400Regular/${name}_400Regular.ttf`;
  return { name, package: `@expo-google-fonts/${folder_name}`, version, file, licence: "LICENSE_FONT" };
}

const table_entry_bytes = 16;

/**
 * Combines fonts into one TrueType collection. Each keeps its tables, whose offsets count from the start of the file.
 */
function collectionOf(fonts: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12 + 4 * fonts.length);
  head.write("ttcf");
  head.writeUInt32BE(0x10000, 4);
  head.writeUInt32BE(fonts.length, 8);
  const parts = [head];
  let at = head.length;
  for (const [index, font] of fonts.entries()) {
    head.writeUInt32BE(at, 12 + 4 * index);
    // Tables start at multiples of four, and so must the fonts.
    const moved = Buffer.concat([font, Buffer.alloc((4 - (font.length % 4)) % 4)]);
    const tables = moved.readUInt16BE(4);
    for (let table = 0; table < tables; table++) {
      const place = 12 + table * table_entry_bytes + 8;
      moved.writeUInt32BE(moved.readUInt32BE(place) + at, place);
    }
    parts.push(moved);
    at += moved.length;
  }
  return Buffer.concat(parts);
}

/** Compresses as much as possible, with a window as wide as the file, which finds repetitions far apart. */
function packed(bytes: Buffer): Buffer {
  const params = {
    [constants.ZSTD_c_compressionLevel]: 22,
    [constants.ZSTD_c_windowLog]: Math.max(17, Math.ceil(Math.log2(bytes.length))),
  };
  return zstdCompressSync(bytes, { params });
}

/** Installs the packages of some fonts into a folder. */
async function fetchPackages(into: string, sources: readonly Source[]): Promise<void> {
  const dependencies = Object.fromEntries(sources.map((source) => [source.package, source.version]));
  await Bun.write(join(into, "package.json"), JSON.stringify({ private: true, dependencies }));
  const installing = Bun.spawn([process.execPath, "install", "--ignore-scripts"], {
    cwd: into,
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await installing.exited) !== 0) throw new Error("The packages of the fonts could not be fetched.");
}

if (import.meta.main) {
  const fetched = await mkdtemp(join(tmpdir(), "packhouse-fonts-"));
  try {
    const sources = [...single, ...eastern];
    await fetchPackages(fetched, sources);
    const read = (source: Source, file: string) => readFileSync(join(fetched, "node_modules", source.package, file));
    for (const old of readdirSync(folder)) if (/\.(?:zst|LICENSE)$/.test(old)) rmSync(join(folder, old));
    const write = (name: string, bytes: Buffer) => {
      const small = packed(bytes);
      writeFileSync(join(folder, `${name}.zst`), small);
      console.log(`${name}: ${bytes.length} bytes, ${small.length} packed`);
    };
    for (const source of single) write(`${source.name}.ttf`, read(source, source.file));
    write("NotoSansCJK.ttc", collectionOf(eastern.map((source) => read(source, source.file))));
    for (const source of sources) {
      const family = source.name.replace("-Bold", "");
      writeFileSync(join(folder, `${family}.LICENSE`), read(source, source.licence));
    }
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
}
