// Moves parts that occur several times in the document to its components, which more than halves its size.
import { dropRepeatedExamples, extendSchemas, nameRows, shareFields } from "./base_schemas.ts";
import { enumNames } from "./enum_names.ts";
import { type JsonObject, pascal } from "./json_schema.ts";

/** A part that may occur several times. */
interface Part {
  /** Names for it, from each place where it occurs. */
  readonly names: Set<string>;
  count: number;
}

/** The components of one kind, and the parts that are to become components when they occur again. */
class Parts {
  readonly #kind: string;
  readonly #components: Record<string, JsonObject>;
  readonly #byText = new Map<string, Part>();
  readonly #names = new Map<string, string>();

  constructor(kind: string, components: Record<string, JsonObject>) {
    this.#kind = kind;
    this.#components = components;
  }

  /** Makes an existing component the target of equal parts. */
  keep(text: string, name: string): void {
    if (!this.#names.has(text)) this.#names.set(text, name);
  }

  /** Counts a part. Returns whether it is the first of its text, so that its own parts must be counted too. */
  count(text: string, names: readonly string[]): boolean {
    if (this.#names.has(text)) return false;
    const part = this.#byText.get(text) ?? { names: new Set(), count: 0 };
    this.#byText.set(text, part);
    for (const name of names) part.names.add(name);
    part.count += 1;
    return part.count === 1;
  }

  /** Names all parts that are worth it, the most frequent first. Each gets its shortest free name. */
  name(): void {
    const repeated = [...this.#byText].filter(
      ([{ length }, { count }]) => (count - 1) * length > count * reference_characters,
    );
    for (const [text, { names }] of repeated.sort(([, a], [, b]) => b.count - a.count)) {
      const chosen = enumsByText.get(text);
      const [free] = [...(chosen ? [chosen] : names)].filter((name) => !(name in this.#components)).sort(shorterFirst);
      if (free === undefined) throw new Error(`no name is left for ${[...names].join(" or ")} in ${this.#kind}`);
      this.#components[free] = {};
      this.#names.set(text, free);
    }
  }

  /** Returns a reference to the component that a part has become, which `write` fills once; null if it is none. */
  reference(text: string, write: () => JsonObject): JsonObject | null {
    const name = this.#names.get(text);
    if (name === undefined) return null;
    const component = this.#components[name];
    if (component !== undefined && Object.keys(component).length === 0) this.#components[name] = write();
    return { $ref: `#/components/${this.#kind}/${name}` };
  }
}

const enumsByText: ReadonlyMap<string, string> = new Map(
  Object.entries(enumNames).map(([name, words]) => [JSON.stringify({ type: "string", enum: words }), name]),
);

/** The usual length of a reference. */
const reference_characters = 50;

const shorterFirst = (a: string, b: string) => a.length - b.length || (a < b ? -1 : 1);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where a schema occurs: the component or operation, and the names of the fields that lead to it. */
interface Site {
  readonly owner: string;
  readonly fields: readonly string[];
}

const schema_characters_min = 120;

/** What identifies a schema: all but its description, and whether it may be null. Null if it stays where it is. */
function textOf(schema: JsonObject): string | null {
  const { properties, type, enum: words } = schema;
  if (Array.isArray(words) && words.length > 1) return JSON.stringify(withoutNull(schema));
  const isRecord = isObject(properties) && (type === "object" || isNullable(schema));
  // Envelopes stay in their responses.
  if (!isRecord || Object.keys(properties).join() === "data") return null;
  const { description: _, ...rest } = schema;
  const text = JSON.stringify({ ...rest, type: "object" });
  return text.length < schema_characters_min ? null : text;
}

const isNullable = ({ type }: JsonObject) =>
  Array.isArray(type) && ["object,null", "string,null"].includes(type.join());

/** An enumeration without null as a value, and without its description. */
function withoutNull({ description: _, type, enum: words, ...rest }: JsonObject): JsonObject {
  const [only = type] = Array.isArray(type) ? type : [];
  return { ...rest, type: only, enum: (words as unknown[]).filter((word) => word !== null) };
}

/** Keywords whose contents are values, not schemas. */
const values = new Set(["example", "examples", "enum", "const", "default"]);

/** The entries of a part of the document that may contain schemas, each with its site. */
function* within(part: JsonObject, { owner, fields }: Site): Generator<readonly [value: unknown, site: Site]> {
  for (const [word, value] of Object.entries(part)) {
    if (values.has(word)) continue;
    if (word === "properties" && isObject(value)) {
      for (const [name, field] of Object.entries(value)) yield [field, { owner, fields: [...fields, name] }];
    } else {
      const last = fields.at(-1);
      const ofItems = last === undefined ? fields : [...fields.slice(0, -1), singular(last)];
      yield [value, { owner, fields: word === "items" ? ofItems : fields }];
    }
  }
}

const singular = (name: string) =>
  name
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^su])s$/, "$1");

function namesAt({ owner, fields }: Site): string[] {
  // In a response, the fields are those of its data.
  const [first, ...others] = fields;
  const steps = first === "data" && others.length > 0 ? others : fields;
  return [`${owner}${pascal(steps.at(-1) ?? "")}`, `${owner}${steps.map(pascal).join("")}`];
}

/** Moves object schemas that occur several times. */
class SharedSchemas {
  readonly #parts: Parts;

  constructor(components: Record<string, JsonObject>) {
    this.#parts = new Parts("schemas", components);
    for (const [name, schema] of Object.entries(components)) {
      const text = textOf(schema);
      if (text !== null) this.#parts.keep(text, name);
    }
  }

  /** Counts the schemas in a part of the document, other than the part itself. */
  countIn(part: JsonObject, site: Site): void {
    for (const [value, inner] of within(part, site)) this.#count(value, inner);
  }

  #count(part: unknown, site: Site): void {
    if (Array.isArray(part)) for (const one of part) this.#count(one, site);
    if (!isObject(part)) return;
    const text = textOf(part);
    if (text === null || this.#parts.count(text, namesAt(site))) this.countIn(part, site);
  }

  name(): void {
    this.#parts.name();
  }

  /** Returns a part of the document with references instead of the schemas in it that are components. */
  replaceIn(part: JsonObject): JsonObject {
    const entries = Object.entries(part).map(([word, value]) => {
      if (values.has(word)) return [word, value];
      if (word !== "properties" || !isObject(value)) return [word, this.#replace(value)];
      return [word, Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#replace(field)]))];
    });
    return Object.fromEntries(entries);
  }

  #replace(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((one) => this.#replace(one));
    if (!isObject(part)) return part;
    const text = textOf(part);
    const { description, ...rest } = part;
    const write = () => ("enum" in part ? withoutNull(part) : this.replaceIn({ ...rest, type: "object" }));
    const reference = text === null ? null : this.#parts.reference(text, write);
    if (reference === null) return this.replaceIn(part);
    const about = description === undefined ? {} : { description };
    return isNullable(part) ? { ...about, anyOf: [reference, { type: "null" }] } : { ...about, ...reference };
  }
}

/** A part of the document that contains operations: `paths` or `webhooks`. */
type Paths = Readonly<Record<string, JsonObject>>;

const operationsOf = (paths: Paths): JsonObject[] =>
  Object.values(paths)
    .flatMap((path) => Object.values(path).filter(isObject))
    .filter(({ operationId }) => operationId);

const ownerOf = ({ operationId }: JsonObject) => pascal(String(operationId));

/** Moves parameters that several operations have. The most frequent of a name gets that name. */
function shareParameters(operations: readonly JsonObject[]): Record<string, JsonObject> {
  const components: Record<string, JsonObject> = {};
  const parts = new Parts("parameters", components);
  const each = operations.flatMap((operation) =>
    ((operation["parameters"] ?? []) as JsonObject[]).map((parameter) => ({ operation, parameter })),
  );
  for (const { operation, parameter } of each) {
    const name = pascal(String(parameter["name"]));
    parts.count(JSON.stringify(parameter), [name, `${ownerOf(operation)}${name}`]);
  }
  parts.name();
  for (const operation of operations) {
    const own = (operation["parameters"] ?? []) as JsonObject[];
    operation["parameters"] = own.map((one) => parts.reference(JSON.stringify(one), () => one) ?? one);
  }
  return components;
}

/** The record that a response contains. */
interface Shown {
  /** The name of its schema. */
  readonly name: string;
  readonly isList: boolean;
  /** The record in the example; undefined for none. */
  readonly example: unknown;
}

/** Returns the record that a response contains, alone or in a list; null if it contains something else. */
function recordIn(media: JsonObject): Shown | null {
  const { schema, example } = media as { readonly schema?: JsonObject; readonly example?: { readonly data?: unknown } };
  // The second part of an enveloped response is its data.
  const [, own = schema] = (schema?.["allOf"] ?? []) as JsonObject[];
  const properties = own?.["properties"] as Readonly<Record<string, JsonObject>> | undefined;
  const data: JsonObject = properties?.["data"] ?? schema ?? {};
  const items = data["items"] as JsonObject | undefined;
  // A record, or what a dry run shows of it.
  const [either] = (data["anyOf"] ?? []) as JsonObject[];
  const [, name] = /schemas\/(\w+)$/.exec(String(data["$ref"] ?? items?.["$ref"] ?? either?.["$ref"])) ?? [];
  if (name === undefined) return null;
  const shown = properties?.["data"] === undefined ? example : example?.data;
  return { name, isList: items !== undefined, example: Array.isArray(shown) ? shown[0] : shown };
}

const jsonOf = ({ content }: JsonObject): JsonObject => ((content ?? {}) as Paths)["application/json"] ?? {};

/** The longest example of a record that several responses contain, of another record, and of anything else. */
const shared_example_characters_max = 1800;
const record_example_characters_max = 700;
const other_example_characters_max = 450;

/** Moves the examples of responses that contain a record to its schema, which then has one. */
function moveExamples(responses: readonly JsonObject[], schemas: Record<string, JsonObject>): void {
  for (const media of responses.map(jsonOf)) {
    const { example } = media;
    const isLong = typeof example === "object" && JSON.stringify(example).length > other_example_characters_max;
    if (isLong && recordIn(media) === null) delete media["example"];
  }
  const shown = responses.flatMap((response) => {
    const media = jsonOf(response);
    const record = recordIn(media);
    return record === null ? [] : [{ media, record }];
  });
  // A single record usually has more fields filled than one in a list.
  const singleFirst = shown.toSorted((a, b) => Number(a.record.isList) - Number(b.record.isList));
  for (const { media, record } of singleFirst) {
    const { name, example } = record;
    delete media["example"];
    const schema = schemas[name];
    const uses = shown.filter((other) => other.record.name === name).length;
    const characters_max = uses > 2 ? shared_example_characters_max : record_example_characters_max;
    const isLong = (JSON.stringify(example)?.length ?? 0) > characters_max;
    if (schema === undefined || "examples" in schema || example === undefined || isLong) continue;
    schema["examples"] = [example];
  }
}

const statusWords: Readonly<Record<string, string>> = { 201: "Created", 202: "Accepted" };

/** Moves responses that several operations have, when they contain a record. */
function shareResponses(operations: readonly JsonObject[], components: Record<string, JsonObject>): void {
  const parts = new Parts("responses", components);
  for (const operation of operations) {
    for (const [status, response] of Object.entries(operation["responses"] as Paths)) {
      const record = recordIn(jsonOf(response));
      const text = JSON.stringify(response);
      if (status === "304") parts.count(text, ["NotModified"]);
      if (record === null) continue;
      const words = [
        record.isList ? "List" : "",
        statusWords[status],
        text.includes("/DryRunSuccess") ? "OrDryRun" : "",
      ];
      const name = `${record.name}${words.join("")}`;
      parts.count(text, [name, `${name}Of${ownerOf(operation)}`]);
    }
  }
  parts.name();
  for (const operation of operations) {
    const responses = Object.entries(operation["responses"] as Paths).map(([status, response]) => {
      return [status, parts.reference(JSON.stringify(response), () => response) ?? response];
    });
    operation["responses"] = Object.fromEntries(responses);
  }
}

/** The parts of the document in which other parts are repeated. */
interface Repeating {
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly schemas: Paths;
  readonly responses: Paths;
}

/** Moves repeated schemas, parameters and responses to the components, which it returns. It changes the operations. */
export function shareParts({ paths, webhooks, schemas, responses }: Repeating) {
  const components: Record<string, JsonObject> = { ...schemas };
  const shared = new SharedSchemas(components);
  for (const [owner, schema] of Object.entries(schemas)) shared.countIn(schema, { owner, fields: [] });
  const operations = operationsOf(paths);
  const parts = ["requestBody", "responses"].flatMap((name) =>
    operations.flatMap((operation) => (isObject(operation[name]) ? [{ operation, name, part: operation[name] }] : [])),
  );
  for (const { operation, part } of parts) shared.countIn(part, { owner: ownerOf(operation), fields: [] });
  shared.name();
  for (const [name, schema] of Object.entries(schemas)) components[name] = shared.replaceIn(schema);
  for (const { operation, name, part } of parts) operation[name] = shared.replaceIn(part);
  for (const operation of operations) {
    const parameters = (operation["parameters"] ?? []) as JsonObject[];
    operation["parameters"] = parameters.map((parameter) => shared.replaceIn(parameter));
  }
  moveExamples(
    operations.flatMap((operation) => Object.values(operation["responses"] as Paths)),
    components,
  );
  for (const operation of operations) nameRows(operation, components);
  extendSchemas(components);
  dropRepeatedExamples(components);
  shareFields(components);
  const answers = { ...responses };
  shareResponses(operations, answers);
  const parameters = shareParameters([...operations, ...operationsOf(webhooks)]);
  return { schemas: sorted(components), responses: sorted(answers), parameters: sorted(parameters) };
}

const sorted = (components: Paths): JsonObject =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
