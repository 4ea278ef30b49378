// The flags of commands: each is declared once, with its type, its help and its limits.
import { parseArgs } from "node:util";
import { parseMoment } from "./clock.ts";
import { UsageError, variable } from "./config.ts";

/** One flag of a command. */
interface Flag<Value> {
  /** A `word` is a positional argument, such as a file name. */
  readonly type: "string" | "boolean" | "word";
  /** The placeholder for its value in the help. */
  readonly value?: string;
  readonly help: string;
  readonly default?: string;
  /** Reads its text, which is undefined if it is not set. Throws `UsageError`; `label` names the flag in it. */
  readonly read: (text: string | undefined, label: string) => Value;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: ReturnType<F[K]["read"]> };

/** A flag that has a value. */
interface Described {
  readonly value: string;
  readonly help: string;
  /** Its text if it is not set. */
  readonly default?: string;
  /** Makes the flag required. It describes the value in the refusal: `FILE is required: the backup.` */
  readonly required?: string;
}
/** A flag with limited values. `refusal` returns the text after its name when another one is refused. */
interface Limited extends Described {
  readonly refusal?: (text: string) => string;
}

type Always = { readonly default: string } | { readonly required: string };
type ReadAs<Value, D extends Described> = Flag<D extends Always ? Value : Value | undefined>;

/** A flag that is set or not. */
export function flag(help: string): Flag<boolean> {
  return { type: "boolean", help, read: (text) => text === "1" || text === "true" };
}

/** A flag whose text `parse` reads. It throws `UsageError` for an invalid one. */
export function parsed<Value, const D extends Described>(
  { required, ...shown }: D,
  parse: (text: string, label: string) => Value,
): ReadAs<Value, D> {
  const read = (set: string | undefined, label: string) => {
    const text = set ?? shown.default;
    if (required !== undefined && !text) throw new UsageError(`${label} is required: ${required}.`);
    return text === undefined ? undefined : parse(text, label);
  };
  return { type: "string", ...shown, read } as unknown as ReadAs<Value, D>;
}

/** A flag with any text. */
export const text = <const D extends Described>(described: D) => parsed(described, (text) => text);

/** A positional argument. */
export const word = <const D extends Described>(described: D): ReadAs<string, D> => ({
  ...text(described),
  type: "word",
});

/** A whole number from `min` to `max`. */
export function int<const D extends Limited>(min: number, max: number, { refusal, ...described }: D) {
  const form = new RegExp(`^\\d{1,${String(max).length}}$`);
  return parsed(described as D, (text, label) => {
    const number = form.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new UsageError(`${label} ${refusal?.(text) ?? `must be a number from ${min} to ${max}.`}`);
  });
}

/** One of several words. */
export function choice<Word extends string, const D extends Omit<Limited, "value"> & { readonly value?: string }>(
  words: readonly Word[],
  { refusal, ...described }: D,
) {
  const shown = { value: words.join("|"), ...described } as unknown as D & { readonly value: string };
  return parsed(shown, (text, label) => {
    const chosen = words.find((word) => word === text);
    if (chosen !== undefined) return chosen;
    throw new UsageError(`${label} ${refusal?.(text) ?? `must be one of ${words.join(", ")}.`}`);
  });
}

/** The forms of a date, for help texts. */
export const date_forms = "such as 2027-01-31 or 2027-01-31T18:00:00Z";

/** A date or timestamp, read as milliseconds. */
export const date = <const D extends Described>(described: D) => parsed(described, dateIn);

/** Reads a date or timestamp as milliseconds. Throws `UsageError` for anything else. */
export function dateIn(text: string, label: string): number {
  const at = parseMoment(text);
  if (at === null) throw new UsageError(`${label} must be a date, ${date_forms} (got ${text}).`);
  return at;
}

/** The environment variable that sets a flag. */
export const variableOf = (name: string) => `PACKHOUSE_${name.toUpperCase().replaceAll("-", "_")}` as const;

/**
 * Reads a command's flags: the flag itself, else the variable `PACKHOUSE_<NAME>`, else the default. Throws `UsageError`
 * for unknown flags, invalid and missing values, and unexpected arguments.
 */
export function readFlags<F extends Flags>(words: readonly string[], flags: F): FlagValues<F> {
  const { values, refusals } = tryFlags(words, flags);
  const [refusal] = refusals;
  if (refusal !== undefined) throw refusal;
  return values;
}

/** Reads a command's flags as `readFlags` does, but leaves out those with invalid values and returns their refusals. */
export function tryFlags<F extends Flags>(
  words: readonly string[],
  flags: F,
): { readonly values: FlagValues<F>; readonly refusals: readonly UsageError[] } {
  const { values: set, positionals } = parsedArgs(words, flags);
  const values: Record<string, unknown> = {};
  const refusals: UsageError[] = [];
  const rest = [...positionals];
  for (const [name, { type, value = "", read }] of Object.entries(flags)) {
    const is_word = type === "word";
    const text = is_word ? rest.shift() : (set[name]?.toString() ?? variable(variableOf(name)) ?? undefined);
    try {
      values[name] = read(text, is_word ? value : `--${name}`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refusals.push(error);
    }
  }
  if (rest[0] !== undefined) throw new UsageError(`Unexpected argument '${rest[0]}'.`);
  return { values: values as FlagValues<F>, refusals };
}

function parsedArgs(words: readonly string[], flags: Flags) {
  const all = Object.entries(flags);
  const options = Object.fromEntries(all.flatMap(([name, { type }]) => (type === "word" ? [] : [[name, { type }]])));
  const allowPositionals = all.some(([, { type }]) => type === "word");
  try {
    return parseArgs({ args: [...words], options, strict: true, allowPositionals });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
