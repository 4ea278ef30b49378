// Describes records that have fields in common by references to a schema with these fields.
import { type JsonObject, pascal } from "./json_schema.ts";

/** A schema of an object with named fields. */
interface RecordSchema {
  readonly name: string;
  /** Whether it refuses other fields, as requests do. */
  readonly isClosed: boolean;
  readonly fields: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  /** The fields as text, for comparing them. */
  readonly texts: Readonly<Record<string, string>>;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function recordsIn(components: Readonly<Record<string, JsonObject>>): RecordSchema[] {
  return Object.entries(components).flatMap(([name, { type, properties, required = [], ...schema }]) => {
    const { additionalProperties } = schema;
    const isClosed = additionalProperties === false;
    if (type !== "object" || !isObject(properties) || (additionalProperties !== undefined && !isClosed)) return [];
    const fields = properties as RecordSchema["fields"];
    const texts = Object.entries(fields).map(([field, inner]) => [field, JSON.stringify(inner)]);
    return [{ name, isClosed, fields, required: required as string[], texts: Object.fromEntries(texts) }];
  });
}

const extended_fields_min = 4;

/** Whether a record has all fields of another one, and others. */
function isExtension(record: RecordSchema, of: RecordSchema): boolean {
  const names = Object.keys(of.fields);
  if (names.length < extended_fields_min || Object.keys(record.fields).length < names.length) return false;
  if (record.name === of.name) return false;
  const areSame = names.every((field) => record.texts[field] === of.texts[field]);
  return areSame && of.required.every((field) => record.required.includes(field));
}

/** Describes a record by a reference to a schema with some of its fields, and its other fields. */
function extend(
  components: Record<string, JsonObject>,
  record: RecordSchema,
  base: string,
  shared: ReadonlySet<string>,
) {
  const fields = Object.entries(record.fields).filter(([field]) => !shared.has(field));
  const required = record.required.filter((field) => !shared.has(field));
  const own = { type: "object", properties: Object.fromEntries(fields), ...(required.length > 0 && { required }) };
  const schema = components[record.name] as JsonObject;
  const { type: _type, properties: _fields, required: _required, additionalProperties: _others, ...rest } = schema;
  components[record.name] = {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${base}` }, ...(fields.length > 0 ? [own] : [])],
    // Unlike `additionalProperties`, it knows the fields of all parts.
    ...(record.isClosed ? { unevaluatedProperties: false } : {}),
  };
}

const sizeOf = ({ texts }: RecordSchema) => JSON.stringify(texts).length;

/** Describes each record of responses that extends another one by a reference to the largest such record. */
export function extendSchemas(components: Record<string, JsonObject>): void {
  const records = recordsIn(components).filter(({ isClosed }) => !isClosed);
  for (const record of records) {
    const bases = records.filter((of) => isExtension(record, of) && sizeOf(record) > sizeOf(of));
    const [base] = bases.sort((a, b) => sizeOf(b) - sizeOf(a));
    if (base !== undefined) extend(components, record, base.name, new Set(Object.keys(base.fields)));
  }
}

/** Removes the long examples of records that extend one with an example. */
export function dropRepeatedExamples(components: Record<string, JsonObject>): void {
  for (const schema of Object.values(components)) {
    const [{ $ref: ref } = {}] = (schema["allOf"] ?? []) as JsonObject[];
    const base = components[String(ref).split("/").at(-1) ?? ""];
    const isLong = (JSON.stringify(schema["examples"])?.length ?? 0) > repeated_example_characters_max;
    if (isLong && base !== undefined && "examples" in base) delete schema["examples"];
  }
}

const repeated_example_characters_max = 640;

/** Names the rows and totals of a report, which have most fields in common: `SalesReportRow`, `SalesReportTotals`. */
export function nameRows({ operationId, responses }: JsonObject, components: Record<string, JsonObject>): void {
  const report = pascal(String(operationId).replace(/^get/, ""));
  const move = (holder: JsonObject, key: string, name: string) => {
    const { description, ...schema } = holder[key] as JsonObject;
    components[name] = schema;
    holder[key] = { ...(description === undefined ? {} : { description }), $ref: `#/components/schemas/${name}` };
  };
  const search = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) search(one);
    if (!isObject(part)) return;
    const { rows, totals } = (part["properties"] ?? {}) as Record<string, JsonObject>;
    if (isObject(rows?.["items"]) && "properties" in rows["items"] && totals && "properties" in totals) {
      move(rows, "items", `${report}Row`);
      move(part["properties"] as JsonObject, "totals", `${report}Totals`);
    }
    for (const inner of Object.values(part)) search(inner);
  };
  search(responses);
}

/** Two records, and what they have in common. */
interface Pair {
  readonly records: readonly [RecordSchema, RecordSchema];
  /** Names for the common schema. */
  readonly names: readonly string[];
  readonly fields: readonly string[];
  readonly characters: number;
}

const shared_characters_min = 350;

/** Words that name no record. */
const generic = new Set(["Create", "Update", "Get", "List", "Set", "Data", "New", "Entry", "Item", "Event", "View"]);

const wordsOf = (name: string): readonly string[] => name.match(/[A-Z][a-z0-9]*/g) ?? [];

/** Returns names for what two records have in common: the words that are in both names. Empty if there are none. */
function commonNames(a: RecordSchema, b: RecordSchema): string[] {
  const others = wordsOf(b.name);
  const words = wordsOf(a.name).filter((word) => others.includes(word));
  if (words.every((word) => generic.has(word))) return [];
  const name = words.join("");
  return a.isClosed ? [`${name.replace(/Create|Update/, "")}Input`, `${name}Input`] : [`${name}Fields`];
}

function pairOf(a: RecordSchema, b: RecordSchema): Pair | null {
  if (a.isClosed !== b.isClosed) return null;
  const names = commonNames(a, b);
  if (names.length === 0) return null;
  const isSame = (field: string) =>
    a.texts[field] === b.texts[field] && a.required.includes(field) === b.required.includes(field);
  const fields = Object.keys(a.fields).filter(isSame);
  const characters = fields.reduce((sum, field) => sum + field.length + (a.texts[field]?.length ?? 0) + 4, 0);
  return characters < shared_characters_min ? null : { records: [a, b], names, fields, characters };
}

/** Whether a record has these fields of another one, with the same types and required alike. */
const hasAll = (record: RecordSchema, of: RecordSchema, fields: readonly string[]) =>
  record.isClosed === of.isClosed &&
  fields.every(
    (field) =>
      record.texts[field] === of.texts[field] && record.required.includes(field) === of.required.includes(field),
  );

/** Moves the fields that two or more records have in common to a schema, which all of them extend. */
export function shareFields(components: Record<string, JsonObject>): void {
  const all = recordsIn(components);
  const pairs = all
    .flatMap((a, at) => all.slice(at + 1).map((b) => pairOf(a, b)))
    .filter((pair) => pair !== null)
    .sort((a, b) => b.characters - a.characters);
  const extended = new Set<string>();
  for (const { records, names, fields } of pairs) {
    const name = names.find((one) => !(one in components));
    if (name === undefined || records.some((record) => extended.has(record.name))) continue;
    const shared = new Set(fields);
    const [record] = records;
    const required = record.required.filter((field) => shared.has(field));
    components[name] = {
      type: "object",
      properties: Object.fromEntries(Object.entries(record.fields).filter(([field]) => shared.has(field))),
      ...(required.length > 0 ? { required } : {}),
    };
    const others = all.filter((one) => !extended.has(one.name) && fields.length > 2 && hasAll(one, record, fields));
    for (const one of new Set([...records, ...others])) {
      extend(components, one, name, shared);
      extended.add(one.name);
    }
  }
}
