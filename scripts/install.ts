// Imports nothing but Node's and Bun's own modules: it runs before any package is there.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** The project's folder. */
export const root = join(import.meta.dir, "..");

/** What is done with the packages: to serve or build the program takes a quarter of what the tests take. */
export type Purpose = "serving" | "testing";

// Peers are types, or packages that the project names itself.
const only_serving = ["--production", "--omit=peer"];

/**
 * Installs the packages of `bun.lock` that a purpose takes with the Bun that runs this, unless they are there already.
 * Quiet, except when it fails: then it throws with all that the installer said. Says whether there was anything to do.
 */
export async function install(purpose: Purpose): Promise<boolean> {
  const modules = join(root, "node_modules");
  const stamp = Bun.file(join(modules, ".packhouse"));
  const [had, of] = (await stamp.exists()) ? (await stamp.text()).split(": ") : [];
  // Who has more than serving takes keeps it.
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
  const [said, complained, code] = await Promise.all([
    new Response(installer.stdout).text(),
    new Response(installer.stderr).text(),
    installer.exited,
  ]);
  if (code !== 0)
    throw new Error(`Packages could not be installed (bun install ended with ${code}).\n${said}${complained}`);
  mkdirSync(modules, { recursive: true });
  await Bun.write(stamp, `${only ? "serving" : "testing"}: ${wanted}`);
  return true;
}

/** Changes whenever the packages wanted change, or the machine that they were installed for. */
async function fingerprint(): Promise<string> {
  const files = await Promise.all(["package.json", "bun.lock"].map((file) => Bun.file(join(root, file)).text()));
  const hash = new Bun.CryptoHasher("sha256").update(files.join("\0")).digest("hex");
  return `${process.platform} ${process.arch} bun ${Bun.version} ${hash}\n`;
}
