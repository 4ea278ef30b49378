import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { invalid } from "../../kit/fault.ts";
import { onFirstUse } from "../../kit/first_use.ts";
import { hashPassword } from "../../kit/password.ts";
import packedPath from "./common.txt.gz" with { type: "file" };
import { type Chooser, weakness } from "./rules.ts";

// The list of @zxcvbn-ts/language-common, packed by `bun scripts/common_passwords.ts`.
const common = onFirstUse(() => new Set(gunzipSync(readFileSync(packedPath)).toString().split("\n")));

/**
 * The hash of a new password, unless others would guess it. Refuses: validation_failed, rate_limited.
 */
export async function hashNewPassword(password: string, chooser: Chooser = {}): Promise<string> {
  const problem = weakness(password, common(), chooser);
  if (problem !== null)
    throw invalid("password", `${problem}: choose a few words that only you combine`, "common_password");
  return hashPassword(password);
}
