// `bun run package [--order FILE] [TARGET …]`: builds a release in dist/packages, for all machines or the named ones.
// The same source, with the order file that lies next to the packages, gives the same packages, byte for byte.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { binary, build, compileFor } from "../build.ts";
import { root } from "../install.ts";
import { lacksForContainer, makeContainer } from "./container.ts";
import { buildDeb } from "./deb.ts";
import { documentsOf, examples } from "./documents.ts";
import { place, tarGz, zip } from "./folders.ts";
import { type Carried, packagesOf } from "./licences.ts";
import { run } from "./run.ts";
import { billOf } from "./sbom.ts";
import { runtimeOf, sha256Of, type Target, targets } from "./targets.ts";

/** Where the packages are written. */
const packages_folder = join(root, "dist/packages");
const fonts = join(dirname(binary), "packhouse-fonts.zst");
const { version } = manifest;

/** What all packages of one build share. */
interface Release {
  readonly order: string;
  readonly carried: readonly Carried[];
  /** The time of the last source change, which every file gets. */
  readonly made_at: Date;
}

async function main(given: readonly string[]): Promise<void> {
  const [kept, words] = given[0] === "--order" ? [given[1] ?? "", given.slice(2)] : [null, given];
  const unknown = words.filter((word) => !targets.some(({ name }) => name === word));
  if (unknown.length > 0) {
    const names = targets.map(({ name }) => name).join(" ");
    throw new Error(
      `Usage: bun run package [--order FILE] [TARGET …]. Unknown: ${unknown.join(" ")}. Targets: ${names}`,
    );
  }
  const wanted = words.length === 0 ? targets : targets.filter(({ name }) => words.includes(name));
  const folder = mkdtempSync(join(tmpdir(), "packhouse-package-"));
  try {
    const order = join(folder, "order");
    if (kept !== null) writeFileSync(order, gunzipSync(readFileSync(kept)));
    rmSync(packages_folder, { recursive: true, force: true });
    mkdirSync(packages_folder, { recursive: true });
    const carried = packagesOf(await build(order));
    writeFileSync(join(packages_folder, `packhouse-${version}.order.gz`), gzipSync(readFileSync(order)));
    const release = { order, carried, made_at: await lastChange() };
    for (const target of wanted) await packageFor(target, release, folder);
    await writeSums();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** When the source was last changed, so that the same source yields the same archives. */
async function lastChange(): Promise<Date> {
  const told = Number(process.env["SOURCE_DATE_EPOCH"]);
  const seconds = told > 0 ? told : Number(await run(["git", "-C", root, "log", "-1", "--format=%ct"]));
  return new Date(1000 * seconds);
}

/** Builds the archive of a target, and its Debian package and container if it has them. */
async function packageFor(target: Target, release: Release, scratch: string): Promise<void> {
  const { carried, made_at, order } = release;
  const name = `packhouse-${version}-${target.name}`;
  const folder = join(scratch, name);
  const program = join(folder, target.name.startsWith("windows") ? "packhouse.exe" : "packhouse");
  mkdirSync(folder);
  await compileFor(await runtimeOf(target), program, order);
  copyFileSync(fonts, join(folder, "packhouse-fonts.zst"));
  const texts = documentsOf(carried, await billOf(target, carried, made_at));
  place(folder, [...texts, ...examples()]);
  const out = join(packages_folder, name);
  if (target.name.startsWith("windows")) zip(folder, `${out}.zip`, made_at);
  else await tarGz(folder, `${out}.tar.gz`, made_at);
  if (target.debian !== null) await furtherFor(target.debian, program, release, texts, scratch);
  rmSync(folder, { recursive: true });
  console.log(`${name}: done`);
}

/** The Debian package and the container of an architecture. */
async function furtherFor(
  architecture: "amd64" | "arm64",
  program: string,
  { made_at }: Release,
  texts: ReturnType<typeof documentsOf>,
  scratch: string,
): Promise<void> {
  const parts = { architecture, binary: program, fonts, made_at };
  const documents = [...texts, ...examples()];
  await buildDeb({ ...parts, documents, out: join(packages_folder, `packhouse_${version}_${architecture}.deb`) });
  const lacking = lacksForContainer(architecture);
  if (lacking !== null) {
    console.log(`SKIPPED the container for ${architecture}: it needs Debian's package ${lacking}`);
    return;
  }
  const name = `packhouse-${version}-container-${architecture}`;
  makeContainer(join(scratch, name), { ...parts, documents: texts });
  await tarGz(join(scratch, name), join(packages_folder, `${name}.tar.gz`), made_at);
  rmSync(join(scratch, name), { recursive: true });
}

/** Writes the checksums of all packages, as `sha256sum --check` reads them. */
async function writeSums(): Promise<void> {
  const names = readdirSync(packages_folder).filter((name) => name !== "SHA256SUMS");
  const lines = [];
  for (const name of names.sort()) lines.push(`${await sha256Of(join(packages_folder, name))}  ${name}\n`);
  writeFileSync(join(packages_folder, "SHA256SUMS"), lines.join(""));
  console.log(readFileSync(join(packages_folder, "SHA256SUMS"), "utf8").trimEnd());
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
