// Every operation, field and parameter of the document has a description of its own.
import { describe, expect, test } from "bun:test";
import { describeApi } from "../../../src/cli/openapi.ts";
import { methods } from "./fuzz/check_response.ts";

interface Described {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}
interface Parameter extends Described {
  readonly name: string;
}
interface Operation extends Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = JSON.parse(describeApi(""));
const { schemas, parameters, responses } = document.components as Readonly<Record<string, Record<string, Described>>>;

/** A field of an object, or a parameter. */
interface Field {
  /** The object: a component, or the place in an operation. */
  readonly owner: string;
  readonly name: string;
  /** Its own description, or that of the component that it refers to. */
  readonly text: string;
  readonly isOwn: boolean;
}

function textOf({ $ref, description }: Described): string {
  return description ?? schemas?.[$ref?.split("/").at(-1) ?? ""]?.description ?? "";
}

const values = ["example", "examples", "enum", "const", "default"];

/** The fields of all objects in a part of the document. */
function fieldsIn(part: unknown, owner: string): Field[] {
  if (Array.isArray(part)) return part.flatMap((one) => fieldsIn(one, owner));
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([word, inner]) => {
    if (values.includes(word)) return [];
    if (word !== "properties") return fieldsIn(inner, owner);
    return Object.entries(inner as Record<string, Described>).flatMap(([name, field]) => [
      { owner, name, text: textOf(field), isOwn: field.description !== undefined },
      ...fieldsIn(field, `${owner}.${name}`),
    ]);
  });
}

const operationsOf = (paths: Paths) =>
  Object.values(paths).flatMap((path) => methods.flatMap((method) => path[method] ?? []));
const operations = [...operationsOf(document.paths), ...operationsOf(document.webhooks)];

// Errors narrow the codes of a schema that describes them, and the data of an envelope is described by its schema.
const isOfEnvelope = ({ owner, name }: Field) => /^\w+ 2\w\w$/.test(owner) && name === "data";
const fields = [
  ...Object.entries(schemas ?? {}).flatMap(([name, schema]) => fieldsIn(schema, name)),
  ...operations.flatMap(({ operationId, requestBody, responses }) => [
    ...fieldsIn(requestBody, `${operationId} body`),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([status, response]) => fieldsIn(response, `${operationId} ${status}`)),
  ]),
].filter((field) => !isOfEnvelope(field));
const isOfError = ({ owner, name }: Field) => name === "error" || owner.endsWith(" 200.error");
const shared = Object.entries(responses ?? {})
  .flatMap(([name, response]) => fieldsIn(response, `${name} 200`))
  .filter((field) => !isOfEnvelope(field) && !isOfError(field));

const parameterFields = operations.flatMap(({ operationId, parameters: own = [] }) =>
  own.map((one): Field => {
    const parameter = (one.$ref ? parameters?.[one.$ref.split("/").at(-1) ?? ""] : one) as Parameter;
    return { owner: operationId, name: parameter.name, text: textOf(parameter), isOwn: true };
  }),
);
const all = [...fields, ...parameterFields];

const placeOf = ({ owner, name }: Field) => `${owner}: ${name}`;
const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim();

/** The keys of a list that occur more than once. */
function repeated<Item>(items: readonly Item[], keyOf: (item: Item) => string): string[] {
  return [...Map.groupBy(items, keyOf)].filter(([, { length }]) => length > 1).map(([key]) => key);
}

/** What an operation does, without the key that it requires. */
const aboutOf = ({ description = "" }: Operation) => description.replace(/\s*Requires [^.]*\.$/, "");

/** How many names of fields may share a text: those of the same thing in several roles, such as two addresses. */
const names_max = 4;

describe("descriptions", () => {
  test("has every operation, of its own", () => {
    const short = operations.filter((operation) => aboutOf(operation).length < 20);
    expect(short.map(({ operationId }) => operationId)).toEqual([]);
    expect(repeated(operations, aboutOf)).toEqual([]);
  });

  test("has every field at any depth, and every parameter", () => {
    expect(fields.length).toBeGreaterThan(2500);
    expect(parameterFields.length).toBeGreaterThan(1000);
    expect(all.filter(({ text }) => text.trim() === "").map(placeOf)).toEqual([]);
    expect(shared.filter(({ text }) => text.trim() === "").map(placeOf)).toEqual([]);
  });

  test("say more than the name", () => {
    const empty = all.filter(({ name, text }) => plain(text).replace(/^(the|a|an|its|their) /, "") === plain(name));
    expect(empty.map(placeOf)).toEqual([]);
  });

  test("distinguish the fields of an object", () => {
    const own = fields.filter(({ isOwn }) => isOwn);
    expect(repeated(own, ({ owner, text }) => `${owner}: ${text}`)).toEqual([]);
    expect(repeated(parameterFields, ({ owner, text }) => `${owner}: ${text}`)).toEqual([]);
  });

  test("fit the field: no text is used under many names", () => {
    const namesOf = Map.groupBy(all, ({ text }) => text);
    const filler = [...namesOf]
      .map(([text, some]) => [text, [...new Set(some.map(({ name }) => name))]] as const)
      .filter(([, names]) => names.length > names_max);
    expect(filler).toEqual([]);
  });
});
