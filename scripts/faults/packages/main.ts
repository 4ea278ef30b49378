// What operators install, tested the way they use it: archives, the Debian package, the container, Caddy, logrotate.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../../build.ts";
import { root } from "../../install.ts";
import { makeContainer } from "../../package/container.ts";
import { documentsOf } from "../../package/documents.ts";
import { startPostgres } from "../../postgres.ts";
import type { FaultScript } from "../fault_script.ts";
import { lifeOfArchives } from "./archives.ts";
import { lifeOfContainer } from "./container.ts";
import { buildQuickly, type Look, lifeOfPackage, lifeUnderSystemd, type Packages } from "./debian.ts";
import { rotates } from "./logs.ts";
import { lifeBehindCaddy } from "./proxy.ts";
import { bootCleanRoot, copyOfThisMachine, lacksForRooms, makeCleanRoot } from "./rooms.ts";

/** One way to install it: what it needs on this machine, and its checks. */
interface Way {
  readonly name: string;
  readonly takes: readonly string[];
  readonly look: (folder: string, packages: Packages) => Promise<readonly Look[]>;
}

const fonts = join(root, "dist/packhouse-fonts.zst");
const archives = join(root, "dist/packages");

const ways: readonly Way[] = [
  { name: "archives", takes: ["tar", "file"], look: (folder) => lifeOfArchives(archives, folder) },
  {
    name: "a copy of this machine",
    takes: ["unshare", "nsenter", "dpkg"],
    look: async (_, packages) => {
      const room = await copyOfThisMachine();
      return lifeOfPackage(room, packages, 3985).finally(() => room.remove());
    },
  },
  {
    name: "a clean machine with systemd",
    takes: ["debootstrap", "systemd-nspawn", "nsenter"],
    look: async (folder, packages) => {
      const clean = join(folder, "clean");
      await makeCleanRoot(clean);
      const room = await bootCleanRoot(clean);
      return lifeUnderSystemd(room, packages).finally(() => room.remove());
    },
  },
  {
    name: "a container",
    takes: ["unshare", "nsenter", "setpriv"],
    look: (folder) => {
      const container = join(folder, "container");
      const architecture = process.arch === "arm64" ? "arm64" : "amd64";
      makeContainer(container, { architecture, binary, fonts, documents: documentsOf([], "{}\n") });
      return lifeOfContainer(container, 3986);
    },
  },
  {
    name: "two servers behind Caddy",
    takes: ["caddy"],
    look: async () => {
      const postgres = await startPostgres();
      return lifeBehindCaddy(postgres.url, [binary]).finally(() => postgres.stop());
    },
  },
  { name: "logrotate", takes: ["logrotate"], look: (folder) => rotates(folder, binary) },
];

/** Tries each way to install the service, with the binary and the packages in `dist`. */
export const packages: FaultScript = {
  description:
    "installs and runs what operators install: archives, the Debian package, the container, Caddy, logrotate",
  lacks: async () => (existsSync(binary) ? lacksForRooms(["dpkg-deb", "unshare"]) : "run `bun run build` first"),
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), "packhouse-packages-"));
    const made = { first: join(folder, "first.deb"), second: join(folder, "second.deb") };
    let failed = 0;
    try {
      await buildQuickly(binary, fonts, "0.1.0", made.first);
      await buildQuickly(binary, fonts, "0.1.1", made.second);
      for (const way of ways) failed += await tried(way, folder, made);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return failed;
  },
};

async function tried({ name, takes, look }: Way, folder: string, made: Packages): Promise<number> {
  const missing = takes.filter((program) => Bun.which(program) === null);
  if (missing.length > 0) {
    console.log(`SKIPPED ${name}: it needs ${missing.join(", ")}`);
    return 0;
  }
  if (name === "archives" && (!existsSync(archives) || readdirSync(archives).length === 0)) {
    console.log("SKIPPED archives: `bun run package` builds them");
    return 0;
  }
  const looks = await look(folder, made).catch((error): Look[] => [{ what: "it runs", instead: String(error) }]);
  const wrong = looks.filter(({ instead }) => instead !== null);
  console.log(`  ${name}: ${looks.length - wrong.length} of ${looks.length} checks`);
  for (const { what, instead } of wrong) console.log(`  FAILED ${what}: ${instead}`);
  return wrong.length;
}
