// The root of a container that holds the program only: the libraries it is linked with, its user, and no shell.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Placed, place } from "./folders.ts";

/** The user and group that the program runs as in a container. They have no name elsewhere. */
export const container_user = 10_001;

/** The glibc files that a machine's program is linked with, and where Debian keeps them here. */
interface Library {
  readonly loader: string;
  readonly folder: string;
  /** The Debian package that contains it. */
  readonly package: string;
  readonly from: string;
}

const libraries: Readonly<Record<"amd64" | "arm64", Library>> = {
  amd64: {
    loader: "lib64/ld-linux-x86-64.so.2",
    folder: "lib/x86_64-linux-gnu",
    package: "libc6",
    from: "/lib/x86_64-linux-gnu",
  },
  arm64: {
    loader: "lib/ld-linux-aarch64.so.1",
    folder: "lib/aarch64-linux-gnu",
    package: "libc6-arm64-cross",
    from: "/usr/aarch64-linux-gnu/lib",
  },
};

// The libraries in the binary's `readelf --dynamic`. libc.so.6 itself resolves host names.
const linked = ["libc.so.6", "libpthread.so.0", "libdl.so.2", "libm.so.6"];

const authorities = "/etc/ssl/certs/ca-certificates.crt";

/** The Debian package that is missing here for the root of an architecture; null if nothing is. */
export function lacksForContainer(architecture: "amd64" | "arm64"): string | null {
  const { loader, from, package: name } = libraries[architecture];
  if (!existsSync(join(from, loader.replace(/^.*\//, "")))) return name;
  return existsSync(authorities) ? null : "ca-certificates";
}

interface RootParts {
  readonly architecture: "amd64" | "arm64";
  readonly binary: string;
  readonly fonts: string;
  /** Licences and notices, by their paths in `/usr/share/doc/packhouse`. */
  readonly documents: readonly Placed[];
}

/**
 * Creates the build context of an image in a folder: `root/`, the empty `data/`, and the Containerfile and compose
 * files.
 */
export function makeContainer(folder: string, { architecture, binary, fonts, documents }: RootParts): void {
  const root = join(folder, "root");
  rmSync(folder, { recursive: true, force: true });
  const user = `packhouse:x:${container_user}:`;
  place(root, [
    { path: "etc/passwd", content: `${user}${container_user}:Packhouse:/data:/nowhere\n`, mode: 0o644 },
    { path: "etc/group", content: `${user}\n`, mode: 0o644 },
    { path: "etc/nsswitch.conf", content: "hosts: files dns\n", mode: 0o644 },
    { path: "etc/ssl/certs/ca-certificates.crt", content: readFileSync(authorities), mode: 0o644 },
    { path: "usr/share/doc/libc6/copyright", content: copyrightOfC(architecture), mode: 0o644 },
  ]);
  place(join(root, "usr/share/doc/packhouse"), documents);
  const { loader, folder: library, from } = libraries[architecture];
  const copy = (source: string, path: string, mode: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(source, join(root, path));
    chmodSync(join(root, path), mode);
  };
  copy(join(from, loader.replace(/^.*\//, "")), loader, 0o755);
  for (const name of linked) copy(join(from, name), join(library, name), 0o755);
  copy(binary, "usr/bin/packhouse", 0o755);
  copy(fonts, "usr/bin/packhouse-fonts.zst", 0o644);
  // Mount points of the engine must exist, because the root is read-only.
  for (const path of ["dev", "proc", "sys", "tmp", "data"]) mkdirSync(join(root, path), { recursive: true });
  // The builder's umask may differ, and the program runs as another user.
  execFileSync("chmod", ["-R", "u=rwX,go=rX", root]);
  chmodSync(join(root, "tmp"), 0o1777);
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  cpSync(join(import.meta.dir, "container"), folder, { recursive: true });
}

/** Debian's licence information for the C library in the root. */
function copyrightOfC(architecture: "amd64" | "arm64"): string {
  const places = [libraries[architecture].package, "libc6"].map((name) => `/usr/share/doc/${name}/copyright`);
  const found = places.find(existsSync);
  if (found === undefined) throw new Error(`${places.join(" or ")} is not there.`);
  return readFileSync(found, "utf8");
}
