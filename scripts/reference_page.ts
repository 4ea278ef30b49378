// `bun scripts/reference_page.ts`: renews the program of the reference page, from a package that is downloaded only for
// this.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "./install.ts";

/** The path of the packed program and of the licences of its components. */
const folder = join(root, "src/server/openapi");
const name = "@scalar/api-reference";
const version = "1.72.1";

async function fetchPackage(into: string): Promise<void> {
  await Bun.write(join(into, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const installing = Bun.spawn([process.execPath, "install", "--ignore-scripts", "--omit=peer"], {
    cwd: into,
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await installing.exited) !== 0) throw new Error(`${name} could not be fetched.`);
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The packages below a folder, each with the text of its licence, or else the name that it gives for it. */
function licencesIn(modules: string): [Package, string][] {
  const names = readdirSync(modules).flatMap((entry) =>
    entry.startsWith("@") ? readdirSync(join(modules, entry)).map((inner) => `${entry}/${inner}`) : [entry],
  );
  return names
    .map((entry) => join(modules, entry))
    .filter((place) => existsSync(join(place, "package.json")))
    .flatMap((place) => {
      const described = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Package;
      const file = readdirSync(place).find((one) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(one));
      const text = file === undefined ? `Licence: ${described.license ?? "none named"}` : readText(join(place, file));
      const inner = join(place, "node_modules");
      return [[described, text] as [Package, string], ...(existsSync(inner) ? licencesIn(inner) : [])];
    });
}

const readText = (file: string) => readFileSync(file, "utf8").replaceAll("\r\n", "\n").trim();

/** Each text once, below the names of the packages that have it. */
function licences(modules: string): string {
  const found = licencesIn(modules).filter(([{ version }]) => version !== undefined);
  const groups = Map.groupBy(found, ([, text]) => createHash("sha256").update(text).digest("hex"));
  const parts = [...groups.values()].map((group) => {
    const names = group.map(([one]) => `${one.name} ${one.version}`).sort();
    return `${names.join("\n")}\n\n${group[0]?.[1]}\n`;
  });
  return `The API reference is built from these packages.\n\n${parts.sort().join(`\n${"-".repeat(80)}\n\n`)}`;
}

if (import.meta.main) {
  const fetched = await mkdtemp(join(tmpdir(), "packhouse-reference-"));
  try {
    await fetchPackage(fetched);
    const modules = join(fetched, "node_modules");
    const program = readFileSync(join(modules, name, "dist/browser/standalone.js"));
    mkdirSync(folder, { recursive: true });
    const packed = gzipSync(program, { level: 9 });
    writeFileSync(join(folder, "standalone.js.gz"), packed);
    writeFileSync(join(folder, "standalone.LICENSES"), licences(modules));
    console.log(`${name} ${version}: ${program.length} bytes, ${packed.length} packed`);
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
}
