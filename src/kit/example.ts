// Examples made from schemas, so that an example can never tell of a field that is not there.
import type { TSchema } from "@sinclair/typebox";

/** Values for fields by name; a name may be given with the field it lies in: `customer.id`. */
export type Samples = Readonly<Record<string, unknown>>;

const moment = "2026-01-31T12:00:00.000Z";

/**
 * An example of what a schema describes. Every field has a value: the sample of its name, else the first that its
 * schema allows.
 */
export function exampleOf(schema: TSchema, samples: Samples): unknown {
  return make(schema, samples, "", "");
}

function make(schema: TSchema, samples: Samples, parent: string, name: string): unknown {
  if ("const" in schema) return schema["const"];
  const sample = samples[`${parent}.${name}`] ?? samples[name];
  if (sample !== undefined && schema["type"] !== "array") return sample;
  const choices = (schema["anyOf"] ?? []) as TSchema[];
  if (choices.length > 0) return make(choices[0] as TSchema, samples, parent, name);
  switch (schema["type"]) {
    case "object": {
      const fields = Object.entries((schema["properties"] ?? {}) as Record<string, TSchema>);
      return Object.fromEntries(fields.map(([field, inner]) => [field, make(inner, samples, name, field)]));
    }
    case "array":
      return sample ?? [make(schema["items"] as TSchema, samples, parent, name)];
    case "string":
      return schema["format"] === "date-time" ? moment : schema["pattern"]?.includes("\\d{4}-") ? "2026-01-31" : name;
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}
