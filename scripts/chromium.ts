// Finds a browser for the tests of the dashboard. Imports only Node's and Bun's own modules.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./install.ts";

/** A browser and the environment its process needs. */
export interface Browser {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

const packed_version = "153.0.0";
const packed = join(root, "node_modules/.packhouse-chromium");
const program = "console.log(await (await import('@sparticuz/chromium')).default.executablePath())";

/** What to do if there is none. */
export const howToGetChromium =
  "no Chromium: `apt-get install chromium`, or CHROMIUM_PATH=/path/to/chrome, or `bun scripts/chromium.ts`";

/** The Chromium of this machine, or null. Tried in order: `CHROMIUM_PATH`, an installed one, Playwright's, npm's. */
export function findChromium(): Browser | null {
  const named = process.env["CHROMIUM_PATH"];
  const installed = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const places = [named ?? "", ...installed.map((name) => `/usr/bin/${name}`), ...ofPlaywright()];
  const path = places.find((place) => place !== "" && existsSync(place));
  return path === undefined ? unpacked() : { path, env: {} };
}

function ofPlaywright(): string[] {
  const folder = process.env["PLAYWRIGHT_BROWSERS_PATH"] ?? join(homedir(), ".cache/ms-playwright");
  const versions = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("chromium-")) : [];
  return versions.flatMap((name) =>
    ["chrome-linux64", "chrome-linux"].map((part) => join(folder, name, part, "chrome")),
  );
}

/** The one that the npm package has unpacked, with the libraries it brings. */
function unpacked(): Browser | null {
  const path = join(tmpdir(), "chromium");
  if (!existsSync(join(packed, "node_modules")) || !existsSync(path)) return null;
  return { path, env: { LD_LIBRARY_PATH: join(tmpdir(), "al2023/lib") } };
}

async function ran(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  try {
    const child = Bun.spawn([...words], {
      cwd: packed,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "ignore"],
      timeout: 300_000,
    });
    return (await child.exited) === 0;
  } catch {
    return false;
  }
}

/** Finds a Chromium or installs one: with apt-get if that is permitted, else from npm, which needs no privileges. */
export async function ensureChromium(): Promise<Browser | null> {
  const found = findChromium();
  if (found !== null || process.platform !== "linux") return found;
  mkdirSync(packed, { recursive: true });
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const quiet = { DEBIAN_FRONTEND: "noninteractive" };
    const install = () => ran(["apt-get", "install", "-y", "--no-install-recommends", "chromium"], quiet);
    if (!(await install())) (await ran(["apt-get", "update"], quiet)) && (await install());
    if (findChromium() !== null) return findChromium();
  }
  await Bun.write(join(packed, "package.json"), "{}\n");
  // The package unpacks its libraries only when it believes it runs in a cloud function.
  const cloud = { AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" };
  if (!(await ran([process.execPath, "add", "--exact", `@sparticuz/chromium@${packed_version}`]))) return null;
  if (!(await ran([process.execPath, "-e", program], cloud))) return null;
  return findChromium();
}

if (import.meta.main) {
  const browser = await ensureChromium();
  console.log(browser === null ? howToGetChromium : browser.path);
  process.exit(browser === null ? 1 : 0);
}
