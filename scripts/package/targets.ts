// The machines that packages are built for, and Bun's own program for each of them.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Machine } from "../build.ts";
import { run } from "./run.ts";

export interface Target {
  /** The name in the archive's file name. */
  readonly name: string;
  /** The name of the runtime in Bun's cache, without its version. */
  readonly runtime: string;
  /** The checksum of the runtime of `bun_version`; no other runtime is used. */
  readonly sha256: string;
  /** The architecture of its Debian package; null if there is none. */
  readonly debian: "amd64" | "arm64" | null;
  readonly compile: Machine["target"];
}

/** The version of Bun that packages are built with, and contain. */
const bun_version = "1.4.5";

/** Every machine that a release is built for. */
export const targets: readonly Target[] = [
  {
    name: "linux-x64",
    runtime: "bun-linux-x64",
    sha256: "f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083",
    debian: "amd64",
    compile: "bun-linux-x64",
  },
  {
    name: "linux-x64-musl",
    runtime: "bun-linux-x64-musl",
    sha256: "cf5d285ddbe256785a5121a3c113191a6b577504976374c7cfd5aedca609b720",
    debian: null,
    compile: "bun-linux-x64-musl",
  },
  {
    name: "linux-arm64",
    runtime: "bun-linux-aarch64",
    sha256: "04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923",
    debian: "arm64",
    compile: "bun-linux-arm64",
  },
  {
    name: "linux-arm64-musl",
    runtime: "bun-linux-aarch64-musl",
    sha256: "9c48986093073afec8b76a3e285303598dd2462f52748aecb65e4d94866e1ea3",
    debian: null,
    compile: "bun-linux-arm64-musl",
  },
  {
    name: "macos-x64",
    runtime: "bun-darwin-x64",
    sha256: "88f97645b270aef20f9f9442f1658461cab3e7128e658af4615144e3396f084a",
    debian: null,
    compile: "bun-darwin-x64",
  },
  {
    name: "macos-arm64",
    runtime: "bun-darwin-aarch64",
    sha256: "e2984124f1514e1e6bbda20adedbf07a02c443c6a5828853a15c7c7abf78e19f",
    debian: null,
    compile: "bun-darwin-arm64",
  },
  {
    name: "windows-x64",
    runtime: "bun-windows-x64",
    sha256: "e06ad0864463c68892ae71a2a64af7eae1585cac5dd9b80bc042f45605587cb1",
    debian: null,
    compile: "bun-windows-x64",
  },
];

/** The SHA-256 of a file, in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/**
 * Bun's program for a target: the one that runs this, or one that Bun downloads into its cache. Refuses one whose
 * checksum differs from the target's.
 */
export async function runtimeOf({ runtime, sha256, compile, name }: Target): Promise<Machine> {
  if (Bun.version !== bun_version)
    throw new Error(`Packages are built with Bun ${bun_version} (this is ${Bun.version}).`);
  if ((await sha256Of(process.execPath)) === sha256) return { target: compile, runtime: process.execPath };
  const cache = (await run([process.execPath, "pm", "cache"])).trim();
  const path = join(cache, `${runtime}-v${bun_version}`);
  if (!existsSync(path)) await fetchRuntime(compile);
  const found = existsSync(path) ? await sha256Of(path) : "nothing";
  if (found !== sha256)
    throw new Error(`The runtime for ${name} should have the SHA-256 ${sha256}, and has ${found}: ${path}`);
  return { target: compile, runtime: path };
}

/** Makes Bun download its program for a target, by compiling something small for it. */
async function fetchRuntime(target: Machine["target"]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-runtime-"));
  try {
    const entry = join(folder, "nothing.ts");
    writeFileSync(entry, "export {};\n");
    await run([process.execPath, "build", "--compile", `--target=${target}`, entry, "--outfile", join(folder, "out")]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
