// The texts and examples that every package has.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../install.ts";
import { filesIn, type Placed } from "./folders.ts";
import { type Carried, thirdPartyLicences } from "./licences.ts";

/** The texts of a package: how to start it, its licences, its bill of materials, its changes. */
export function documentsOf(carried: readonly Carried[], bill: string): Placed[] {
  const text = (path: string, from: string) => ({ path, content: readFileSync(from, "utf8"), mode: 0o644 });
  return [
    text("README.md", join(import.meta.dir, "README.md")),
    text("LICENSE", join(root, "LICENSE")),
    text("NOTICE", join(root, "NOTICE")),
    text("CHANGELOG.md", join(root, "CHANGELOG.md")),
    { path: "THIRD-PARTY-LICENSES.txt", content: thirdPartyLicences(carried), mode: 0o644 },
    { path: "sbom.cdx.json", content: bill, mode: 0o644 },
  ];
}

/** The examples for operators, below `examples/`. */
export function examples(): Placed[] {
  const from = (folder: string) => {
    const paths = filesIn(join(import.meta.dir, folder)).filter((path) => !path.endsWith("_test.yaml"));
    return paths.map((path) => ({ path, content: readFileSync(join(import.meta.dir, folder, path), "utf8") }));
  };
  const unit = from("deb").filter(({ path }) => ["packhouse.service", "packhouse.env"].includes(path));
  const placed = (folder: string, files: typeof unit) =>
    files.map(({ path, content }) => ({ path: `examples/${folder}${path}`, content, mode: 0o644 }));
  return [
    ...placed("systemd/", unit),
    ...placed("", from("examples")),
    ...placed("monitoring/", from("monitoring")),
    ...placed(
      "caddy/",
      from("container").filter(({ path }) => path === "Caddyfile"),
    ),
  ];
}
