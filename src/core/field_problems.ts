import { Kind, type TSchema } from "@sinclair/typebox";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { didYouMean } from "./did_you_mean.ts";
import { type Fault, type FieldProblem, invalidFields } from "./faults.ts";
import { weightUnits } from "./weight_units.ts";

// Limits of metadata: the client's own names and values on a record, possibly nested.

export const metadata_limits = { bytes: 32 << 10, levels: 5, names: 50, items: 100, name: 40, text: 500 };

/** Where metadata is invalid, such as `.box.sizes[2]`, and why. */
interface MetadataProblem {
  readonly at: string;
  readonly message: string;
}

/** The first problem of a metadata value, or null. */
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
  const problem = (message: string) => ({ at, message });
  if (typeof value === "string") {
    if (unprintableButBreaks.test(value))
      return problem("must not contain control characters other than line breaks and tabs");
    return [...value].length > text ? problem(`must have at most ${text} characters`) : null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (level > levels) return problem(`is nested more than ${levels} levels deep`);
  if (Array.isArray(value)) {
    if (value.length > items) return problem(`must have at most ${items} items`);
    return firstOf(value.entries(), (index, item) => problemIn(item, `${at}[${index}]`, level + 1));
  }
  const fields = Object.entries(value);
  if (fields.length > names) return problem(`must have at most ${names} names`);
  return firstOf(fields, (name, inner) => nameProblem(name, at) ?? problemIn(inner, `${at}.${name}`, level + 1));
}

function nameProblem(name: string, at: string): MetadataProblem | null {
  const length = [...name].length;
  if (length > 0 && length <= metadata_limits.name && !unprintable.test(name)) return null;
  return { at: `${at}.${name}`, message: `must have a name of 1 to ${metadata_limits.name} printable characters` };
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

// Describes a bad field so that a client can act on it. Each message continues a sentence that starts with the field's
// name.

/** What the fields of a request are called: a body's are fields, a query's are parameters. */
export type InputKind = "field" | "parameter";

const problems_max = 100;

/** Every bad field, each with its first error. */
export function fieldProblems(errors: Iterable<ValueError>, part: InputKind): FieldProblem[] {
  const fields = new Map<string, FieldProblem>();
  for (const problem of problemsOf(schemaErrors(errors), part)) {
    // The first error of a field is the clearest; errors inside a failed union would confuse.
    if (!fields.has(problem.field)) fields.set(problem.field, problem);
    if (fields.size === problems_max) break;
  }
  return [...fields.values()];
}

/** An error, with the errors of each form that the value could have had. */
interface SchemaError {
  readonly error: ValueError;
  readonly forms: readonly (readonly SchemaError[])[];
}

/** The errors that apply. The checker counts a character outside the basic plane as two; clients count it as one. */
function* schemaErrors(errors: Iterable<ValueError>): Iterable<SchemaError> {
  for (const error of errors) {
    const { type, value, schema } = error;
    if (type === ValueErrorType.StringMaxLength && [...String(value)].length <= schema["maxLength"]) continue;
    const forms = error.errors.map((form) => [...Iterator.from(schemaErrors(form)).take(problems_max)]);
    if (type !== ValueErrorType.Union || forms.every((form) => form.length > 0)) yield { error, forms };
  }
}

/**
 * The problem of each error. A nullable field is judged as if it were not nullable, since "no accepted form" helps
 * nobody.
 */
function* problemsOf(errors: Iterable<SchemaError>, part: InputKind): Iterable<FieldProblem> {
  for (const { error, forms } of errors) {
    const [variant, absent] = (error.schema["anyOf"] ?? []) as TSchema[];
    const inner = forms[0];
    const isNullable = error.type === ValueErrorType.Union && variant && absent?.["type"] === "null";
    if (isNullable && inner && typeof error.schema["hint"] !== "string") yield* problemsOf(inner, part);
    else yield problemOf(error, part);
  }
}

/**
 * Returns what is wrong with a value, or with a part of it at a place such as `.sizes[2]`; null when the schema's hint
 * covers it.
 */
type ValueJudge = (value: unknown, schema: TSchema) => (Omit<FieldProblem, "field"> & { readonly at?: string }) | null;

// Custom kinds of values.
const judges: Readonly<Record<string, ValueJudge>> = {
  Metadata: (value) => ({ at: "", message: "", ...metadataProblem(value), code: "invalid_value" }),
  Money: moneyProblem,
  Currency: (value) => ({ code: "invalid_value", message: `must be an ISO 4217 code, such as USD${got(value)}` }),
  WeightUnit: (value) => choiceProblem(value, weightUnits),
};

/** Quotes a short text that was refused. */
const got = (value: unknown, length_max = 20) =>
  typeof value === "string" && value.length <= length_max ? ` (got "${value}")` : "";

function moneyProblem(value: unknown, { anyOf: [{ maximum }] }: TSchema): Omit<FieldProblem, "field"> | null {
  if (/^-/.test(String(value))) return { code: "too_small", message: "must not be negative" };
  const isLarge = /^\d+(\.\d{1,3})?$/.test(String(value)) && Number(value) > maximum;
  return isLarge ? { code: "too_large", message: `must be at most ${maximum}` } : null;
}

/** Creates a `validation_failed` for a value that is not one of the choices. */
export function invalidChoice(field: string, value: string, choices: readonly string[]): Fault {
  return invalidFields([{ field, ...choiceProblem(value, choices) }]);
}

/** The problem of a value that is not one of the choices. */
function choiceProblem(value: unknown, choices: readonly string[]): Omit<FieldProblem, "field"> {
  const meant = typeof value === "string" ? didYouMean(value, choices) : "";
  return { code: "invalid_choice", message: `must be one of: ${choices.join(", ")}${meant}` };
}

/** As `judgedProblem`. One of the values of a query parameter has no name of its own, so the message quotes it. */
function problemOf(error: ValueError, part: InputKind): FieldProblem {
  const problem = judgedProblem(error, part);
  const [, parameter] = (part === "parameter" && /^(\w+)\[\d+\]$/.exec(problem.field)) || [];
  if (parameter === undefined) return problem;
  const message = problem.message.replace(/(?: \(did you mean .*\))?$/, (meant) => got(error.value, 100) + meant);
  return { ...problem, field: parameter, message };
}

function judgedProblem({ type, path, schema, value, message }: ValueError, part: InputKind): FieldProblem {
  const field = fieldAt(path);
  const problem = (code: string, words: string, at = ""): FieldProblem => ({ field: field + at, code, message: words });
  if (type === ValueErrorType.ObjectRequiredProperty) return problem("required", "is required");
  const judged = judges[schema[Kind]]?.(value, schema) ?? null;
  if (judged !== null) return problem(judged.code, judged.message, judged.at);
  if (typeof schema["hint"] === "string") return problem("invalid_value", schema["hint"]);
  switch (type) {
    case ValueErrorType.ObjectAdditionalProperties: {
      const meant = didYouMean(lastName(path), namesOf(schema));
      return problem("unknown_field", `is not a ${part} of this request${meant}`);
    }
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return problem("too_small", `must be at least ${schema["minimum"]}`);
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return problem("too_large", `must be at most ${schema["maximum"]}`);
    case ValueErrorType.NumberExclusiveMinimum:
      return problem("too_small", `must be greater than ${schema["exclusiveMinimum"]}`);
    case ValueErrorType.StringMinLength: {
      const { minLength } = schema;
      return problem("too_short", minLength === 1 ? "must not be empty" : `must have at least ${minLength} characters`);
    }
    case ValueErrorType.StringMaxLength:
      return problem("too_long", `must have at most ${schema["maxLength"]} characters`);
    case ValueErrorType.ArrayMinItems:
      return problem("too_few", `must have at least ${itemsOf(schema["minItems"])}`);
    case ValueErrorType.ArrayMaxItems:
      return problem("too_many", `must have at most ${itemsOf(schema["maxItems"])}`);
    case ValueErrorType.Union: {
      const choices = choicesOf(schema);
      return choices ? { field, ...choiceProblem(value, choices) } : problem("wrong_type", formsOf(schema));
    }
    case ValueErrorType.Literal:
      return problem("invalid_choice", `must be ${schema["const"]}`);
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return problem("invalid_format", schema["form"] ?? "does not have the expected form");
    default: {
      const expected = message.replace(/^Expected /, "");
      return problem("wrong_type", `must be ${articleOf(expected)} ${expected}`);
    }
  }
}

const itemsOf = (count: number) => (count === 1 ? "1 item" : `${count} items`);
const articleOf = (noun: string) => (/^[aeio]/.test(noun) ? "an" : "a");

/** The types that a value may have, for schemas without a message of their own. */
function formsOf({ anyOf = [] }: TSchema): string {
  const types = [...new Set((anyOf as TSchema[]).map(({ type }) => String(type)))];
  return `must be ${types.map((type) => (type === "null" ? type : `${articleOf(type)} ${type}`)).join(" or ")}`;
}

/** Converts a JSON pointer to the client's notation: `line_items[0].quantity`. */
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

/** The names that an object may have, except those that are accepted only to be ignored. */
function namesOf({ properties = {} }: TSchema): string[] {
  const fields = Object.entries(properties as Record<string, TSchema>);
  return fields.filter(([, { readOnly }]) => readOnly !== true).map(([name]) => name);
}

function choicesOf(schema: TSchema): string[] | null {
  const members = schema["anyOf"] as TSchema[] | undefined;
  const words = members?.map((member) => member["const"]);
  return words?.every((word) => typeof word === "string") ? words : null;
}
