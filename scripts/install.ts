// Imports only Node's and Bun's own modules: it runs before any package is installed.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** The project's folder. */
export const root = join(import.meta.dir, "..");

/** What the packages are for: serving or building the program needs a quarter of what the tests need. */
export type Purpose = "serving" | "testing";

// Peer dependencies are types, or packages that the project names itself.
const only_serving = ["--production", "--omit=peer"];

/**
 * Installs the packages of `bun.lock` that a purpose needs, with the Bun that runs this, unless they are installed.
 * Silent unless it fails: then it throws with the installer's output. Returns whether there was anything to do.
 */
export async function install(purpose: Purpose): Promise<boolean> {
  const modules = join(root, "node_modules");
  const stamp = Bun.file(join(modules, ".packhouse"));
  const [had, of] = (await stamp.exists()) ? (await stamp.text()).split(": ") : [];
  // An installation with more packages than serving needs is kept.
  const only = purpose === "serving" && (had === "serving" || !existsSync(modules));
  const wanted = await fingerprint();
  if (of === wanted && (only || had === "testing")) return false;

  const omitted = only ? only_serving : [];
  const installer = Bun.spawn([process.execPath, "install", "--frozen-lockfile", ...omitted], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([
    new Response(installer.stdout).text(),
    new Response(installer.stderr).text(),
    installer.exited,
  ]);
  if (code !== 0)
    throw new Error(`Packages could not be installed (bun install ended with ${code}).\n${output}${errors}`);
  mkdirSync(modules, { recursive: true });
  await Bun.write(stamp, `${only ? "serving" : "testing"}: ${wanted}`);
  return true;
}

/** Changes whenever the required packages change, or the machine that they were installed for. */
async function fingerprint(): Promise<string> {
  const files = await Promise.all(["package.json", "bun.lock"].map((file) => Bun.file(join(root, file)).text()));
  const hash = new Bun.CryptoHasher("sha256").update(files.join("\0")).digest("hex");
  return `${process.platform} ${process.arch} bun ${Bun.version} ${hash}\n`;
}
