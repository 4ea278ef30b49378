// `bun scripts/common_passwords.ts`: packs the most common passwords of a package into the file that the program
// carries. It takes the first ten thousand, and all others that are long enough to be accepted.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { password_min } from "../src/identity/users/user.ts";
import { root } from "./install.ts";

/** The path of the packed file. */
export const packed_file = join(root, "src/identity/users/common_passwords.txt.gz");

const frequent_max = 10_000;

/** The unpacked file: one password per line, most common first. */
export async function commonPasswords(): Promise<string> {
  const list = join(root, "node_modules/@zxcvbn-ts/language-common/src/passwords.json");
  const all: string[] = await Bun.file(list).json();
  const carried = all.filter((password, rank) => rank < frequent_max || password.length >= password_min);
  return [...new Set(carried)].sort().join("\n");
}

if (import.meta.main) {
  const text = await commonPasswords();
  const bytes = gzipSync(text, { level: 9 });
  await Bun.write(packed_file, bytes);
  console.log(`${text.split("\n").length} passwords, ${Math.round(bytes.length / 1000)} KB`);
}
