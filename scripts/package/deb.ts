// The Debian package: the binary with its fonts, a systemd unit, settings, and scripts that never touch data.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json" with { type: "json" };
import { root } from "../install.ts";
import { filesIn, type Placed, place } from "./folders.ts";
import { run } from "./run.ts";

/** The parts of a package. */
interface DebParts {
  readonly binary: string;
  readonly fonts: string;
  readonly architecture: "amd64" | "arm64";
  /** For example `packhouse_0.1.0_amd64.deb`. */
  readonly out: string;
  readonly made_at: Date;
  /** Further texts and examples, by their paths in `/usr/share/doc/packhouse`. */
  readonly documents: readonly Placed[];
  /** The compression: `xz` except in tests, which save the time. */
  readonly compression?: "xz" | "none";
  /** Overrides the version of package.json, to test an upgrade. */
  readonly version?: string;
}

const own = join(import.meta.dir, "deb");
const maintainer = "The Packhouse authors <packhouse@packhouse.example>";

/** Builds a package, in a folder next to it that is recreated. */
export async function buildDeb(parts: DebParts): Promise<void> {
  const { binary, fonts, out, made_at, documents, compression = "xz", version = manifest.version } = parts;
  const tree = `${out}.tree`;
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { mode: 0o755 });
  place(tree, systemFiles());
  place(join(tree, "usr/share/doc/packhouse"), [...documents, ...ownDocuments(version, made_at)]);
  const library = join(tree, "usr/lib/packhouse");
  mkdirSync(library, { recursive: true });
  copyFileSync(binary, join(library, "packhouse"));
  copyFileSync(fonts, join(library, "packhouse-fonts.zst"));
  chmodSync(join(library, "packhouse"), 0o755);
  chmodSync(join(library, "packhouse-fonts.zst"), 0o644);
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  symlinkSync("../lib/packhouse/packhouse", join(tree, "usr/bin/packhouse"));
  writeControl(tree, parts, version);
  // The builder's umask and user id must not end up in the package.
  await run(["chmod", "-R", "u=rwX,go=rX", tree]);
  const effort = compression === "xz" ? ["-Zxz", "-z6"] : ["-Znone"];
  const when = { SOURCE_DATE_EPOCH: String(Math.floor(made_at.getTime() / 1000)) };
  await run(["dpkg-deb", "--root-owner-group", ...effort, "--build", tree, out], when);
  rmSync(tree, { recursive: true });
}

/** The files in the system besides the program. */
function systemFiles(): Placed[] {
  const text = (name: string) => readFileSync(join(own, name), "utf8");
  const packed = (name: string) => gzipSync(text(name), { level: 9 });
  return [
    { path: "lib/systemd/system/packhouse.service", content: text("packhouse.service"), mode: 0o644 },
    // The template for the settings if there are none. They belong to the operator, and no package deletes them.
    { path: "usr/share/packhouse/packhouse.env", content: text("packhouse.env"), mode: 0o644 },
    { path: "usr/sbin/packhousectl", content: text("packhousectl"), mode: 0o755 },
    { path: "usr/share/man/man1/packhouse.1.gz", content: packed("packhouse.1"), mode: 0o644 },
    { path: "usr/share/man/man8/packhousectl.8.gz", content: packed("packhousectl.8"), mode: 0o644 },
    { path: "usr/share/lintian/overrides/packhouse", content: text("lintian-overrides"), mode: 0o644 },
    ...["postinst", "prerm", "postrm"].map((name) => ({ path: `DEBIAN/${name}`, content: text(name), mode: 0o755 })),
  ];
}

/** What Debian requires of each package: copyright and changelog. */
function ownDocuments(version: string, made_at: Date): Placed[] {
  const notice = readFileSync(join(root, "NOTICE"), "utf8").trim();
  const copyright = [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    "Upstream-Name: Packhouse",
    "Comment:",
    ...notice.split("\n").map((line) => (line.trim() === "" ? " ." : ` ${line}`)),
    " .",
    " Its third-party components are listed in THIRD-PARTY-LICENSES.txt in this folder.",
    "",
    "Files: *",
    "Copyright: 2026 The Packhouse authors",
    "License: Apache-2.0",
    " On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.",
    "",
  ];
  const day = made_at
    .toUTCString()
    .replace("GMT", "+0000")
    .replace(/^(\w+), 0?(\d+)/, "$1, $2");
  const entry = [
    `packhouse (${version}) unstable; urgency=medium`,
    "",
    "  * The changes are listed in CHANGELOG.md in this folder.",
    "",
    ` -- ${maintainer}  ${day.replace(/, (\d) /, ", 0$1 ")}`,
    "",
  ];
  return [
    { path: "copyright", content: copyright.join("\n"), mode: 0o644 },
    { path: "changelog.gz", content: gzipSync(entry.join("\n"), { level: 9 }), mode: 0o644 },
  ];
}

function writeControl(tree: string, { architecture }: DebParts, version: string): void {
  const sizes = filesIn(tree).filter((path) => !path.startsWith("DEBIAN/") && path !== "usr/bin/packhouse");
  const kib = sizes.reduce((sum, path) => sum + Math.ceil(Bun.file(join(tree, path)).size / 1024), 0);
  const control = [
    "Package: packhouse",
    `Version: ${version}`,
    "Section: net",
    "Priority: optional",
    `Architecture: ${architecture}`,
    "Depends: libc6 (>= 2.17), adduser, init-system-helpers (>= 1.54), util-linux (>= 2.31)",
    "Suggests: postgresql-client, caddy, prometheus",
    `Installed-Size: ${kib}`,
    `Maintainer: ${maintainer}`,
    "Description: third-party-logistics fulfillment in one binary",
    " Orders, stock, labels, tracking, returns and signed webhooks of a warehouse: a",
    " JSON API and a dashboard, with the storage in an embedded database or in",
    " PostgreSQL.",
    "",
  ];
  writeFileSync(join(tree, "DEBIAN/control"), control.join("\n"));
  const sums = filesIn(tree).filter((path) => !path.startsWith("DEBIAN/") && path !== "usr/bin/packhouse");
  const lines = sums.map((path) => {
    const hash = new Bun.CryptoHasher("md5").update(readFileSync(join(tree, path))).digest("hex");
    return `${hash}  ${path}\n`;
  });
  writeFileSync(join(tree, "DEBIAN/md5sums"), lines.join(""));
}
