// The fields of a record, declared once as plain data: a resource. Schemas, types, CSV columns, and the dashboard's
// forms and lists are derived from it. The dashboard imports resources too, so this file uses no library.
import type { CsvColumn } from "./csv_columns.ts";
import { type WeightUnit, weightUnits } from "./weight_units.ts";

interface FieldBase {
  /** Its name in the dashboard. */
  readonly label?: string;
  /** What a new record has if the request has none; a field without it is required. If it is null, null may be sent. */
  readonly default?: unknown;
  /** What the API's reference says about it, if not what its column's meaning says. */
  readonly description?: string;
  /** Whether it may be missing from its group. */
  readonly optional?: true;
  /** Its column in CSV files: a sentence, in which `{words}` stands for the words of a choice, and an example. */
  readonly csv?: readonly [meaning: string, example: string];
  /** The name of that column, if it differs from the field's. */
  readonly column?: string;
  /** The share of a form's line that its input takes, if not that of its kind. */
  readonly width?: "half" | "third";
  /** The text below its input, and the unit after it. */
  readonly help?: string;
  readonly suffix?: string;
  /** What the form of a new record begins with, if not with the default. */
  readonly first?: string;
  /** Whether it cannot change once the record exists. */
  readonly fixed?: true;
  /** The values of other fields with which the dashboard shows and sends it. */
  readonly when?: Readonly<Record<string, string | boolean>>;
}

/** A field of a record: its kind, and what the kind needs. */
export type ResourceField = FieldBase &
  (
    | { readonly kind: "text"; readonly max: number; readonly min?: number; readonly type?: "tel" }
    /** A permanent code, of any or of its own form. */
    | { readonly kind: "code"; readonly max: number }
    | { readonly kind: "code"; readonly pattern: string; readonly hint: string }
    /** Notes may have several lines; a decimal is positive. */
    | { readonly kind: "notes" | "email" | "country" | "currency" | "money" | "flag" | "metadata" }
    | { readonly kind: "decimal" | "weight_unit" }
    /** A positive decimal in the unit of another field. Stored as text, so that it stays exact. */
    | { readonly kind: "weight"; readonly unit: string }
    | { readonly kind: "integer"; readonly min: number; readonly max: number }
    /** One of some words, each with its name in the dashboard. */
    | { readonly kind: "choice"; readonly words: Readonly<Record<string, string>> }
    | { readonly kind: "group"; readonly fields: ResourceFields }
    | { readonly kind: "list"; readonly of: ResourceFields; readonly max: number }
  );

/** The fields of a record in their order in requests, responses and CSV files. */
export interface ResourceFields {
  readonly [name: string]: ResourceField;
}

/** A field with its own kind's properties. */
export type FieldOfKind<Kind extends ResourceField["kind"]> = Extract<ResourceField, { readonly kind: Kind }>;

/** The name of a field, or of a group and a field in it: `customs.hs_code`. */
export type FieldPath<Fields> = {
  [Name in keyof Fields & string]: Fields[Name] extends { readonly fields: infer Inner }
    ? Name | `${Name}.${keyof Inner & string}`
    : Name;
}[keyof Fields & string];

/** Where the dashboard shows the fields of a record. */
export interface ResourceLayout<Path extends string> {
  /** The sections of its form. */
  readonly form: readonly FieldSection<Path>[];
  /** The columns of its list, and those that users have to choose. */
  readonly list: readonly Path[];
  readonly hidden?: readonly Path[];
  /** The lists of facts on its page. */
  readonly facts: readonly FieldSection<Path>[];
}

/** Some fields, below a heading if it has a title. */
export interface FieldSection<Path extends string = string> {
  readonly title?: string;
  readonly help?: string;
  readonly fields: readonly Path[];
}

// The values of each kind, as responses show them, and where requests and tables differ.

interface ShownValues extends Record<"text" | "code" | "notes" | "email" | "country" | "currency", string> {
  readonly decimal: number;
  readonly weight: number;
  readonly weight_unit: WeightUnit;
  readonly integer: number;
  readonly money: number;
  readonly flag: boolean;
  readonly metadata: Record<string, unknown>;
}
type SentValues = Omit<ShownValues, "weight_unit" | "money"> & { weight_unit: string; money: string | number };
type StoredValues = Omit<ShownValues, "weight"> & { weight: string };

/** The names of the fields of a group that may be missing. */
type OptionalNames<Fields> = keyof { [Name in keyof Fields as IfOptional<Fields[Name], Name, never>]: unknown };
type IfOptional<Field, Then, Else> = Field extends { readonly optional: true } ? Then : Else;

type GroupValue<Fields, Values> = {
  readonly [Name in Exclude<keyof Fields, OptionalNames<Fields>>]: Value<Fields[Name], Values>;
} & { readonly [Name in OptionalNames<Fields>]?: Value<Fields[Name & keyof Fields], Values> };

type PlainValue<Field, Values> = Field extends { readonly kind: "choice"; readonly words: infer Words }
  ? keyof Words & string
  : Field extends { readonly kind: "group"; readonly fields: infer Fields }
    ? GroupValue<Fields, Values>
    : Field extends { readonly kind: "list"; readonly of: infer Fields }
      ? readonly GroupValue<Fields, Values>[]
      : Field extends { readonly kind: infer Kind extends keyof Values }
        ? Values[Kind]
        : never;
type Value<Field, Values> = PlainValue<Field, Values> | (Field extends { readonly default: null } ? null : never);

/** The value of a field in requests, in responses and in tables. */
export type SentValue<Field> = Value<Field, SentValues>;
export type ShownValue<Field> = Value<Field, ShownValues>;
type StoredValue<Field> = Value<Field, StoredValues>;

/** The fields of a record as tables store them. Money is in the currency's minor unit, in a column `…_cents`. */
export type StoredFields<Fields> = {
  readonly [Name in keyof Fields as StoredName<Name, Fields[Name]>]: StoredValue<Fields[Name]>;
};
type StoredName<Name, Field> = Field extends { readonly kind: "money" } ? `${Name & string}_cents` : Name;

/** The stored fields of a new record that a request may leave out. */
type DefaultFields<Fields> = StoredFields<{
  readonly [Name in keyof Fields as Fields[Name] extends { readonly default: unknown } ? Name : never]: Fields[Name];
}>;

const storedName = (name: string, { kind }: ResourceField) => (kind === "money" ? `${name}_cents` : name);

/** The stored defaults of a new record. */
export function defaultsOf<Fields extends ResourceFields>(fields: Fields): DefaultFields<Fields> {
  const optional = Object.entries(fields).filter(([, field]) => field.default !== undefined);
  const entries = optional.map(([name, field]) => [storedName(name, field), field.default]);
  return Object.fromEntries(entries) as DefaultFields<Fields>;
}

/** The words of a choice, in their order. */
export function wordsOf<Words extends Readonly<Record<string, string>>>({ words }: { readonly words: Words }) {
  return Object.keys(words) as (keyof Words & string)[];
}

/** The columns of a record's own table that hold text or JSON, which the rules of privacy list. */
export function textColumnsOf(fields: ResourceFields): string[] {
  const others: readonly string[] = ["integer", "money", "flag", "decimal", "list"];
  return Object.entries(fields).flatMap(([name, { kind }]) => (others.includes(kind) ? [] : name));
}

const columnKinds: Readonly<Partial<Record<ResourceField["kind"], CsvColumn["kind"]>>> = {
  code: "code",
  decimal: "number",
  weight: "number",
  integer: "number",
  money: "amount",
  flag: "boolean",
  list: "json",
  metadata: "json",
};

/** The CSV columns of a record: those of its fields that have one, and of the fields in its groups. */
export function csvColumnsOf(fields: ResourceFields): CsvColumn[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (field.kind !== "group") return csvColumn([name], field);
    return Object.entries(field.fields).flatMap(([inner, part]) => csvColumn([name, inner], part));
  });
}

function csvColumn(path: CsvColumn["path"], field: ResourceField): CsvColumn[] {
  if (field.csv === undefined) return [];
  const [meaning, example] = field.csv;
  const kind = columnKinds[field.kind] ?? "text";
  const words = field.kind === "choice" ? wordsOf(field) : weightUnits;
  const column = {
    name: field.column ?? path.at(-1) ?? "",
    path,
    kind,
    meaning: meaning.replace("{words}", words.map((word) => `\`${word}\``).join(", ")),
    example,
    ...(field.kind === "list" && { codes: true as const }),
  };
  return [kind === "json" || field.default === null ? { ...column, empty: field.default as null } : column];
}
