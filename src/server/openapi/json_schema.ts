// TypeBox schemas as OpenAPI 3.1 publishes them: JSON Schema 2020-12, in which what has a name stands once.
import type { TSchema } from "@sinclair/typebox";

export type JsonObject = Record<string, unknown>;

/** Our own schema keywords, which no client knows. */
const internal = new Set(["hint", "form", "$id"]);

/** Publishes schemas, and collects the named ones as components. */
export class Publisher {
  readonly components: Record<string, JsonObject> = {};
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #closed = new Map<string, boolean>();
  #closes = true;

  /** Gives a schema the first free one of some names, unless an equal schema has a name already. */
  name(schema: TSchema, ...names: readonly [string, ...string[]]): void {
    const text = JSON.stringify(schema);
    if (this.#names.has(text)) return;
    const free = names.find((name) => !this.#taken.has(name));
    if (free === undefined) throw new Error(`two schemas are called ${names[0]}`);
    this.#taken.add(free);
    this.#names.set(text, free);
  }

  /** The schema of an answer or an event. Clients must expect more fields in later versions. */
  publishOpen(schema: TSchema): JsonObject {
    this.#closes = false;
    try {
      return this.publish(schema);
    } finally {
      this.#closes = true;
    }
  }

  /** A schema as the document shows it: a reference when it has a name. */
  publish(schema: TSchema): JsonObject {
    const name = this.#names.get(JSON.stringify(schema));
    if (name === undefined || (this.#closed.get(name) ?? this.#closes) !== this.#closes) return this.#write(schema);
    this.#closed.set(name, this.#closes);
    if (!(name in this.components)) {
      // Registered before its parts are published, which may refer to it.
      this.components[name] = {};
      this.components[name] = this.#write(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #write(schema: TSchema): JsonObject {
    const { anyOf, allOf, not, items, properties, patternProperties, description, ...plain } = schema as JsonObject;
    const kept = Object.entries(plain).filter(([word]) => !internal.has(word));
    const about = description ?? sentence(schema["hint"]);
    const json: JsonObject = { ...Object.fromEntries(kept), ...(about === undefined ? {} : { description: about }) };
    if (anyOf) Object.assign(json, this.#either(anyOf as TSchema[]));
    if (allOf) json["allOf"] = (allOf as TSchema[]).map((part) => this.publish(part));
    if (not) json["not"] = this.publish(not as TSchema);
    if (items) json["items"] = this.publish(items as TSchema);
    if (properties) {
      json["properties"] = this.#each(properties as Record<string, TSchema>);
      json["additionalProperties"] = this.#closes ? (json["additionalProperties"] ?? true) : true;
    }
    if (patternProperties) Object.assign(json, this.#record(patternProperties as Record<string, TSchema>));
    return json;
  }

  #each(schemas: Readonly<Record<string, TSchema>>): JsonObject {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.publish(schema)]));
  }

  /** One of several forms. Words are listed, and what may be null says so in its type, as generators like it. */
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
    return { anyOf: absent ? [...published, { type: "null" }] : published };
  }

  /** Pairs of names and values. */
  #record(patterns: Readonly<Record<string, TSchema>>): JsonObject {
    const [[pattern, value] = []] = Object.entries(patterns);
    if (pattern === undefined || value === undefined) return {};
    const names = pattern === "^(.*)$" ? {} : { propertyNames: { pattern } };
    return { ...names, additionalProperties: this.publish(value) };
  }
}

function sentence(hint: unknown): string | undefined {
  return typeof hint === "string" ? `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.` : undefined;
}
