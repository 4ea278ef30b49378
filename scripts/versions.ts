// Other versions of the program, run from a copy of its source with additional migrations. For tests of upgrades, and
// of servers of two versions side by side.
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./install.ts";

/** A migration that only this version has. */
export interface Planted {
  readonly name: string;
  /** Its mark: `additive`, or `breaking: why`. */
  readonly mark: string;
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

export interface OtherVersion {
  /** The command that runs it, for `startService`. */
  readonly program: readonly string[];
  readonly folder: string;
  remove(): void;
}

const engines = ["sqlite", "postgres"] as const;

/** Creates a version of the program that also has these migrations. */
export function otherVersion(planted: readonly Planted[]): OtherVersion {
  const folder = mkdtempSync(join(tmpdir(), "packhouse-version-"));
  for (const name of ["src", "db", "package.json", "tsconfig.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const engine of engines) {
    const migrations = join(folder, "db/migrations", engine);
    for (const { name, mark, ...statements } of planted) {
      const text = `-- ${mark}\n${statements[engine].join(";--> statement-breakpoint\n")}`;
      writeFileSync(join(migrations, `${name}.sql`), text);
    }
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { program: [process.execPath, join(folder, "src/main.ts")], folder, remove };
}
