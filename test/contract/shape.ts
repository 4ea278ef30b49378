// Tables of fields: what an answer must hold and of which type. Fields that a table does not name are nobody's concern.
import { expect } from "bun:test";

/** Answers what is wrong with a value found at a path; nothing when it has the shape. */
export type Shape = (value: unknown, path: string) => readonly string[];

const shapeOf =
  (words: string, holds: (value: unknown) => boolean): Shape =>
  (value, path) =>
    holds(value) ? [] : [`${path} is ${JSON.stringify(value)}, not ${words}`];

const matching = (words: string, pattern: RegExp) =>
  shapeOf(words, (value) => typeof value === "string" && pattern.test(value) && !Number.isNaN(Date.parse(value)));

export const text = shapeOf("a text", (value) => typeof value === "string" && value !== "");
export const integer = shapeOf("an integer", Number.isSafeInteger);
export const decimal = shapeOf("a number", Number.isFinite);
export const flag = shapeOf("true or false", (value) => typeof value === "boolean");
export const object = shapeOf("an object", isObject);
export const moment = matching("a moment with milliseconds", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const wholeSecond = matching("a moment without milliseconds", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
export const link = shapeOf("a URL", (value) => typeof value === "string" && /^https?:\/\/[^/]/.test(value));

/** A text with this beginning, such as the prefix of an identifier. */
export const prefixed = (prefix: string) =>
  shapeOf(`a text that begins with ${prefix}`, (value) => typeof value === "string" && value.startsWith(prefix));

export const oneOf = (...values: readonly unknown[]) =>
  shapeOf(`one of ${JSON.stringify(values)}`, (value) => values.includes(value));

export const orNull =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path);

/** An array of things of one shape, at least one of them: an empty array would show nothing. */
export const listOf =
  (shape: Shape): Shape =>
  (value, path) =>
    Array.isArray(value) && value.length > 0
      ? each(value, shape, path)
      : [`${path} is not a list with something in it`];

/** An array of things of one shape, perhaps none. */
export const anyListOf =
  (shape: Shape): Shape =>
  (value, path) =>
    Array.isArray(value) ? each(value, shape, path) : [`${path} is not a list`];

/** An object with at least these fields. */
export const record =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, path) =>
    isObject(value)
      ? Object.entries(fields).flatMap(([name, shape]) => shape(value[name], `${path}.${name}`))
      : [`${path} is ${JSON.stringify(value)}, not an object`];

/** Insists that a value has a shape, naming every field that has not. */
export function expectShape(value: unknown, shape: Shape, path = "answer"): void {
  expect(shape(value, path)).toEqual([]);
}

const each = (values: readonly unknown[], shape: Shape, path: string) =>
  values.flatMap((value, at) => shape(value, `${path}[${at}]`));

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const metaFields = { timestamp: moment, requestId: text, request_id: text, version: oneOf("v1") };

const pageFields = { page: integer, limit: integer, total: integer, total_pages: integer };

/** The envelope of one thing. */
export const envelope = (data: Shape) => record({ success: oneOf(true), data, meta: record(metaFields) });

/** The envelope of a list, with its page. */
export const envelopedList = (item: Shape) =>
  record({ success: oneOf(true), data: listOf(item), meta: record({ ...metaFields, pagination: record(pageFields) }) });

/** A list of customers, which has no envelope. */
export const bareList = (item: Shape) =>
  record({ data: listOf(item), pagination: record({ ...pageFields, has_more: flag }) });

/** The body of a refusal with this code. */
export const refusal = (code: string) =>
  record({
    success: oneOf(false),
    error: record({ type: text, code: oneOf(code), message: text, doc_url: text }),
    meta: record(metaFields),
  });
