import {
  Kind,
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { moment_pattern, parseMoment } from "./clock.ts";
import { invalidFields } from "./faults.ts";
import { fieldProblems, type InputKind, metadata_limits, metadataProblem } from "./field_problems.ts";
import { type IdNoun, idPrefixes } from "./ids.ts";
import { onFirstUse } from "./memoize.ts";
import { isAmount, isCurrency } from "./money.ts";
import { weightUnit, weightUnitPattern, weightUnits } from "./weight_units.ts";

/** The query parameters of every list. */
export const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Page number, from 1." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Records per page; 50 by default." })),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: "Continues after the page that returned it." })),
};
const PageFields = Type.Object(pageFields);
export type PageQuery = Static<typeof PageFields>;

/** Where a list continues: the sort key and the id of the last record on the page. */
export type PagePosition = readonly [key: string | number, id: number];

/** The window of a list query: how many rows, and either how many to skip or the row to start after. */
export interface PageWindow {
  readonly limit: number;
  readonly offset: number;
  readonly after: PagePosition | null;
}

/** The approximate number of bytes of long records to read, write and send at a time. */
export const slice_bytes = 256 << 10;

/** How many of the first records, with these sizes in bytes, fit in a slice; at least one. */
export function fittingInSlice(sizes: readonly number[]): number {
  let bytes = 0;
  const first_beyond = sizes.findIndex((size, at) => {
    bytes += size;
    return at > 0 && bytes > slice_bytes;
  });
  return first_beyond === -1 ? sizes.length : first_beyond;
}

/**
 * A TypeBox schema in the form that Elysia takes from any validator (Standard Schema). It reports all bad fields in one
 * `validation_failed`, refuses unknown fields by name, and coerces nothing.
 */
export interface CheckedSchema<Output> {
  readonly schema: TSchema;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "packhouse";
    readonly validate: (value: unknown) => { readonly value: Output };
    readonly types?: { readonly input: Output; readonly output: Output };
  };
}

/** A request body. An absent body counts as an empty object. */
export function bodyOf<Schema extends TSchema>(schema: Schema): CheckedSchema<Static<Schema>> {
  const check = compiledOf(schema);
  return standard(schema, (value) => checkedValue(check(), value === undefined ? {} : value, "field"));
}

/** As `bodyOf`, for a body whose documented schema is stricter than its first check. The rest is checked later. */
export function shownBodyOf<Schema extends TSchema>(schema: Schema, shown: TSchema): CheckedSchema<Static<Schema>> {
  return { ...bodyOf(schema), schema: shown };
}

/** Checks a record that does not arrive as a body, such as a row of a file. Refuses: validation_failed. */
export function checkOf<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const check = compiledOf(schema);
  return (value) => checkedValue(check(), value, "field");
}

/** A request's query. The text of each parameter is read as the type that its field declares. */
export function queryOf<Schema extends TObject>(schema: Schema): CheckedSchema<Static<Schema>> {
  return standard(schema, checkQuery(schema));
}

/** Checks a query on its own. Refuses: validation_failed. */
export function checkQuery<Schema extends TObject>(schema: Schema): (query: unknown) => Static<Schema> {
  const check = compiledOf(schema);
  return (query) => checkedValue(check(), readTexts(schema.properties, query ?? {}), "parameter");
}

/** A schema's check, compiled on first use: compiling all of them takes longer than the rest of the startup. */
const compiledOf = <Schema extends TSchema>(schema: Schema): (() => TypeCheck<Schema>) =>
  onFirstUse(() => TypeCompiler.Compile(schema));

function standard<Output>(schema: TSchema, validate: (value: unknown) => Output): CheckedSchema<Output> {
  return {
    schema,
    "~standard": { version: 1, vendor: "packhouse", validate: (value) => ({ value: validate(value) }) },
  };
}

function checkedValue<Schema extends TSchema>(
  check: TypeCheck<Schema>,
  value: unknown,
  part: InputKind,
): Static<Schema> {
  if (check.Check(value)) return value;
  const problems = fieldProblems(check.Errors(value), part);
  if (problems.length === 0) return value as Static<Schema>;
  throw invalidFields(problems);
}

function readTexts(properties: TProperties, query: unknown): Record<string, unknown> {
  const texts = Object.entries(query as Record<string, string>);
  // `fromEntries` makes every name an own property, `__proto__` too.
  return Object.fromEntries(texts.map(([name, text]) => [name, readText(properties[name], text)]));
}

function readText(schema: TSchema | undefined, text: string): unknown {
  const type = schema?.["type"];
  if (type === "array") return text.split(",").map((part) => readText(schema?.["items"], part.trim()));
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  return type === "boolean" && (text === "true" || text === "false") ? text === "true" : text;
}

/** A closed object. `read_only` names fields of the record that a client may send back; they are ignored. */
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

/** The maximum number of values in one query parameter. */
const several_max = 100;

/** One or several values in a query parameter, separated by commas: `pending,processing`. */
export function several<Item extends TSchema>(item: Item) {
  const { description, ...value } = item;
  const about = description === undefined ? {} : { description };
  return Type.Array(value as unknown as Item, { minItems: 1, maxItems: several_max, ...about });
}

/** A value or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** An identifier in a request: `1042`, `"1042"` or `"ord_1042"`. Parse it with `readId`. */
export function idField(noun: IdNoun, description?: string) {
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
    form: "must not contain control characters",
    ...(description ? { description } : {}),
  });
}

/**
 * A name on one line. Leading and trailing whitespace is refused: nobody would see the difference between two names.
 */
export function nameField(max: number, { description }: { description?: string } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: max,
    pattern: `^${ink}(${printable}*${ink})?$`,
    form: "must not contain control characters, nor begin or end with a space",
    ...(description ? { description } : {}),
  });
}

// Whitespace other than the plain space, zero-width characters, text direction marks and other fillers.
const hidden = [
  "\\u00a0\\u00ad\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
  "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffc",
].join("");
const seen = `[^${controls}${hidden}]`;
const seen_ink = `[^ ${controls}${hidden}]`;

/** A pattern without the control and invisible characters that it excludes: a guide says that no text has them. */
export function shortPattern(pattern: string): string {
  const short = pattern
    .replaceAll(hidden, "")
    .replaceAll(/\\u0000-(\\u0008\\u000b\\u000c\\u000e-)?\\u001f\\u007f(-\\u009f)?\\ufffd/g, "")
    .replaceAll("[^]", ".")
    .replaceAll("[^\\s]", "\\S");
  return short === "^.*$" ? "" : short;
}

/** The pattern of `codeField`, for use in larger patterns. */
export const code_pattern = `${seen_ink}(${seen}*${seen_ink})?`;

/** A permanent code such as a SKU. Invisible characters are refused, so that codes that look alike are equal. */
export function codeField(max: number, { description }: { description?: string } = {}) {
  return Type.String({
    minLength: 1,
    maxLength: max,
    pattern: `^${code_pattern}$`,
    form: "must not contain invisible characters, nor begin or end with a space",
    ...(description ? { description } : {}),
  });
}

/** An e-mail address. */
export const emailField = () =>
  Type.String({
    maxLength: 254,
    pattern: "^[^\\s@\\u0000-\\u001f\\u007f\\ufffd]{1,64}@[^\\s@\\u0000-\\u001f\\u007f\\ufffd]+$",
    hint: "must be an e-mail address",
  });

/** Text that may contain line breaks and tabs, such as notes. */
export function notesField(max = 2000) {
  return Type.String({
    maxLength: max,
    pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ufffd]*$",
    form: "must not contain control characters other than line breaks and tabs",
  });
}

TypeRegistry.Set("Moment", (_schema, value) => typeof value === "string" && parseMoment(value) !== null);

/** A moment as responses show it. */
export const Timestamp = Type.String({ format: "date-time" });

/** As `Timestamp`, with a description. */
export const timestamp = (description: string) => Type.String({ format: "date-time", description });

/** A number of units or records in responses. */
export const countField = (description: string) => Type.Integer({ minimum: 0, description });

/** The body of an act without input. */
export const NoBody = closed({});

/** What the response to a deletion shows. */
export const DeletedView = closed({
  id: Type.String({ description: "The id of the deleted record." }),
  deleted: Type.Literal(true, { description: "Always true." }),
});

/** An ISO 8601 date or timestamp of an existing day. Parse it with `momentOf`. */
export function momentField(description?: string) {
  return Type.Unsafe<string>({
    [Kind]: "Moment",
    type: "string",
    pattern: moment_pattern,
    hint: "must be an ISO 8601 date or timestamp, such as 2026-01-31T12:00:00Z",
    ...(description ? { description } : {}),
  });
}

/** The names of the two filters by a time: `created_after`, `created_before`. */
export type TimeFilterName<Name extends string> = `${Name}_after` | `${Name}_before`;

/** The schemas of the two filters by a time, such as `created`. `event` is what happened then, if not just that. */
export function timeSchemas(name: string, event = `${name.charAt(0).toUpperCase()}${name.slice(1)}`) {
  return { after: momentField(`${event} at this time or later.`), before: momentField(`${event} before this time.`) };
}

/** The two filters by a time, as parameters of a query. */
export function timeFields<const Name extends string>(name: Name, event?: string) {
  const { after, before } = timeSchemas(name, event);
  return {
    [`${name}_after`]: Type.Optional(after),
    [`${name}_before`]: Type.Optional(before),
  } as Record<TimeFilterName<Name>, TOptional<typeof after>>;
}

TypeRegistry.Set<TSchema>("Money", ({ anyOf: [{ maximum }] }, value) => {
  return (typeof value === "string" || typeof value === "number") && isAmount(value) && Number(value) <= maximum;
});

/** The maximum of prices and most amounts. */
const default_money_max = 9_999_999_999.99;
/** The maximum of an order line's price, discount and total. */
export const line_amount_max = 1_000_000_000_000;

/**
 * An amount of money in a request: `12.5` or `"12.50"`, with at most three decimals, up to `maximum`. Read it with
 * `centsOf`, which refuses more decimals than the currency has.
 */
export function moneyField(description?: string, maximum = default_money_max) {
  const digits = String(Math.trunc(maximum)).length;
  return Type.Unsafe<string | number>({
    [Kind]: "Money",
    anyOf: [
      { type: "number", minimum: 0, maximum },
      { type: "string", pattern: `^(0|[1-9][0-9]{0,${digits - 1}})(\\.[0-9]{1,3})?$` },
    ],
    hint: "must be an amount with at most the decimals of its currency, such as 12.50",
    ...(description ? { description } : {}),
  });
}

TypeRegistry.Set("Currency", (_schema, value) => typeof value === "string" && isCurrency(value));

/** The code of a currency. */
export function currencyField(description?: string) {
  return Type.Unsafe<string>({
    [Kind]: "Currency",
    type: "string",
    pattern: "^[A-Z]{3}$",
    ...(description ? { description } : {}),
  });
}

/** A quantity of units: 1 to 1,000,000. */
export function quantityField(description?: string) {
  return Type.Integer({ minimum: 1, maximum: 1_000_000, ...(description ? { description } : {}) });
}

TypeRegistry.Set("Metadata", (_schema, value) => metadataProblem(value) === null);

/** The client's own names and values, possibly nested, stored as sent. */
export function metadataField() {
  const { names, name, text, levels, bytes } = metadata_limits;
  return Type.Unsafe<Record<string, unknown>>({
    [Kind]: "Metadata",
    type: "object",
    additionalProperties: true,
    maxProperties: names,
    propertyNames: { minLength: 1, maxLength: name },
    description:
      `Your own names and values, at most ${names} per object: text of up to ${text} characters, numbers, booleans, ` +
      `null, lists and objects, nested up to ${levels} levels, ${bytes} bytes of JSON in total. Returned as sent.`,
  });
}

TypeRegistry.Set("WeightUnit", (_schema, value) => typeof value === "string" && weightUnit(value) !== null);

/** A unit of weight in any common spelling. Parse it with `weightUnit`; responses show the short form. */
export function weightUnitField(description = "") {
  return Type.Unsafe<string>({
    [Kind]: "WeightUnit",
    type: "string",
    maxLength: 20,
    pattern: weightUnitPattern,
    description: `${weightUnits.join(", ")}, or another common spelling, such as lbs. ${description}`.trimEnd(),
  });
}

/** The query field of an act that supports a dry run. */
export const dryRunField = {
  dry_run: Type.Optional(
    Type.Boolean({
      description:
        "True changes nothing: the response is the one a real request would get, refusals included, and `meta.events`" +
        " lists the events that webhooks would receive. The ids of records that it would create are null.",
    }),
  ),
};

/** The id of a record in what a dry run shows. */
export const newId = nullable(Type.String({ description: "Null if the dry run was to create the record." }));

/** The schema of a record in what a dry run shows. Its id is null if the act would create it. */
export function previewOf<Fields extends TProperties>(record: TObject<Fields>) {
  const fields = { ...record.properties, id: newId };
  return closed(fields as unknown as Omit<Fields, "id"> & { readonly id: typeof newId });
}

/** The query of an act that supports a dry run and has no other parameters. */
export const DryRunQuery = closed(dryRunField);
export type DryRunQuery = Static<typeof DryRunQuery>;
