import { Kind, type Static, type TObject, type TProperties, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { moment_pattern, parseMoment } from "./clock.ts";
import { type FieldProblem, invalidFields } from "./fault.ts";
import type { Noun } from "./ids.ts";
import { idPrefixes } from "./ids.ts";
import { readCents } from "./money.ts";

/**
 * A TypeBox schema in the form Elysia takes from any validator (Standard Schema): it reports every bad field at once
 * as one `validation_failed`, refuses unknown fields by name, and coerces nothing.
 */
export interface Checked<Output> {
  readonly schema: TSchema;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "packhouse";
    readonly validate: (value: unknown) => { readonly value: Output };
    readonly types?: { readonly input: Output; readonly output: Output };
  };
}

/** The body of a request. An absent body counts as an empty object. */
export function bodyOf<Schema extends TSchema>(schema: Schema): Checked<Static<Schema>> {
  const check = TypeCompiler.Compile(schema);
  return standard(schema, (value) => checkedValue(check, value === undefined ? {} : value));
}

/** As `bodyOf`, of a body that is documented by a closer schema than it is checked by: the rest is checked later. */
export function shownBodyOf<Schema extends TSchema>(schema: Schema, shown: TSchema): Checked<Static<Schema>> {
  return { ...bodyOf(schema), schema: shown };
}

/** The check of a record that comes in another form than a body, as a row of a file. Refuses: validation_failed. */
export function checkOf<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const check = TypeCompiler.Compile(schema);
  return (value) => checkedValue(check, value);
}

/** The query of a request: the text of each parameter is read as the type its field declares. */
export function queryOf<Schema extends TObject>(schema: Schema): Checked<Static<Schema>> {
  const check = TypeCompiler.Compile(schema);
  return standard(schema, (value) => checkedValue(check, readTexts(schema.properties, value ?? {})));
}

function standard<Output>(schema: TSchema, validate: (value: unknown) => Output): Checked<Output> {
  return {
    schema,
    "~standard": { version: 1, vendor: "packhouse", validate: (value) => ({ value: validate(value) }) },
  };
}

const problems_max = 100;

function checkedValue<Schema extends TSchema>(check: TypeCheck<Schema>, value: unknown): Static<Schema> {
  if (check.Check(value)) return value;
  const fields = new Map<string, FieldProblem>();
  for (const problem of problemsOf(foundIn(check.Errors(value)))) {
    // The first error of a field is the plainest; those inside a failed union would only confuse.
    if (!fields.has(problem.field)) fields.set(problem.field, problem);
    if (fields.size === problems_max) break;
  }
  if (fields.size === 0) return value as Static<Schema>;
  throw invalidFields([...fields.values()]);
}

function readTexts(properties: TProperties, query: unknown): Record<string, unknown> {
  const texts = Object.entries(query as Record<string, string>);
  // Made of entries, an object has every name as a field of its own, `__proto__` too.
  return Object.fromEntries(texts.map(([name, text]) => [name, readText(properties[name]?.["type"], text)]));
}

function readText(type: unknown, text: string): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** An error, and those of each form that the value might have had. */
interface Found {
  readonly error: ValueError;
  readonly forms: readonly (readonly Found[])[];
}

/** Each error there is. The checker counts a character outside the basic plane as two; clients count it as one. */
function* foundIn(errors: Iterable<ValueError>): Iterable<Found> {
  for (const error of errors) {
    const { type, value, schema } = error;
    if (type === ValueErrorType.StringMaxLength && [...String(value)].length <= schema["maxLength"]) continue;
    const forms = error.errors.map((form) => [...Iterator.from(foundIn(form)).take(problems_max)]);
    if (type !== ValueErrorType.Union || forms.every((form) => form.length > 0)) yield { error, forms };
  }
}

/** What is wrong, with a field that may be null judged as if it may not: "no accepted form" would help nobody. */
function* problemsOf(errors: Iterable<Found>): Iterable<FieldProblem> {
  for (const { error, forms } of errors) {
    const [variant, absent] = (error.schema["anyOf"] ?? []) as TSchema[];
    const inner = forms[0];
    const isNullable = error.type === ValueErrorType.Union && variant && absent?.["type"] === "null";
    if (isNullable && inner && typeof error.schema["hint"] !== "string") yield* problemsOf(inner);
    else yield problemOf(error);
  }
}

/** One bad field in words a client can act on. */
function problemOf({ type, path, schema, message }: ValueError): FieldProblem {
  const field = path
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^(\d+)/, "[$1]")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");
  const said = (code: string, words: string): FieldProblem => ({ field, code, message: words });
  if (typeof schema["hint"] === "string") {
    return type === ValueErrorType.ObjectRequiredProperty
      ? said("required", "is required")
      : said("invalid_value", schema["hint"]);
  }
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return said("required", "is required");
    case ValueErrorType.ObjectAdditionalProperties:
      return said("unknown_field", "is not a field of this request");
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
      return said("too_small", `must be at least ${schema["minimum"]}`);
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
      return said("too_large", `must be at most ${schema["maximum"]}`);
    case ValueErrorType.NumberExclusiveMinimum:
      return said("too_small", `must be greater than ${schema["exclusiveMinimum"]}`);
    case ValueErrorType.StringMinLength:
      return said(
        "too_short",
        schema["minLength"] === 1 ? "must not be empty" : `needs ${schema["minLength"]} characters`,
      );
    case ValueErrorType.StringMaxLength:
      return said("too_long", `must have at most ${schema["maxLength"]} characters`);
    case ValueErrorType.ArrayMinItems:
      return said("too_few", `needs at least ${schema["minItems"]}`);
    case ValueErrorType.ArrayMaxItems:
      return said("too_many", `must have at most ${schema["maxItems"]}`);
    case ValueErrorType.Union: {
      const choices = choicesOf(schema);
      return choices
        ? said("invalid_choice", `must be one of: ${choices.join(", ")}`)
        : said("wrong_type", "has no accepted form");
    }
    case ValueErrorType.Literal:
      return said("invalid_choice", `must be ${schema["const"]}`);
    case ValueErrorType.StringPattern:
    case ValueErrorType.StringFormat:
      return said("invalid_format", schema["form"] ?? "has not the expected form");
    default: {
      const expected = message.replace(/^Expected /, "");
      return said("wrong_type", `must be ${/^[aeio]/.test(expected) ? "an" : "a"} ${expected}`);
    }
  }
}

function choicesOf(schema: TSchema): string[] | null {
  const members = schema["anyOf"] as TSchema[] | undefined;
  const words = members?.map((member) => member["const"]);
  return words?.every((word) => typeof word === "string") ? words : null;
}

/** A closed object. `read_only` names fields of the record that a client may send back and that are ignored. */
export function closed<Fields extends TProperties>(fields: Fields, read_only: readonly string[] = []): TObject<Fields> {
  const ignored = Object.fromEntries(
    read_only.map((name) => [name, Type.Optional(Type.Unknown({ readOnly: true, description: "Ignored." }))]),
  );
  return Type.Object({ ...ignored, ...fields }, { additionalProperties: false }) as unknown as TObject<Fields>;
}

/** One of a closed list of words. */
export function choice<const Words extends readonly string[]>(words: Words, options: { description?: string } = {}) {
  return Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  );
}

/** A value or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** An identifier in a request: `1042`, `"1042"` or `"ord_1042"`. Read it with `readId`. */
export function idField(noun: Noun, description?: string) {
  const prefix = idPrefixes[noun];
  return Type.Union(
    [
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      Type.String({ pattern: `^(${prefix}_)?[1-9][0-9]{0,15}$`, maxLength: 24 }),
    ],
    { hint: `must be an identifier such as ${prefix}_1042`, ...(description ? { description } : {}) },
  );
}

const controls = "\\u0000-\\u001f\\u007f-\\u009f\\ufffd";
const printable = `[^${controls}]`;
const ink = `[^\\s${controls}]`;

/** Printable text without control characters. Broken Unicode is refused when the body is read. */
export function textField(max: number, { min = 1, description }: { min?: number; description?: string } = {}) {
  return Type.String({
    minLength: min,
    maxLength: max,
    pattern: `^${printable}*$`,
    form: "must not hold control characters",
    ...(description ? { description } : {}),
  });
}

/** A text of one line that names something: without outer blanks, which nobody sees, so that each name is one. */
export function nameField(max: number, { description }: { description?: string } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: max,
    pattern: `^${ink}(${printable}*${ink})?$`,
    form: "must not hold control characters, nor begin or end with a space",
    ...(description ? { description } : {}),
  });
}

// Blanks but the plain one, what has no width or turns the direction of text, and other fillers.
const hidden = [
  "\\u00a0\\u00ad\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
  "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffc",
].join("");
const seen = `[^${controls}${hidden}]`;
const seen_ink = `[^ ${controls}${hidden}]`;

/** The pattern of `codeField`, to be put together with others. */
export const code_pattern = `${seen_ink}(${seen}*${seen_ink})?`;

/** A code that names a thing for good, such as a SKU: no two that look alike differ in what nobody sees. */
export function codeField(max: number, { description }: { description?: string } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: max,
    pattern: `^${code_pattern}$`,
    form: "must not hold characters that nobody sees, nor begin or end with a space",
    ...(description ? { description } : {}),
  });
}

/** Text that may hold line breaks and tabs, such as notes. */
export function notesField(max = 2000) {
  return Type.String({
    maxLength: max,
    pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ufffd]*$",
    form: "must not hold control characters but line breaks and tabs",
  });
}

TypeRegistry.Set("Moment", (_schema, value) => typeof value === "string" && parseMoment(value) !== null);

/** An ISO 8601 date or timestamp, of a day that there is. Read it with `momentOf`. */
export function momentField(description?: string) {
  return Type.Unsafe<string>({
    [Kind]: "Moment",
    type: "string",
    pattern: moment_pattern,
    hint: "must be an ISO 8601 date or timestamp, such as 2026-01-31T12:00:00Z",
    ...(description ? { description } : {}),
  });
}

TypeRegistry.Set("Money", (_schema, value) => isAmount(value) && readCents(value) !== null);
const isAmount = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

/** An amount of money in a request: `12.5` or `"12.50"`, at most two decimals. Read it with `readCents`. */
export function moneyField(description?: string) {
  return Type.Unsafe<string | number>({
    [Kind]: "Money",
    anyOf: [
      { type: "number", minimum: 0, maximum: 9_999_999_999.99, multipleOf: 0.01 },
      { type: "string", pattern: "^(0|[1-9][0-9]{0,9})(\\.[0-9]{1,2})?$" },
    ],
    hint: "must be an amount with at most two decimals, such as 12.50",
    ...(description ? { description } : {}),
  });
}

/** A quantity of units: 1 to 1,000,000. */
export function quantityField(description?: string) {
  return Type.Integer({ minimum: 1, maximum: 1_000_000, ...(description ? { description } : {}) });
}

// Beyond this a number would not be kept as it was sent.
const exactNumber = Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** The client's own key and value pairs: at most 50, values to 500 characters. */
export function metadataField() {
  return Type.Record(
    Type.String({ pattern: `^${printable}{1,40}$` }),
    Type.Union([notesField(500), exactNumber, Type.Boolean(), Type.Null()], {
      hint: "must be a printable text to 500 characters, a number, a boolean or null",
    }),
    {
      additionalProperties: false,
      maxProperties: 50,
      hint: "takes at most 50 printable keys of 40 characters, with texts to 500 characters, numbers or booleans",
    },
  );
}
