import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { plainTrackingNumber } from "../../src/orders/fulfillment/tracking_url.ts";
import { operationsOf } from "../../src/server/openapi/description.ts";
import type { Operation } from "../../src/server/openapi/operation.ts";
import { type Answered, openApp } from "../build/service.ts";
import { type Person, signedInAs } from "../identity/people.ts";
import { tellStory } from "../server/openapi/story/story.ts";
import { isLong } from "../volume.ts";
import { corpus, type Field, fieldsOf, type Hostile, schemasIn, written } from "./hostile_values.ts";

const limit_ms = 180_000;
// The short run takes every third value for each field, with an offset for the next field.
const one_in = isLong ? 1 : 3;
let person: Person;
const app = await openApp();
// A service in which every operation has been used once, so the records that requests name exist.
const story = await tellStory(app);
person = await signedInAs(app.service, "owner");
const operations: Operation[] = operationsOf(app.app.routes);

const writes = () =>
  operations.filter(
    ({ body, method, need, sends }) => body && method !== "get" && need !== "none" && /json/.test(sends),
  );

/** The path of an operation, with the ids from the story. */
const pathOf = ({ id, path }: Operation, more: Readonly<Record<string, string>> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(more[name] ?? story[id]?.path?.[name] ?? "1"));

const send = async (operation: Operation, body: string) => {
  const answer = await app.call(operation.method.toUpperCase(), pathOf(operation), body, {
    ...(operation.need === "user"
      ? { headers: person.headers }
      : { key: operation.path.startsWith("/sandbox") ? app.keys.test.full : app.keys.live.full }),
  });
  // While viewing as a merchant, every write is refused for that reason alone.
  if (operation.id === "beginViewAs" && answer.status < 300) {
    await app.call("DELETE", "/users/me/view_as", undefined, { headers: person.headers });
  }
  return answer;
};

/** The body with a value at a path, which is created if missing. */
function put(body: unknown, path: Field["path"], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = Array.isArray(body) ? [...body] : [];
    list[step] = put(list[step], rest, value);
    return list;
  }
  const object = typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
  return { ...object, [step]: put((object as Record<string, unknown>)[step], rest, value) };
}

const at = (value: unknown, path: Field["path"]): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<string, unknown> | undefined | null)?.[step], value);

const named = (path: Field["path"]) =>
  path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");

/** Prices of a rate card that the recorded bodies lack. */
const prices: Readonly<Record<string, object>> = {
  surcharges: {
    residential: { price: 1 },
    additional_handling: { price: 1, weight_over: 50 },
    large_package: { price: 1, weight_over: 90 },
    remote_area: { price: 1, places: [{ country: "US", prefixes: ["372"] }] },
  },
  declared_value: { included: 100, per_hundred: { price: 1 } },
  minimum: { price: 1 },
};

/** The recorded body of an operation. A change gets whole lines, zones and prices for a field of one of them. */
function exampleFor({ id }: Operation, { path }: Field): unknown {
  if (id === "updateOrder" && path[0] === "line_items") {
    return { line_items: at(story["createOrder"]?.body, ["line_items"]) };
  }
  if (id === "updateLocation" && path[0] === "location_zones") {
    return { location_zones: at(story["createLocation"]?.body, ["location_zones"]) };
  }
  const body = story[id]?.body ?? {};
  const [name = ""] = path;
  const price = prices[name];
  return price === undefined ? body : { ...(body as object), [name]: price };
}

/** What a response shows for a value that was sent in a field. */
function keptIn(id: string, { path }: Field, value: unknown, data: { tags: unknown[] }): unknown {
  // Tags are added to those that the order has, or are taken from them.
  if (id === "tagOrder") return data.tags.includes(value) ? value : `other tags: ${data.tags}`;
  if (id === "untagOrder") return data.tags.includes(value) ? `one of the tags ${data.tags}` : value;
  // Bins are added to those that the zone has.
  if (id === "updateLocation" && path.at(-1) === "code")
    return JSON.stringify(data).includes(JSON.stringify(value)) ? value : data;
  return at(data, path);
}

/** What is wrong with the response to a hostile value, or null. */
function fault({ id }: Operation, field: Field, { value, never }: Hostile, { status, body }: Answered): string | null {
  const said = `${named(field.path)} (${field.kind}) = ${JSON.stringify(value)?.slice(0, 80)}: ${status}`;
  // A batch has one result per record.
  const [first] = body?.data?.results ?? [];
  const refused = status >= 400 ? body.error : first?.error;
  if (status >= 500 || (first?.status ?? 0) >= 500) return `${said} ${JSON.stringify(body)}`;
  if (refused === undefined) {
    // BigCommerce events of an unknown scope are ignored.
    if (id === "bigcommerceOrder" && named(field.path) === "scope") return null;
    if (never(field)) return `${said}, but it is no such value`;
    const kept = keptIn(id, field, value, body?.data ?? body);
    // The tracking number of a parcel is stored in its normalized form. That of a delivery may be any text.
    const isOfParcel = field.path.at(-1) === "tracking_number" && !id.endsWith("Receipt");
    const meant = (text: string) => (isOfParcel ? plainTrackingNumber(text) : text);
    const same = typeof value !== "string" || typeof kept !== "string" || kept === meant(value);
    // A scan returns the parcel with its newest scan. A followed number keeps its record.
    const isShown =
      !["recordScan", "followNumber"].includes(id) && ["text", "notes", "code", "metadata"].includes(field.kind);
    return same || !isShown ? null : `${said}, kept as ${kept}`;
  }
  // A missing record, or one that cannot be changed now, is reported before problems that only a rule can find.
  if (!never(field) || (first === undefined && status !== 422 && status !== 400)) return null;
  if (refused.code === "malformed_request") return typeof value === "string" ? null : `${said}: what is malformed?`;
  const fields = (refused.details as { field: string; message: string }[]).map((problem) => problem.field);
  const place = first === undefined ? named(field.path) : named(field.path).replace(/^orders\[0\]\./, "");
  // Without an example, it is unknown what else is missing.
  if (story[id] === undefined) return null;
  // A union is reported as a whole.
  return fields.some((name) => name !== "" && place.startsWith(name)) ? null : `${said} names ${fields}`;
}

/** What distinguishes fields for the corpus. Lengths and names do not. */
const alike = ({ kind, nullable, schema }: Field) =>
  JSON.stringify([kind, nullable, schema["pattern"], schema["hint"]]);

describe("every write", () => {
  test("limits the length, count and size of each field", () => {
    const loose: string[] = [];
    for (const { id, body } of writes()) {
      for (const [path, schema] of schemasIn(body as TSchema)) {
        const bounded = {
          string: "maxLength" in schema || "const" in schema || /^\^.*[^*+]\$$/.test(schema["pattern"] ?? ""),
          array: "maxItems" in schema,
          integer: "minimum" in schema && "maximum" in schema,
          number: "maximum" in schema || "multipleOf" in schema || "const" in schema,
          // What a platform sends may contain more than is read. A client's metadata is bounded in number, depth and
          // size by its own check.
          object: schema["additionalProperties"] === false || id === "bigcommerceOrder" || "maxProperties" in schema,
        };
        const type = schema["type"] as keyof typeof bounded;
        if (bounded[type] === false) loose.push(`${id}${path}: ${type}`);
      }
    }
    expect(loose).toEqual([]);
  });

  test(
    "rejects hostile values, names the field, and never fails with a 5xx",
    async () => {
      const wrong: string[] = [];
      const seen = new Set<string>();
      let turn = 0;
      for (const operation of writes()) {
        for (const field of fieldsOf(operation.body as TSchema)) {
          // All values once for each kind of field. Fields of a kind seen before get some of them, different ones each
          // time.
          const again = seen.has(alike(field));
          seen.add(alike(field));
          turn += 1;
          for (const [index, hostile] of corpus.entries()) {
            if ((index + turn) % ((again ? 29 : 1) * one_in) !== 0) continue;
            const body = put(exampleFor(operation, field), field.path, hostile.value);
            const found = fault(operation, field, hostile, await send(operation, written(body)));
            if (found !== null) wrong.push(`${operation.id}: ${found}`);
          }
        }
      }
      expect(turn).toBeGreaterThan(400);
      expect(wrong).toEqual([]);
    },
    limit_ms,
  );

  test(
    "rejects unknown fields by name, in every object",
    async () => {
      const names = ["__proto__", "constructor", "toString", "unknown", "", "a.b", "a[0]", "a/b~c", "ID", "\u200b"];
      const wrong: string[] = [];
      for (const operation of writes()) {
        const base = story[operation.id]?.body ?? {};
        const { additionalProperties } = operation.body as TSchema;
        for (const name of additionalProperties === false ? names : []) {
          const text = JSON.stringify(base)
            .replace(/^\{/, `{${JSON.stringify(name)}:1,`)
            .replace(",}", "}");
          const { status, body } = await send(operation, text);
          const found = (body.error?.details ?? []).find((detail: { field: string }) => detail.field === name);
          if (status !== 422 || found?.code !== "unknown_field") wrong.push(`${operation.id} ${name}: ${status}`);
        }
      }
      expect(wrong).toEqual([]);
    },
    limit_ms,
  );

  test(
    "rejects a body that is not an object, has a duplicate field, or is nested too deeply",
    async () => {
      const wrong: string[] = [];
      const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      const bodies: [text: string, status: number, code: string][] = [
        ...['"x"', "1", "true", "null", "[]", "[{}]"].map((text): [string, number, string] => [
          text,
          422,
          "validation_failed",
        ]),
        ...[
          "{",
          "}",
          "{}{}",
          "{'a':1}",
          "{a:1}",
          '{"a":1,}',
          '{"a":01}',
          '{"a":+1}',
          "NaN",
          "\u0000",
          '{"a":"\n"}',
          "//",
        ].map((text): [string, number, string] => [text, 400, "malformed_request"]),
        [deep(33), 400, "malformed_request"],
        ["[".repeat(100_000), 400, "malformed_request"],
        [deep(100_000), 400, "malformed_request"],
        ['{"metadata":1,"metadata":1}', 422, "validation_failed"],
      ];
      for (const operation of writes()) {
        if ((operation.body as TSchema)["additionalProperties"] !== false) continue;
        // A new user each time, since all operations together exceed the rate limit of one.
        if (operation.need === "user") person = await signedInAs(app.service, "owner");
        for (const [text, status, code] of bodies) {
          const answer = await send(operation, text);
          if (answer.status === status && answer.body.error.code === code) continue;
          wrong.push(
            `${operation.id} ${text.slice(0, 40)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`,
          );
        }
      }
      expect(wrong).toEqual([]);
    },
    limit_ms,
  );
});

describe("every query parameter and path", () => {
  test(
    "accepts or rejects any value, and never fails with a 5xx",
    async () => {
      const wrong: string[] = [];
      const texts = corpus.map(({ value }) => value).filter((value) => typeof value === "string" && value.length < 200);
      let turn = 0;
      for (const operation of operations.filter(({ method, need }) => method === "get" && need !== "none")) {
        const fields = Object.keys(operation.query?.properties ?? {});
        for (const [index, value] of texts.entries()) {
          const text = (value as string).toWellFormed();
          const sent = fields
            .filter((_, at) => (index + at + turn) % 7 === 0)
            .map((name): [string, string] => [name, text]);
          if (sent.length > 0) sent.push(["unknown", text]);
          const query = sent.length === 0 ? "" : `?${new URLSearchParams(sent)}`;
          const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
          if (query === "" && (names.length === 0 || (index + turn) % 7 !== 0)) continue;
          const place = query === "" ? Object.fromEntries(names.map((name) => [name, text])) : {};
          const { status, body } = await app.call("GET", `${pathOf(operation, place)}${query}`);
          const named = (body.error?.details ?? []).some((detail: { field: string }) => detail.field === "unknown");
          const fine = query === "" ? status < 500 : status === 422 && (named || !operation.query);
          if (!fine) wrong.push(`${operation.id} ${query || JSON.stringify(place)}: ${status}`);
        }
        turn += 1;
      }
      expect(wrong).toEqual([]);
    },
    limit_ms,
  );
});
