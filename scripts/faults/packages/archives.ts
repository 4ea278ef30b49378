// The archives of a release: each has the right contents, and is run if this machine can run it.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { startService } from "../../service.ts";
import type { Look } from "./debian.ts";
import { ended } from "./rooms.ts";

/** How the program of an archive is recognized, and how it is run here; null if it cannot be. */
interface Kind {
  readonly target: string;
  /** The output of `file` for its program. */
  readonly format: RegExp;
  readonly runner: (folder: string) => Promise<Runner | null>;
}

interface Runner {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const nowhere = async () => null;
const directly: Runner = { words: [], env: {} };
const arm_root = "/usr/aarch64-linux-gnu";

const kinds: readonly Kind[] = [
  { target: "linux-x64", format: /ELF 64-bit.*x86-64.*ld-linux-x86-64/, runner: async () => directly },
  { target: "linux-x64-musl", format: /ELF 64-bit.*x86-64.*ld-musl-x86_64/, runner: withMusl },
  { target: "linux-arm64", format: /ELF 64-bit.*aarch64.*ld-linux-aarch64/, runner: withArm },
  { target: "linux-arm64-musl", format: /ELF 64-bit.*aarch64.*ld-musl-aarch64/, runner: nowhere },
  { target: "macos-x64", format: /Mach-O 64-bit x86_64/, runner: nowhere },
  { target: "macos-arm64", format: /Mach-O 64-bit arm64/, runner: nowhere },
  { target: "windows-x64", format: /PE32\+ executable.*x86-64/, runner: nowhere },
];

/** An emulator with Debian's C library of that machine. */
async function withArm(): Promise<Runner | null> {
  const is_there = Bun.which("qemu-aarch64-static") !== null && existsSync(join(arm_root, "lib/libc.so.6"));
  return is_there ? { words: ["qemu-aarch64-static", "-L", arm_root], env: {} } : null;
}

/** Debian's musl with a libstdc++ that was built for another C library, and a shim for what that one lacks. */
async function withMusl(folder: string): Promise<Runner | null> {
  const libraries = ["/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/x86_64-linux-gnu/libgcc_s.so.1"];
  const needed = ["/lib/ld-musl-x86_64.so.1", ...libraries];
  if (Bun.which("gcc") === null || !needed.every(existsSync)) return null;
  const own = join(folder, "musl");
  mkdirSync(own, { recursive: true });
  for (const library of libraries) copyFileSync(library, join(own, basename(library)));
  const name = "ld-linux-x86-64.so.2";
  const shim = ["gcc", "-shared", "-fPIC", "-nostdlib", "-O1", "-w", "-o", join(own, name)];
  const made = await ended([...shim, join(import.meta.dir, "musl_shim.c"), `-Wl,-soname,${name}`]);
  if (made.code !== 0) throw new Error(made.output);
  return { words: [], env: { LD_LIBRARY_PATH: own } };
}

const held = ["README.md", "LICENSE", "NOTICE", "CHANGELOG.md", "THIRD-PARTY-LICENSES.txt", "sbom.cdx.json"];

/** Unpacks each archive, checks it, and serves with its program if possible. */
export async function lifeOfArchives(packages: string, folder: string): Promise<readonly Look[]> {
  const looks: Look[] = [];
  const see = (what: string, is_so: boolean, found: unknown) => {
    looks.push({ what, instead: is_so ? null : JSON.stringify(found) });
  };
  const sums = await ended(["sh", "-c", `cd ${packages} && sha256sum --check --strict --quiet SHA256SUMS`]);
  see("the checksums match", sums.code === 0, sums);
  for (const { target, format, runner } of kinds) {
    const archive = readdirSync(packages).find(
      (name) => name.endsWith(`-${target}.tar.gz`) || name.endsWith(`-${target}.zip`),
    );
    if (archive === undefined) {
      console.log(`  SKIPPED ${target}: not built`);
      continue;
    }
    const unpacked = await unpack(join(packages, archive), folder);
    const program = join(unpacked, target === "windows-x64" ? "packhouse.exe" : "packhouse");
    const { output } = await ended(["file", "-b", program]);
    see(`${target} has a program for its machine`, format.test(output), output);
    const missing = [...held, "packhouse-fonts.zst", "examples/logrotate"].filter(
      (name) => !existsSync(join(unpacked, name)),
    );
    see(`${target} is complete`, missing.length === 0, missing);
    const by = await runner(folder);
    if (by === null) console.log(`  ${target}: built, not run here`);
    else see(`${target} serves and stops gracefully`, ...(await serves(program, by)));
  }
  return looks;
}

async function unpack(archive: string, folder: string): Promise<string> {
  const name = basename(archive).replace(/\.(?:tar\.gz|zip)$/, "");
  const words = archive.endsWith(".zip") ? ["unzip", "-q", archive, "-d"] : ["tar", "-xzf", archive, "-C"];
  const done = await ended([...words, folder]);
  if (done.code !== 0) throw new Error(done.output);
  return join(folder, name);
}

async function serves(program: string, { words, env }: Runner): Promise<[boolean, unknown]> {
  const service = await startService({ program: [...words, program], env });
  try {
    const answer = await fetch(`${service.url}/openapi.json`);
    const { openapi } = (await answer.json()) as { openapi?: string };
    const code = await service.stop();
    return [openapi?.startsWith("3.1") === true && code === 0, { openapi, code }];
  } finally {
    await service.remove();
  }
}
