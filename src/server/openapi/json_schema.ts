// Converts TypeBox schemas to OpenAPI 3.1 (JSON Schema 2020-12), with named schemas as shared components.
import type { TSchema } from "@sinclair/typebox";
import { shortPattern } from "../../core/schema.ts";
import { commonFields } from "./common_fields.ts";

export type JsonObject = Record<string, unknown>;

/** A name in PascalCase, as types are named: `order.created` is `OrderCreated`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Internal schema keywords, which are not published. */
const internal = new Set(["hint", "form", "$id"]);

/** Converts schemas, and collects the named ones as components. */
export class Publisher {
  readonly components: Record<string, JsonObject> = {};
  readonly #names = new Map<string, string>();
  /** The named schemas, with their own descriptions. */
  readonly #named = new Map<string, TSchema>();
  readonly #closed = new Map<string, boolean>();
  #closes = true;

  /**
   * Registers a schema under the first of `names` that is free, unless an equal schema has a name already. Schemas that
   * differ only in their description are equal.
   */
  name(schema: TSchema, ...names: readonly [string, ...string[]]): void {
    const text = textOf(schema);
    if (this.#names.has(text)) return;
    const free = names.find((name) => !this.#named.has(name));
    if (free === undefined) throw new Error(`two schemas are named ${names[0]}`);
    this.#named.set(free, schema);
    this.#names.set(text, free);
  }

  /** Converts the schema of a response or an event, which is not closed: later versions may add fields. */
  publishOpen(schema: TSchema): JsonObject {
    this.#closes = false;
    try {
      return this.publish(schema);
    } finally {
      this.#closes = true;
    }
  }

  /** Converts a schema; returns a reference if it has a name. */
  publish(schema: TSchema): JsonObject {
    const name = this.#names.get(textOf(schema));
    if (name === undefined) return this.#write(schema);
    // A record is closed in requests and open in responses. Other schemas are the same in both.
    if (isClosed(schema)) {
      if ((this.#closed.get(name) ?? this.#closes) !== this.#closes) return this.#write(schema);
      this.#closed.set(name, this.#closes);
    }
    if (!(name in this.components)) {
      // Registered before its parts are converted, because they may refer to it.
      this.components[name] = {};
      // The description of a use belongs to that use: others may mean something else.
      this.components[name] = this.#write(this.#named.get(name) ?? schema);
    }
    const about = schema["description"];
    const own = about === undefined || about === this.components[name]?.["description"] ? {} : { description: about };
    return { $ref: `#/components/schemas/${name}`, ...own };
  }

  #write(schema: TSchema): JsonObject {
    const { anyOf, allOf, not, items, properties, patternProperties, description, additionalProperties, ...plain } =
      schema as JsonObject;
    const published = Object.entries({
      ...plain,
      ...patternOf(plain),
      ...(plain["minLength"] === 0 && { minLength: undefined }),
    });
    const about = description ?? sentence(schema["hint"]);
    const json: JsonObject = {
      ...Object.fromEntries(published.filter(([keyword, value]) => !internal.has(keyword) && value !== undefined)),
      ...(about === undefined ? {} : { description: about }),
    };
    if (anyOf) Object.assign(json, this.#either(anyOf as TSchema[]), about === undefined ? {} : { description: about });
    if (allOf) json["allOf"] = (allOf as TSchema[]).map((part) => this.publish(part));
    if (not) json["not"] = this.publish(not as TSchema);
    if (items) json["items"] = this.publish(items as TSchema);
    if (properties) json["properties"] = this.#each(properties as Record<string, TSchema>);
    // Objects are open unless they say otherwise. Those that say that they are open allow typos in generated types, so
    // only maps do.
    const isMap = additionalProperties === true && Object.keys(properties ?? {}).length === 0;
    if (additionalProperties === false && this.#closes) json["additionalProperties"] = false;
    if (isMap) json["additionalProperties"] = {};
    if (patternProperties) Object.assign(json, this.#record(patternProperties as Record<string, TSchema>));
    return json;
  }

  /** Fields that a request may contain, but which are ignored there, are left out. */
  #each(schemas: Readonly<Record<string, TSchema>>): JsonObject {
    const fields = Object.entries(schemas).filter(([, schema]) => schema["readOnly"] !== true);
    return Object.fromEntries(fields.map(([name, schema]) => [name, this.#field(name, schema)]));
  }

  /** A field that does not describe itself is described as fields of its name are. */
  #field(name: string, schema: TSchema): JsonObject {
    const published = this.publish(schema);
    const component = /schemas\/(\w+)$/.exec(String(published["$ref"]))?.[1] ?? "";
    const own = descriptionOf(schema) ?? this.#named.get(component)?.["description"];
    const common = commonFields[name];
    return own !== undefined || common === undefined ? published : { ...published, description: common };
  }

  /** A union. Constants become an `enum`, and null becomes part of `type`, which client generators handle best. */
  #either(forms: readonly TSchema[]): JsonObject {
    const rest = forms.filter((form) => form["type"] !== "null");
    const absent = rest.length < forms.length;
    const words = rest.map((form) => form["const"]);
    if (words.every((word) => typeof word === "string")) {
      return absent ? { type: ["string", "null"], enum: [...words, null] } : { type: "string", enum: words };
    }
    const published = rest.map((form) => this.publish(form));
    const [only] = published;
    if (absent && only && published.length === 1 && typeof only["type"] === "string") {
      return {
        ...only,
        type: [only["type"], "null"],
        ...(only["enum"] ? { enum: [...(only["enum"] as []), null] } : {}),
      };
    }
    if (!absent) return { anyOf: published };
    const nothing = { type: "null" };
    if (!only || published.length > 1) return { anyOf: [...published, nothing] };
    // A value or null: the description of the value is that of the field.
    const { description, ...form } = only;
    return { anyOf: [form, nothing], ...(description === undefined ? {} : { description }) };
  }

  /** A map of names to values. */
  #record(patterns: Readonly<Record<string, TSchema>>): JsonObject {
    const [[pattern, value] = []] = Object.entries(patterns);
    if (pattern === undefined || value === undefined) return {};
    const names = pattern === "^(.*)$" ? {} : { propertyNames: { pattern } };
    return { ...names, additionalProperties: this.publish(value) };
  }
}

/** The pattern as published; undefined if it only excludes what no text may contain. */
function patternOf({ pattern }: JsonObject): JsonObject {
  return typeof pattern === "string" ? { pattern: shortPattern(pattern) || undefined } : {};
}

/** Whether an object in the schema refuses unknown fields. */
const isClosed = (schema: TSchema) => JSON.stringify(schema).includes('"additionalProperties":false');

const textOf = ({ description: _, ...schema }: TSchema) => JSON.stringify(schema);

/** The description of a field; of a field that may be null, that of its value. */
function descriptionOf({ description, anyOf = [] }: TSchema): unknown {
  const [value, ...others] = (anyOf as TSchema[]).filter(({ type }) => type !== "null");
  return description ?? (value !== undefined && others.length === 0 ? descriptionOf(value) : undefined);
}

function sentence(hint: unknown): string | undefined {
  return typeof hint === "string" ? `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.` : undefined;
}
