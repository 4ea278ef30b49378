// Imports nothing but Node's and Bun's own modules: it runs before any package is there.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The project's folder. */
export const root = join(import.meta.dir, "..");

/**
 * Installs the packages of `bun.lock` with the Bun that runs this, unless they are there already. Quiet, except when it
 * fails: then it throws with all that the installer said. Says whether there was anything to do.
 */
export async function install(): Promise<boolean> {
  const stamp = Bun.file(join(root, "node_modules/.packhouse"));
  const wanted = await fingerprint();
  if ((await stamp.exists()) && (await stamp.text()) === wanted) return false;

  const installer = Bun.spawn([process.execPath, "install", "--frozen-lockfile"], {
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
  mkdirSync(join(root, "node_modules"), { recursive: true });
  await Bun.write(stamp, wanted);
  return true;
}

/** Changes whenever the packages wanted change, or the machine that they were installed for. */
async function fingerprint(): Promise<string> {
  const files = await Promise.all(["package.json", "bun.lock"].map((file) => Bun.file(join(root, file)).text()));
  const hash = new Bun.CryptoHasher("sha256").update(files.join("\0")).digest("hex");
  return `${process.platform} ${process.arch} bun ${Bun.version} ${hash}\n`;
}
