// Moves the files of an installation outside its databases: the secret key, the certificates and the list of erasures.
import { cpSync, existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { readSealingKey } from "../core/crypto.ts";
import { environments } from "../core/environment.ts";
import { writeAtomically } from "../core/files.ts";
import { erasures_file, readErasures, recordErasures } from "../storage/erasures.ts";
import type { FileContents } from "../storage/file_contents.ts";
import { startRefused } from "../storage/start_refused.ts";

interface CarriedFiles {
  /** The data directory on each side; null for a PostgreSQL database. */
  readonly from: string | null;
  readonly to: string | null;
  /** The value of `PACKHOUSE_SECRET_KEY`, or null. */
  readonly given_key: string | null;
  /** The contents of uploaded files on each side; null if they are not known. */
  readonly contents: { readonly from: FileContents | null; readonly to: FileContents | null };
}

/**
 * Copies the secret key, the certificates, the erasures and the uploaded files of an installation to another one.
 * Returns notes for the operator. A different key at the target is renamed: it encrypts no data that remains.
 */
export async function carryFiles(carried: CarriedFiles): Promise<readonly string[]> {
  return [...carrySecrets(carried), ...(await carryContents(carried))];
}

/** Copies the contents of uploaded files, and reads each back. Refuses a copy that differs. */
async function carryContents({ contents: { from, to } }: CarriedFiles): Promise<readonly string[]> {
  if (from === null || to === null || (from.location !== null && from.location === to.location)) return [];
  let count = 0;
  for (const mode of environments) {
    for (const key of await from.list(mode)) {
      const bytes = await from.read(mode, key);
      if (bytes === null) continue;
      await to.write(mode, key, bytes);
      const arrived = await to.read(mode, key);
      if (arrived === null || !Buffer.from(bytes).equals(arrived)) {
        throw startRefused("damaged", `The uploaded file ${key} differs at the target.`);
      }
      count += 1;
    }
  }
  return count === 0 ? [] : [`Uploaded files: ${count} copied and compared.`];
}

function carrySecrets({ from, to, given_key }: CarriedFiles): readonly string[] {
  if (to === null) {
    const kept = from !== null && given_key === null && existsSync(join(from, "secret.key"));
    return kept
      ? [`Start its servers with PACKHOUSE_SECRET_KEY set to the content of ${join(from, "secret.key")}.`]
      : ["Start its servers with the same PACKHOUSE_SECRET_KEY as before."];
  }
  const key = keyFor(from, given_key);
  const path = join(to, "secret.key");
  const kept = existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  if (kept !== null && kept !== key) renameSync(path, `${path}.before-move`);
  if (key !== null) writeAtomically(path, key);
  if (from !== null) recordErasures(join(to, erasures_file), readErasures(join(from, erasures_file)));
  if (from !== null && existsSync(join(from, "tls"))) cpSync(join(from, "tls"), join(to, "tls"), { recursive: true });
  if (key !== null) return [`${path} is the key that encrypts the secrets. Keep a copy of it elsewhere.`];
  return ["Start it with the same PACKHOUSE_SECRET_KEY as before."];
}

function keyFor(from: string | null, given_key: string | null): string | null {
  if (given_key === null) {
    return from !== null && existsSync(join(from, "secret.key"))
      ? readFileSync(join(from, "secret.key"), "utf8").trim()
      : null;
  }
  const key = readSealingKey(given_key);
  if (key === null) throw startRefused("unsuitable", "PACKHOUSE_SECRET_KEY must be 32 bytes as hex or base64.");
  return Buffer.from(key).toString("hex");
}
