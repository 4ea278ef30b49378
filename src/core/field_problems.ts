import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { didYouMean } from "./did_you_mean.ts";
import { type Fault, type FieldProblem, invalidFields } from "./faults.ts";
import { weightUnits } from "./weight_units.ts";

// What a client may keep with a record: pairs of names and values of its own, nested if it likes.

export const metadata_limits = { bytes: 32 << 10, levels: 5, names: 50, items: 100, name: 40, text: 500 };

/** Where in the metadata something cannot be kept, as `.box.sizes[2]`, and why. */
interface MetadataProblem {
  readonly at: string;
  readonly message: string;
}

/** The first thing that cannot be kept, or null. */
export function metadataProblem(value: unknown): MetadataProblem | null {
  if (!isObject(value)) return { at: "", message: "must be an object" };
  const problem = problemIn(value, "", 1);
  if (problem !== null) return problem;
  const { bytes } = metadata_limits;
  if (Buffer.byteLength(JSON.stringify(value)) <= bytes) return null;
  return { at: "", message: `must have at most ${bytes} bytes as JSON` };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unprintable = /[\p{Cc}\ufffd]/u;
const unprintableButBreaks = /(?![\t\n\r])[\p{Cc}\ufffd]/u;

function problemIn(value: unknown, at: string, level: number): MetadataProblem | null {
  const { levels, names, items, text } = metadata_limits;
  const said = (message: string) => ({ at, message });
  if (typeof value === "string") {
    if (unprintableButBreaks.test(value)) return said("must not hold control characters but line breaks and tabs");
    return [...value].length > text ? said(`must have at most ${text} characters`) : null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (level > levels) return said(`is nested more than ${levels} levels deep`);
  if (Array.isArray(value)) {
    if (value.length > items) return said(`must have at most ${items} items`);
    return firstOf(value.entries(), (index, item) => problemIn(item, `${at}[${index}]`, level + 1));
  }
  const fields = Object.entries(value);
  if (fields.length > names) return said(`must have at most ${names} names`);
  return firstOf(fields, (name, inner) => nameProblem(name, at) ?? problemIn(inner, `${at}.${name}`, level + 1));
}

function nameProblem(name: string, at: string): MetadataProblem | null {
  const length = [...name].length;
  if (length > 0 && length <= metadata_limits.name && !unprintable.test(name)) return null;
  return { at: `${at}.${name}`, message: `is a name that must have 1 to ${metadata_limits.name} printable characters` };
}

function firstOf<Key>(
  pairs: Iterable<[Key, unknown]>,
  find: (key: Key, value: unknown) => MetadataProblem | null,
): MetadataProblem | null {
  for (const [key, value] of pairs) {
    const problem = find(key, value);
    if (problem !== null) return problem;
  }
  return null;
}

// What is wrong with a field of a request, in words that a client can act on: each reads on after the field's name.

/** What the fields of a request are called: those of a body, or the parameters of a query. */
export type InputKind = "field" | "parameter";

const problems_max = 100;

/** Every bad field, each with the first error of it. */
export function fieldProblems(errors: Iterable<ValueError>, part: InputKind): FieldProblem[] {
  const fields = new Map<string, FieldProblem>();
  for (const problem of problemsOf(schemaErrors(errors), part)) {
    // The first error of a field is the plainest; those inside a failed union would only confuse.
    if (!fields.has(problem.field)) fields.set(problem.field, problem);
    if (fields.size === problems_max) break;
  }
  return [...fields.values()];
}

/** An error, and those of each form that the value might have had. */
interface SchemaError {
  readonly error: ValueError;
  readonly forms: readonly (readonly SchemaError[])[];
}

/** Each error there is. The checker counts a character outside the basic plane as two; clients count it as one. */
function* schemaErrors(errors: Iterable<ValueError>): Iterable<SchemaError> {
  for (const error of errors) {
    const { type, value, schema } = error;
    if (type === ValueErrorType.StringMaxLength && [...String(value)].length <= schema["maxLength"]) continue;
    const forms = error.errors.map((form) => [...Iterator.from(schemaErrors(form)).take(problems_max)]);
    if (type !== ValueErrorType.Union || forms.every((form) => form.length > 0)) yield { error, forms };
  }
}

/** What is wrong, with a field that may be null judged as if it may not: "no accepted form" would help nobody. */
function* problemsOf(errors: Iterable<SchemaError>, part: InputKind): Iterable<FieldProblem> {
  for (const { error, forms } of errors) {
    const [variant, absent] = (error.schema["anyOf"] ?? []) as TSchema[];
    const inner = forms[0];
    const isNullable = error.type === ValueErrorType.Union && variant && absent?.["type"] === "null";
    if (isNullable && inner && typeof error.schema["hint"] !== "string") yield* problemsOf(inner, part);
    else yield problemOf(error, part);
  }
}

/** Says what is wrong with a value, or with what lies in it at a place such as `.sizes[2]`. */
type ValueJudge = (value: unknown, schema: TSchema) => (Omit<FieldProblem, "field"> & { readonly at?: string }) | null;

// What is wrong with a value of a kind of our own; null where the hint of its schema says it.
const judges: Readonly<Record<string, ValueJudge>> = {
  Metadata: (value) => ({ at: "", message: "", ...metadataProblem(value), code: "invalid_value" }),
  Money: moneyProblem,
  Currency: (value) => ({ code: "invalid_value", message: `must be an ISO 4217 code, such as USD${got(value)}` }),
  WeightUnit: (value) => choiceProblem(value, weightUnits),
};

/** A short text that was refused, as a message quotes it. */
const got = (value: unknown) => (typeof value === "string" && value.length <= 20 ? ` (got "${value}")` : "");

function moneyProblem(value: unknown, { anyOf: [{ maximum }] }: TSchema): Omit<FieldProblem, "field"> | null {
  if (/^-/.test(String(value))) return { code: "too_small", message: "must not be negative" };
  const isLarge = /^\d+(\.\d{1,3})?$/.test(String(value)) && Number(value) > maximum;
  return isLarge ? { code: "too_large", message: `must be at most ${maximum}` } : null;
}

/** Refuses: validation_failed, for a value that must be one of some words. */
export function invalidChoice(field: string, value: string, choices: readonly string[]): Fault {
  return invalidFields([{ field, ...choiceProblem(value, choices) }]);
}

/** What to say of a value that must be one of some words and is none. */
function choiceProblem(value: unknown, choices: readonly string[]): Omit<FieldProblem, "field"> {
  const meant = typeof value === "string" ? didYouMean(value, choices) : "";
  return { code: "invalid_choice", message: `must be one of: ${choices.join(", ")}${meant}` };
}

/** One bad field. */
function problemOf({ type, path, schema, value, message }: ValueError, part: InputKind): FieldProblem {
  const field = fieldAt(path);
  const said = (code: string, words: string, at = ""): FieldProblem => ({ field: field + at, code, message: words });
  if (type === ValueErrorType.ObjectRequiredProperty) return said("required", "is required");
  const judged = judges[schema[Kind]]?.(value, schema) ?? null;
  if (judged !== null) return said(judged.code, judged.message, judged.at);
  if (typeof schema["hint"] === "string") return said("invalid_value", schema["hint"]);
  switch (type) {
    case ValueErrorType.ObjectAdditionalProperties: {
      const meant = didYouMean(lastName(path), namesOf(schema));
      return said("unknown_field", `is not a ${part} of this request${meant}`);
    }
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return said("too_small", `must be at least ${schema["minimum"]}`);
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return said("too_large", `must be at most ${schema["maximum"]}`);
    case ValueErrorType.NumberExclusiveMinimum:
      return said("too_small", `must be greater than ${schema["exclusiveMinimum"]}`);
    case ValueErrorType.StringMinLength: {
      const { minLength } = schema;
      return said("too_short", minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`);
    }
    case ValueErrorType.StringMaxLength:
      return said("too_long", `must have at most ${schema["maxLength"]} characters`);
    case ValueErrorType.ArrayMinItems:
      return said("too_few", `must have at least ${itemsOf(schema["minItems"])}`);
    case ValueErrorType.ArrayMaxItems:
      return said("too_many", `must have at most ${itemsOf(schema["maxItems"])}`);
    case ValueErrorType.Union: {
      const choices = choicesOf(schema);
      return choices ? { field, ...choiceProblem(value, choices) } : said("wrong_type", formsOf(schema));
    }
    case ValueErrorType.Literal:
      return said("invalid_choice", `must be ${schema["const"]}`);
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return said("invalid_format", schema["form"] ?? "does not have the expected form");
    default: {
      const expected = message.replace(/^Expected /, "");
      return said("wrong_type", `must be ${articleOf(expected)} ${expected}`);
    }
  }
}

const itemsOf = (count: number) => (count === 1 ? "1 item" : `${count} items`);
const articleOf = (noun: string) => (/^[aeio]/.test(noun) ? "an" : "a");

/** The forms a value may have, where no words of the schema's own say them. */
function formsOf({ anyOf = [] }: TSchema): string {
  const types = [...new Set((anyOf as TSchema[]).map(({ type }) => String(type)))];
  return `must be ${types.map((type) => (type === "null" ? type : `${articleOf(type)} ${type}`)).join(" or ")}`;
}

/** A JSON pointer as a client writes the place: `line_items[0].quantity`. */
function fieldAt(path: string): string {
  return path
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^(\d+)/, "[$1]")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
}

const lastName = (path: string) =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");

/** The names that an object may have, without those that are only taken to be ignored. */
function namesOf({ properties = {} }: TSchema): string[] {
  const fields = Object.entries(properties as Record<string, TSchema>);
  return fields.filter(([, { readOnly }]) => readOnly !== true).map(([name]) => name);
}

function choicesOf(schema: TSchema): string[] | null {
  const members = schema["anyOf"] as TSchema[] | undefined;
  const words = members?.map((member) => member["const"]);
  return words?.every((word) => typeof word === "string") ? words : null;
}
