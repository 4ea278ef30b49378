import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Fault, invalid } from "../../core/faults.ts";
import { onFirstUse } from "../../core/memoize.ts";
import packedPath from "./common_passwords.txt.gz" with { type: "file" };

const cost = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

// The hash of an unknown password. Verifying it takes as long as for any other.
const dummy_hash = [
  ...["", "argon2id", "v=19", "m=19456,t=2,p=1"],
  ...["dUiy9sLoueLuzVzk0ajsNWnhwqXh4AQD8f7PAo08QEM", "41hYoVP8cmlDYacJijYZlgOwCVHz+3wAicddHZ7xHlc"],
].join("$");

const at_once_max = 2;
let running = 0;

/** Runs a hash, at most two at once, because each takes a core and 19 MiB. Refuses: rate_limited. */
async function limited<Done>(work: () => Promise<Done>): Promise<Done> {
  if (running >= at_once_max) {
    throw new Fault("rate_limited", "Too many sign-ins at once. Try again in a second.", {
      retry_after_seconds: 1,
    });
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
  }
}

// The same password may be typed with composed or with combined characters.
const plain = (password: string) => password.normalize("NFC");

/** The hash of a password, as it is stored. Refuses: rate_limited (two others are running). */
export function hashPassword(password: string): Promise<string> {
  return limited(() => Bun.password.hash(plain(password), cost));
}

/**
 * Whether a password matches a hash. For null it returns false after the same time.
 * Refuses: rate_limited (two others are running).
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const fits = await limited(() => Bun.password.verify(plain(password), hash ?? dummy_hash));
  return fits && hash !== null;
}

// Passwords that are easy to guess (NIST SP 800-63B, section 5.1.1.2): common ones, also with a few digits around them,
// repeated characters, keyboard runs, and the user's own name or address.

/** The user who chooses a password. */
interface PasswordOwner {
  readonly email?: string;
  readonly name?: string;
}

const service_name = "packhouse";
const runs = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
];
const unit_characters_max = 8;
const own_characters_min = 4;

/** Why a password is easy to guess, or null. `common` contains passwords in lower case. */
export function weakness(password: string, common: ReadonlySet<string>, chooser: PasswordOwner = {}): string | null {
  const text = password.normalize("NFKC").toLowerCase();
  const letters = bare(text);
  if (common.has(text) || common.has(letters)) return "is one of the most common passwords";
  if (isRepeated(text) || common.has(repeatedUnit(letters))) return "repeats the same few characters";
  if (isRun(text)) return "is a run of keys";
  return isOfPerson(letters, chooser) ? "is made of the name or the email address" : null;
}

/** The text without leading and trailing digits and punctuation. */
const bare = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

const isRepeated = (text: string): boolean =>
  repeatedUnit(text).length <= unit_characters_max && text !== repeatedUnit(text);

/** The shortest text whose repetition gives this text; the text itself if there is none. */
function repeatedUnit(text: string): string {
  for (let size = 1; size <= text.length / 2; size += 1) {
    const unit = text.slice(0, size);
    if (unit.repeat(Math.ceil(text.length / size)).startsWith(text)) return unit;
  }
  return text;
}

function isRun(text: string): boolean {
  const backwards = [...text].reverse().join("");
  return runs.some((run) => run.includes(text) || run.includes(backwards));
}

function isOfPerson(letters: string, { email = "", name = "" }: PasswordOwner): boolean {
  const own = [service_name, email, ...email.split(/[@.]/), name, ...name.split(/\s+/)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= own_characters_min)
    .sort((one, other) => other.length - one.length);
  const rest = own.reduce((left, word) => left.replaceAll(word, ""), letters);
  return rest !== letters && bare(rest).length < own_characters_min;
}

/** The hash of a new PIN. Refuses: validation_failed (easy to guess), rate_limited. */
export async function hashNewPin(pin: string, field: string): Promise<string> {
  const problem = weakness(pin, new Set());
  if (problem !== null) throw invalid(field, `${problem}; choose another one`, "common_pin");
  return hashPassword(pin);
}

// The list of @zxcvbn-ts/language-common, compressed by `bun scripts/common_passwords.ts`.
const common = onFirstUse(() => new Set(gunzipSync(readFileSync(packedPath)).toString().split("\n")));

/**
 * The hash of a new password. Refuses: validation_failed (easy to guess), rate_limited.
 */
export async function hashNewPassword(password: string, chooser: PasswordOwner = {}): Promise<string> {
  const problem = weakness(password, common(), chooser);
  if (problem !== null) throw invalid("password", `${problem}; use a phrase of several words`, "common_password");
  return hashPassword(password);
}
