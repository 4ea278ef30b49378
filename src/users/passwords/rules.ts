// Which passwords others would try first (NIST SP 800-63B, section 5.1.1.2): common ones, also with a few digits around
// them, repeats, runs of the keyboard, and what follows from the person.

/** The user who chooses a password. */
export interface Chooser {
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

/** Why a password is easy to guess, or null. `common` holds passwords in lower case. */
export function weakness(password: string, common: ReadonlySet<string>, chooser: Chooser = {}): string | null {
  const text = password.normalize("NFKC").toLowerCase();
  const letters = bare(text);
  if (common.has(text) || common.has(letters)) return "is one of the most common passwords";
  if (isRepeated(text) || common.has(repeatedUnit(letters))) return "repeats the same few characters";
  if (isRun(text)) return "is a run of keys";
  return isOfPerson(letters, chooser) ? "is made of the name or the e-mail address" : null;
}

/** Without the digits and signs before and behind it. */
const bare = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

const isRepeated = (text: string): boolean =>
  repeatedUnit(text).length <= unit_characters_max && text !== repeatedUnit(text);

/** The shortest piece of which a text is made by repeating it; the text itself if there is none. */
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

function isOfPerson(letters: string, { email = "", name = "" }: Chooser): boolean {
  const own = [service_name, email, ...email.split(/[@.]/), name, ...name.split(/\s+/)]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= own_characters_min)
    .sort((one, other) => other.length - one.length);
  const rest = own.reduce((left, word) => left.replaceAll(word, ""), letters);
  return rest !== letters && bare(rest).length < own_characters_min;
}
