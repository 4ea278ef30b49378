// The request and response schemas of a record, from its resource.
import { type TOptional, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { FieldOfKind, ResourceField, ResourceFields, SentValue, ShownValue } from "./resource.ts";
import {
  choice,
  closed,
  codeField,
  currencyField,
  emailField,
  metadataField,
  moneyField,
  notesField,
  nullable,
  textField,
  weightUnitField,
} from "./schema.ts";
import { weightUnits } from "./weight_units.ts";

/** The schemas of a field in requests and in responses. */
interface FieldSchemas {
  readonly sent: TSchema;
  readonly shown: TSchema;
}

const text = Type.String();
const decimal = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 });
const both = (schema: TSchema): FieldSchemas => ({ sent: schema, shown: schema });

const schemas: { readonly [Kind in ResourceField["kind"]]: (field: FieldOfKind<Kind>) => FieldSchemas } = {
  text: ({ max, min = 1 }) => ({ sent: textField(max, { min }), shown: text }),
  code: (field) => ({
    sent: "max" in field ? codeField(field.max) : Type.String({ pattern: field.pattern, hint: field.hint }),
    shown: text,
  }),
  notes: () => ({ sent: notesField(), shown: text }),
  email: () => ({ sent: emailField(), shown: text }),
  country: () => ({
    sent: Type.String({ pattern: "^[A-Z]{2}$", hint: "must be a two-letter country code" }),
    shown: text,
  }),
  currency: () => ({ sent: currencyField(), shown: text }),
  decimal: () => ({ sent: decimal, shown: Type.Number() }),
  weight: () => ({ sent: decimal, shown: Type.Number() }),
  weight_unit: () => ({
    sent: weightUnitField("Required with a weight."),
    shown: choice(weightUnits, { description: "The unit of `weight`; null without one." }),
  }),
  integer: ({ min, max }) => ({ sent: Type.Integer({ minimum: min, maximum: max }), shown: Type.Integer() }),
  money: () => ({ sent: moneyField(), shown: Type.Number() }),
  flag: () => both(Type.Boolean()),
  choice: ({ words }) => both(choice(Object.keys(words))),
  metadata: () => both(metadataField()),
  group: ({ fields }) => both(groupSchema(fields)),
  list: ({ of, max }) => ({
    sent: Type.Array(groupSchema(of), { maxItems: max }),
    shown: Type.Array(groupSchema(of)),
  }),
};

/** The schema of a group of fields, the same in requests and in responses. */
export function groupSchema<Fields extends ResourceFields>(fields: Fields) {
  return closed(
    mapped(fields, (field) => (field.optional ? Type.Optional(schemaOf(field, "sent")) : schemaOf(field, "sent"))),
  ) as unknown as TUnsafe<SentValue<{ readonly kind: "group"; readonly fields: Fields }>>;
}

function schemaOf(field: ResourceField, form: keyof FieldSchemas): TSchema {
  const schema = (schemas[field.kind] as (field: ResourceField) => FieldSchemas)(field)[form];
  const description = field.description ?? schema.description ?? field.csv?.[0];
  const described = description === undefined ? schema : { ...schema, description };
  return field.default === null ? nullable(described) : described;
}

/** A field of a new record, with its default if that is a plain value. */
function withDefault(schema: TSchema, field: ResourceField): TSchema {
  const usual: unknown = field.default;
  if (usual === null || typeof usual === "object" || schema.description === undefined) return schema;
  const text = typeof usual === "string" ? `\`${usual}\`` : String(usual);
  return { ...schema, description: `${schema.description} Default: ${text}.` };
}

const mapped = (fields: ResourceFields, schema: (field: ResourceField) => TSchema) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schema(field)]));

type SentSchema<Field> = TUnsafe<SentValue<Field>>;

/** The fields of a request that creates a record. Those with a default are optional. */
export function createFields<Fields extends ResourceFields>(fields: Fields) {
  return mapped(fields, (field) => {
    const schema = schemaOf(field, "sent");
    return field.default === undefined ? schema : Type.Optional(withDefault(schema, field));
  }) as {
    -readonly [Name in keyof Fields]: Fields[Name] extends { readonly default: unknown }
      ? TOptional<SentSchema<Fields[Name]>>
      : SentSchema<Fields[Name]>;
  };
}

/** The fields of a request that changes a record, all optional. */
export function updateFields<Fields extends ResourceFields>(fields: Fields) {
  return mapped(fields, (field) => Type.Optional(schemaOf(field, "sent"))) as {
    -readonly [Name in keyof Fields]: TOptional<SentSchema<Fields[Name]>>;
  };
}

/** The fields of a record in responses. */
export function viewFields<Fields extends ResourceFields>(fields: Fields) {
  return mapped(fields, (field) => schemaOf(field, "shown")) as {
    -readonly [Name in keyof Fields]: TUnsafe<ShownValue<Fields[Name]>>;
  };
}
