// What the server derives from the fields of a resource: requests, refusals, views, stored values and CSV files.
import { describe, expect, test } from "bun:test";
import { csvLine } from "../../src/core/csv.ts";
import { writeCells } from "../../src/core/csv_columns.ts";
import { readTable } from "../../src/core/csv_table.ts";
import {
  csvColumnsOf,
  defaultsOf,
  type FieldPath,
  type ResourceFields,
  type StoredFields,
  textColumnsOf,
  wordsOf,
} from "../../src/core/resource.ts";
import { createFields, updateFields, viewFields } from "../../src/core/resource_schema.ts";
import { checkOf, closed } from "../../src/core/schema.ts";

const csv = ["One of {words}.", "an example"] as const;

/** A record with a field of each kind. */
const fields = {
  code: { kind: "code", max: 8, csv },
  name: { kind: "text", max: 8, csv },
  tariff: { kind: "code", pattern: "^[0-9]{4}$", hint: "must be 4 digits", default: null, csv },
  notes: { kind: "notes", default: null, csv },
  email: { kind: "email", default: null, csv },
  country: { kind: "country", default: null, csv },
  price: { kind: "money", default: null, csv },
  currency: { kind: "currency", default: "USD", csv },
  length: { kind: "decimal", default: null, csv },
  weight: { kind: "weight", unit: "unit", default: null, csv },
  unit: { kind: "weight_unit", default: null, csv },
  days: { kind: "integer", min: 0, max: 9, default: 0, csv },
  fragile: { kind: "flag", default: false, csv },
  zone: { kind: "choice", words: { warm: "Warm", cold: "Cold" }, default: "warm", csv },
  customs: {
    kind: "group",
    fields: {
      text: { kind: "text", max: 8, column: "customs_text", csv },
      origin: { kind: "country", optional: true, csv },
    },
    default: null,
  },
  parts: { kind: "list", of: { sku: { kind: "text", max: 8 } }, max: 2, default: [], csv },
  metadata: { kind: "metadata", default: {}, csv },
} as const satisfies ResourceFields;

/** A value of each field, as it is sent and as it is shown. */
const sent = {
  ...{ code: "A-1", name: "Cup", tariff: "6912", notes: "two\nlines", email: "a@b.example", country: "PT" },
  ...{ price: "12.50", currency: "EUR", length: 1.5, weight: 0.35, unit: "lbs", days: 3, fragile: true },
  ...{ zone: "cold" as const, customs: { text: "Cup", origin: "PT" }, parts: [{ sku: "B" }], metadata: { a: 1 } },
};
const shown = { ...sent, price: 12.5, unit: "lb" as const };
const { price: _price, ...same } = sent;
const stored: StoredFields<typeof fields> = { ...same, unit: "lb", weight: "0.35", price_cents: 1250 };

const create = checkOf(closed(createFields(fields)));
const update = checkOf(closed(updateFields(fields)));
const view = checkOf(closed(viewFields(fields)));

const problemsOf = (check: () => unknown): readonly string[] => {
  try {
    check();
    return [];
  } catch (error) {
    const { facts } = error as { facts: { fields: readonly { field: string; message: string }[] } };
    return facts.fields.map(({ field, message }) => `${field} ${message}`);
  }
};

describe("requests and views", () => {
  test("take a value of each kind", () => {
    expect([create(sent), update(sent), view(shown)]).toEqual([sent, sent, shown]);
  });

  test("may leave out what has a default, and an update everything", () => {
    expect(create({ code: "A", name: "B" })).toEqual({ code: "A", name: "B" });
    expect(update({})).toEqual({});
    expect(update({ customs: { text: "Cup" } })).toEqual({ customs: { text: "Cup" } });
    expect(problemsOf(() => create({}))).toEqual(["code is required", "name is required"]);
    expect(problemsOf(() => view({ code: "A", name: "B" })).length).toBe(Object.keys(fields).length - 2);
  });

  test("may be null exactly where the default is null", () => {
    const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const refused = problemsOf(() => update(nulls)).map((problem) => problem.split(" ")[0]);
    expect(refused.toSorted()).toEqual(
      ["code", "currency", "days", "fragile", "metadata", "name", "parts", "zone"].toSorted(),
    );
  });

  test.each([
    [{ code: "A " }, "code must not contain invisible characters, nor begin or end with a space"],
    [{ code: "123456789" }, "code must have at most 8 characters"],
    [{ name: "a\nb" }, "name must not contain control characters"],
    [{ tariff: "12" }, "tariff must be 4 digits"],
    [{ notes: "\u0001" }, "notes must not contain control characters other than line breaks and tabs"],
    [{ email: "nobody" }, "email must be an e-mail address"],
    [{ country: "Portugal" }, "country must be a two-letter country code"],
    [{ price: -1 }, "price must not be negative"],
    [{ length: 0 }, "length must be greater than 0"],
    [{ weight: "1" }, "weight must be a number"],
    [{ days: 10 }, "days must be at most 9"],
    [{ zone: "hot" }, "zone must be one of"],
    [{ customs: { origin: "PT" } }, "customs.text is required"],
    [{ parts: [{ sku: "A" }, { sku: "B" }, { sku: "C" }] }, "parts must have at most 2"],
  ])("refuse %j", (body, problem) => {
    const problems = problemsOf(() => update(body));
    expect(problems.map((text) => text.slice(0, problem.length))).toEqual([problem]);
  });
});

test("a new record stores the defaults, and money in its smallest unit", () => {
  const { code: _code, name: _name, ...optional } = fields;
  expect(Object.keys(defaultsOf(fields))).toEqual(
    Object.keys(optional).map((name) => (name === "price" ? "price_cents" : name)),
  );
  expect(defaultsOf(fields)).toMatchObject({ price_cents: null, currency: "USD", days: 0, parts: [], metadata: {} });
  expect(Object.keys(stored).toSorted()).toEqual(["code", "name", ...Object.keys(defaultsOf(fields))].toSorted());
});

test("the text columns are those that a table stores as text or JSON", () => {
  const others = ["price", "length", "days", "fragile", "parts"];
  expect(textColumnsOf(fields)).toEqual(Object.keys(fields).filter((name) => !others.includes(name)));
});

describe("CSV files", () => {
  const columns = csvColumnsOf(fields);
  const read = async (text: string) => {
    const table = { columns, required: ["code"] as const };
    const rows: unknown[] = [];
    for await (const row of readTable({ bytes: () => [Buffer.from(text)], charset: null }, table))
      rows.push(row.record());
    return rows;
  };
  const header = csvLine(columns.map(({ name }) => name));

  test("a record that is written is read again as a request", async () => {
    const [row] = await read(header + csvLine(writeCells(columns, shown)));
    expect(update(row)).toEqual({ ...sent, unit: "lb", price: "12.5" });
  });

  test("an empty cell empties what may be empty, and leaves the rest as it is", async () => {
    const [row] = await read(header + csvLine(columns.map(({ name }) => (name === "code" ? "A" : null))));
    const nulls = ["tariff", "notes", "email", "country", "price", "length", "weight", "unit", "customs"];
    expect(row).toEqual({
      code: "A",
      ...Object.fromEntries(nulls.map((name) => [name, null])),
      ...{ parts: [], metadata: {} },
    });
    expect(update(row)).toEqual(row as object);
  });

  test("the columns of groups have names of their own, and name the words of choices", () => {
    const named = (path: FieldPath<typeof fields>) => columns.find((column) => column.path.join(".") === path);
    expect(named("customs.text")?.name).toBe("customs_text");
    expect(named("zone")?.meaning).toBe("One of `warm`, `cold`.");
    expect(named("unit")?.meaning).toBe("One of `lb`, `oz`, `kg`, `g`.");
    expect(wordsOf(fields.zone)).toEqual(["warm", "cold"]);
  });
});
