// Hostile values with the fields that must reject them, and the fields of a request, found in its schema.
import { Kind, type TSchema } from "@sinclair/typebox";
import { line_amount_max } from "../../src/core/schema.ts";

/** What a field accepts, as far as hostile values are concerned. */
type FieldKind =
  | "text"
  | "notes"
  | "code"
  | "form"
  | "choice"
  | "moment"
  | "money"
  | "id"
  | "reference"
  | "integer"
  | "number"
  | "boolean"
  | "metadata";

/** A scalar field of a request, and its path. */
export interface Field {
  readonly path: readonly (string | number)[];
  readonly kind: FieldKind;
  readonly schema: TSchema;
  readonly nullable: boolean;
}

/** A value, and whether a field must reject it. */
export interface Hostile {
  readonly value: unknown;
  readonly never: (field: Field) => boolean;
}

/** A placeholder for a number that JavaScript cannot represent, replaced when the body is written. */
const rawNumber = (text: string) => `@raw:${text}@`;

/** Serializes a body with its raw numbers. */
export const written = (body: unknown) => JSON.stringify(body).replace(/"@raw:([^@]+)@"/g, "$1");

const always = () => true;
const kinds =
  (...of: readonly FieldKind[]) =>
  ({ kind }: Field) =>
    of.includes(kind);
const but =
  (...of: readonly FieldKind[]) =>
  ({ kind }: Field) =>
    !of.includes(kind);
const all = (values: readonly unknown[], never: Hostile["never"]): Hostile[] =>
  values.map((value) => ({ value, never }));

const texts: readonly FieldKind[] = ["text", "notes", "code", "form", "choice", "moment"];
const numeric: readonly FieldKind[] = ["integer", "number", "boolean"];
const firm: readonly FieldKind[] = ["choice", "moment", "money", "id", ...numeric];

const controls = [..."\u0000\u0001\u0007\u0008\u000b\u001b\u007f\u0080\u0085\u009b\ufffd"];
const unseen = [..."\u00a0\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069"];
const more_unseen = [..."\u202f\u205f\u3000\ufe0f\ufeff\u3164\u2800\ufff9"];

/** Whether a money field allows amounts up to the maximum of an order line. */
const isOfLine = (schema: TSchema) => schema["anyOf"]?.[0]?.maximum === line_amount_max;

/** Whether a value is one of a field's choices: some are numbers. */
const isChoice = ({ schema }: Field, value: unknown) =>
  ((schema["anyOf"] ?? []) as TSchema[]).some((variant) => variant["const"] === value);

export const corpus: readonly Hostile[] = [
  // Wrong JSON types.
  ...all([[], {}, [1], ["a"], { a: 1 }, [[]], [null]], always),
  ...all([true, false], but("boolean", "metadata")),
  ...all([null], ({ nullable, kind }) => !nullable && kind !== "metadata"),
  ...[0, 1, -1, 1.5, 1767225600].map((value) => {
    return { value, never: (field: Field) => texts.includes(field.kind) && !isChoice(field, value) };
  }),
  ...all(["", "0", "1", "1.5", "true", "false", "null", "NaN"], kinds(...numeric)),
  // Control characters and lone surrogates.
  ...all([...controls, ...controls.map((sign) => `a${sign}b`)], always),
  ...all(["a\nb", "a\rb", "a\tb", "a\r\nSet-Cookie: b=1", "\n"], but("notes", "metadata")),
  ...all(["\ud800", "a\udc00", "\udc00\ud800", "\ud83c-\udf75"], always),
  // Invisible and confusable characters.
  ...all(
    [...unseen, ...more_unseen].map((sign) => `A${sign}B`),
    kinds("code", ...firm),
  ),
  ...all([" A", "A ", " ", "\u3000", "\u00a0A"], kinds("code", ...firm)),
  ...all(["", "x".repeat(20_000)], kinds(...firm)),
  ...all(["x".repeat(5001), "é".repeat(5001), "🍵".repeat(5001)], always),
  // Numbers at and beyond every limit.
  ...all([rawNumber("1e400"), rawNumber("-1e400"), rawNumber("1E+999")], always),
  ...all([rawNumber("9007199254740993"), rawNumber("123456789012345678901234567890"), 1e21, 1e308], always),
  ...all([-1e308, rawNumber("-9007199254740993")], always),
  ...all([0.1 + 0.2, 1e-7, 5e-324, 1.0000000000000002], but("number", "metadata", "reference")),
  ...all([-1, -0.01, 0, rawNumber("-0")], kinds("id")),
  ...all([-1, -0.01], kinds("money")),
  ...all([2_147_483_648, 4_294_967_296, 9_007_199_254_740_991], kinds("number", ...texts)),
  // Money that a lenient parser would accept.
  ...all(["1e2", "1E2", "+1", "-1", "1.234", "1,000", "1,00", "0x10", "1.", ".5", "00.5", "$1", "1_0"], kinds("money")),
  ...all(["１２", "٣", "1٫5", "½", "Infinity", "NaN", "1e1"], kinds("money", "id")),
  ...all(["12345678901", "99999999999.99"], ({ kind, schema }) => kind === "money" && !isOfLine(schema)),
  ...all(["1000000000000.01", "12345678901234", "99999999999999.99"], kinds("money")),
  // Invalid ids.
  ...all(["0", "-1", "1.0", "01", "+1", "1e3", "_1", "ord_", "ord_0", "ORD_1", "ord-1"], kinds("id")),
  ...all(["99999999999999999999", "ord_99999999999999999"], kinds("id")),
  ...all(["ord_1;", "1 or 1=1", "ord_1\u200b", "$1", "1)"], kinds("id", "money", "moment")),
  // Dates that do not exist.
  ...all(["2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32"], kinds("moment")),
  ...all(["0000-01-01", "0001-01-01", "10000-01-01", "-2026-01-01", "+2026-01-01", "2026-1-1"], kinds("moment")),
  ...all(["20260101", "2026-W01-1", "2026-001", "01/02/2026", "now", "tomorrow", "1767225600"], kinds("moment")),
  ...all(["2026-01-01T25:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z"], kinds("moment")),
  ...all(["2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00z"], kinds("moment")),
  ...all(["2026-01-01T00:00:00+25:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00Z\n"], kinds("moment")),
  ...all(["٢٠٢٦-٠١-٠١", "2026‑01‑01"], kinds("moment")),
  // Dangerous elsewhere. Here they are ordinary text, or invalid.
  ...all(["'; drop table orders; --", "' or '1'='1", '" or ""="', "1; select pg_sleep(9)", "\\'; --"], kinds(...firm)),
  ...all(["<script>alert(1)</script>", "{{7*7}}", "#{7*7}", "=cmd|' /C calc'!A0", "@SUM(1)"], kinds(...firm)),
  ...all(["../../etc/passwd", "..", "%00", "%2e%2e%2f", "file:///etc/passwd", "C:\\nul", "con"], kinds(...firm)),
  ...all(["%s%n%x", "\\u0000", "\\", '"', "`id`", "$(id)", "| id", "__proto__", "constructor"], kinds(...firm)),
  ...all(["undefined", "nil", "None", "[object Object]", "-", "_", "%", "*", "?", "a*b", "%a_"], kinds(...firm)),
  ...all(["Ünïcödé", "čaj", "茶", "שלום", "مرحبا", "🍵", "e\u0301", "Ａ", "ﬁ", "Z̷̡͝a", "𝕏"], kinds(...firm)),
];

/** Every schema nested in a request's schema, with its path. */
export function* schemasIn(schema: TSchema, path = ""): Generator<readonly [path: string, schema: TSchema]> {
  yield [path, schema];
  const inner = (schema["anyOf"] ?? schema["allOf"] ?? []) as TSchema[];
  for (const variant of inner) yield* schemasIn(variant, path);
  if (schema["items"] !== undefined) yield* schemasIn(schema["items"] as TSchema, `${path}[]`);
  const names = { ...schema["properties"], ...schema["patternProperties"] } as Record<string, TSchema>;
  for (const [name, property] of Object.entries(names)) {
    if (property["readOnly"] !== true) yield* schemasIn(property, `${path}.${name}`);
  }
}

/** The fields of a request's schema, each once. Of a list, those of its first item. */
export function fieldsOf(schema: TSchema, path: Field["path"] = [], nullable = false): Field[] {
  const variants = (schema["anyOf"] ?? []) as TSchema[];
  const isFree = nullable || variants.some((variant) => variant["type"] === "null");
  const kind = kindOf(schema);
  if (kind !== null) return [{ path, kind, schema, nullable: isFree }];
  const inner = variants.find((variant) => variant["type"] !== "null");
  if (inner !== undefined) return fieldsOf(inner, path, isFree);
  if (schema["type"] === "array") return fieldsOf(schema["items"] as TSchema, [...path, 0]);
  if ("patternProperties" in schema) {
    const [value] = Object.values(schema["patternProperties"] as Record<string, TSchema>);
    return [{ path: [...path, "note"], kind: "metadata", schema: value as TSchema, nullable: true }];
  }
  return Object.entries((schema["properties"] ?? {}) as Record<string, TSchema>)
    .filter(([, property]) => property["readOnly"] !== true)
    .flatMap(([name, property]) => fieldsOf(property, [...path, name]));
}

function kindOf(schema: TSchema): FieldKind | null {
  if (schema[Kind] === "Money") return "money";
  if (schema[Kind] === "Moment") return "moment";
  const variants = ((schema["anyOf"] ?? []) as TSchema[]).filter((variant) => variant["type"] !== "null");
  if (variants.length > 1) {
    if (variants.every((variant) => "const" in variant)) return "choice";
    const types = variants.map((variant) => variant["type"]);
    if (types.includes("integer")) return String(schema["hint"]).includes("identifier such as") ? "id" : "reference";
    return types.includes("number") ? "reference" : null;
  }
  if ("allOf" in schema) return kindOf((schema["allOf"] as TSchema[])[0] as TSchema);
  if ("const" in schema) return "choice";
  switch (schema["type"]) {
    case "string":
      return stringKind(String(schema["pattern"] ?? ""));
    case "integer":
    case "number":
    case "boolean":
      return schema["type"];
    default:
      return null;
  }
}

function stringKind(pattern: string): FieldKind {
  if (pattern.includes("\\u200f")) return "code";
  if (pattern.includes("\\u0008\\u000b")) return "notes";
  return pattern.includes("\\u001f") ? "text" : "form";
}
