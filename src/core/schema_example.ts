// Examples generated from schemas, so that an example never shows a field that does not exist.
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** Values for fields by name. A name may include the field it lies in: `customer.id`. */
export type SampleValues = Readonly<Record<string, unknown>>;

const moment = "2026-01-31T12:00:00.000Z";

/**
 * An example of a value that a schema describes. Each field has the sample of its name if the schema allows it, else
 * the first value that the schema allows. Timestamps are constant, and a text without a sample is its field's name.
 */
export function exampleOf(schema: TSchema, samples: SampleValues): unknown {
  return make(schema, samples, "", "");
}

/** Whether a schema allows a sample. TypeBox checks `date-time` only where a framework has registered the format. */
function allows(schema: TSchema, value: unknown): boolean {
  const choices = schema["anyOf"] as TSchema[] | undefined;
  if (choices !== undefined) return choices.some((one) => allows(one, value));
  if (schema["format"] === "date-time") return typeof value === "string" && !Number.isNaN(Date.parse(value));
  return Value.Check(schema, value);
}

function make(schema: TSchema, samples: SampleValues, parent: string, name: string): unknown {
  // A sample that the schema does not allow is meant for another field with the same name.
  const sample = [samples[`${parent}.${name}`], samples[name]].find(
    (value) => value !== undefined && allows(schema, value),
  );
  if (sample !== undefined) return sample;
  if ("const" in schema) return schema["const"];
  const [first] = (schema["anyOf"] ?? []) as TSchema[];
  if (first !== undefined) return make(first, samples, parent, name);
  switch (schema["type"]) {
    case "object": {
      const fields = Object.entries((schema["properties"] ?? {}) as Record<string, TSchema>);
      return Object.fromEntries(fields.map(([field, inner]) => [field, make(inner, samples, name, field)]));
    }
    case "array":
      return [make(schema["items"] as TSchema, samples, parent, name)];
    case "string":
      if (schema["format"] === "date-time") return moment;
      return String(schema["pattern"]).startsWith("^\\d{4}-") ? moment.slice(0, 10) : name;
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}
