// Values that a published schema allows, for fast-check. Names of records are drawn from existing ones.
import fc from "fast-check";

/** A schema as published in the document. */
export interface Shown {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shown[];
  readonly allOf?: readonly Shown[];
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Shown;
  readonly propertyNames?: Shown;
  readonly items?: Shown;
  readonly readOnly?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
}

/**
 * A placeholder for the name of a record, filled in when the request is built: the `at`th of the known names of that
 * kind.
 */
export class Known {
  readonly word: string;
  readonly at: number;
  constructor(word: string, at: number) {
    this.word = word;
    this.at = at;
  }
}

const known = (word: string) => fc.nat(10_000).map((at) => new Known(word, at));
const any = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]));

/** Generates values of schemas; `schemas` are the components that references point to. */
export function valuesOf(schemas: Readonly<Record<string, Shown>>) {
  const made = new Map<string, fc.Arbitrary<unknown>>();

  function make(schema: Shown, name: string): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return referred(schema.$ref);
    if ("const" in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.anyOf) {
      // Numbers alone rarely identify anything.
      const forms = schema.anyOf.map((form) => ({ weight: prefixOf(form) ? 6 : 1, arbitrary: make(form, name) }));
      return fc.oneof(...forms);
    }
    if (schema.allOf) {
      const parts = schema.allOf.map(
        ({ $ref, ...part }) => ($ref ? schemas[$ref.split("/").at(-1) ?? ""] : part) ?? {},
      );
      return parts.every(({ properties }) => properties) ? make(merged(parts), name) : other(schema.allOf, name);
    }
    if (Array.isArray(schema.type)) {
      const [type, ...others] = schema.type as string[];
      const inner = make({ ...schema, type: type ?? "null" }, name);
      return others.includes("null")
        ? fc.oneof({ weight: 5, arbitrary: inner }, { weight: 1, arbitrary: fc.constant(null) })
        : inner;
    }
    return plain(schema, name);
  }

  /** Values of a schema with an exception, which is never 0. */
  const other = ([first = {}]: readonly Shown[], name: string) => make(first, name).filter((value) => value !== 0);

  function referred(ref: string): fc.Arbitrary<unknown> {
    const name = ref.split("/").at(-1) ?? "";
    const arbitrary = made.get(name) ?? make(schemas[name] ?? {}, name);
    made.set(name, arbitrary);
    return arbitrary;
  }

  function plain(schema: Shown, name: string): fc.Arbitrary<unknown> {
    if (schema.type === "object") return object(schema, name);
    if (schema.type === "array") {
      const minLength = schema.minItems ?? 0;
      const maxLength = Math.min(schema.maxItems ?? minLength + 3, minLength + 3);
      return fc.array(make(schema.items ?? {}, name), { minLength, maxLength });
    }
    if (schema.type === "string") return text(schema, name);
    if (schema.type === "integer") return integer(schema);
    if (schema.type === "number") return number(schema);
    if (schema.type === "boolean") return fc.boolean();
    return any;
  }

  function object({ properties = {}, required = [], additionalProperties, propertyNames }: Shown, name: string) {
    const fields = Object.entries(properties).filter(([, { readOnly }]) => !readOnly);
    const record = fc.record(Object.fromEntries(fields.map(([field, inner]) => [field, make(inner, field)])), {
      requiredKeys: required as never,
    });
    if (fields.length > 0 || typeof additionalProperties !== "object") return record;
    const keys = new RegExp(propertyNames?.pattern ?? "^.", "u");
    return fc.dictionary(
      fc.oneof(words, fc.string({ maxLength: 10 })).filter((key) => keys.test(key)),
      make(additionalProperties, name),
      { maxKeys: 3 },
    );
  }

  return make;
}

/** A record with the fields of all parts. */
const merged = (parts: readonly Shown[]): Shown => ({
  type: "object",
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required = [] }) => required),
});

function integer({ minimum = -1e9, maximum = 1e9 }: Shown): fc.Arbitrary<number> {
  const near = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) });
  return fc.oneof(
    { weight: 6, arbitrary: near },
    { weight: 1, arbitrary: fc.constantFrom(minimum, maximum) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}

function number({ minimum, exclusiveMinimum = -1e6, maximum = 1e6, multipleOf }: Shown): fc.Arbitrary<number> {
  const lowest = minimum ?? exclusiveMinimum + 0.01;
  const cents = fc.integer({ min: Math.ceil(lowest * 100), max: Math.floor(Math.min(maximum, 1e6) * 100) });
  const decimal = cents.map((value) => value / 100);
  if (multipleOf !== undefined) return decimal;
  return fc.oneof(decimal, fc.integer({ min: Math.ceil(lowest), max: Math.floor(maximum) }), fc.constant(maximum));
}

const moments = [
  "2025-12-31",
  "2026-01-02T03:04:05Z",
  "2026-01-10T00:00:00.000Z",
  "2026-02-28T23:59:59+01:00",
  "2027-01-01",
];
const words = fc.constantFrom(
  "a",
  "tea",
  "Żółć",
  "茶",
  "🫖",
  "O'Brien",
  "<b>&amp;",
  "-1",
  "null",
  " x ",
  "a  b",
  "é",
  "1e9",
  "=1+1",
);

/** The prefixes that a text must have as an identifier. */
const prefixOf = ({ pattern }: Shown) => /^\^\((\w+)_\)\?/.exec(pattern ?? "")?.[1];

function text(schema: Shown, name: string): fc.Arbitrary<unknown> {
  const { pattern, minLength = 0, maxLength = 200, format } = schema;
  const isMoment = pattern !== undefined && !isFree(pattern) && new RegExp(pattern, "u").test("2026-01-02");
  if (format === "date-time" || isMoment) return fc.constantFrom(...moments);
  const prefix = prefixOf(schema);
  if (prefix !== undefined)
    return fc.oneof(
      { weight: 6, arbitrary: known(prefix) },
      { weight: 1, arbitrary: fc.constantFrom(`${prefix}_1`, "7") },
    );
  const form = pattern === undefined ? null : new RegExp(pattern, "u");
  const fits = (value: string) => {
    const { length } = [...value];
    return length >= minLength && length <= maxLength && (form === null || form.test(value));
  };
  const free = fc.oneof(
    words,
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.string({ maxLength: Math.min(maxLength, 300) }),
  );
  const fitting = free.filter(fits);
  // Values that free text would never match are generated from the pattern.
  const arbitrary = pattern !== undefined && !isFree(pattern) ? fromPattern(pattern).filter(fits) : fitting;
  return fc.oneof({ weight: name === "order_number" ? 0 : 3, arbitrary: known(name) }, { weight: 2, arbitrary });
}

const isFree = (pattern: string) => ["tea", "a"].some((word) => new RegExp(pattern, "u").test(word));

function fromPattern(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern.replace(/\(\?[!=][^()]*\)/g, ""), "u"), { maxLength: 60 });
  } catch {
    return fc.constant("none");
  }
}
