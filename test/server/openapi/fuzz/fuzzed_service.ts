// What the fuzzer knows about the service: the names of records from every response, and the operations that are ready.
import type { Examples } from "../../../../src/server/openapi/operation.ts";
import type { TestApp } from "../../../build/service.ts";
import type { Case } from "./cases.ts";
import type { judgeBy, ShownOperation } from "./check_response.ts";
import { type House, of_main, type Ready, type Supplies } from "./supplies.ts";
import { Known } from "./values.ts";

const kept_max = 200;

// Fields of the operator's own records, which are not visible in requests that name a merchant.
const ofHouse = /^\/(?:keys|notices|users|webhooks)\b/;

/** The prefix of an identifier. */
const prefixOf = (text: unknown) => /^([a-z]{3})_[0-9a-f]+$/.exec(String(text))?.[1];

type Fields = Readonly<Record<string, unknown>>;
const isFields = (body: unknown): body is Fields => typeof body === "object" && body !== null;

/** The names of one kind: the newest, and some of the oldest. */
class Names {
  readonly #list: string[] = [];
  readonly #all = new Set<string>();

  add(name: string): void {
    if (this.#all.has(name)) return;
    if (this.#list.length >= kept_max) this.#all.delete(this.#list.splice(kept_max / 2, 1)[0] ?? "");
    this.#list.push(name);
    this.#all.add(name);
  }

  pick(at: number): string {
    return this.#list[at % Math.max(this.#list.length, 1)] ?? "none";
  }
}

/** The service as known after the story: its examples are the usual requests. */
export class FuzzedService {
  readonly #keys: TestApp["keys"];
  readonly #examples: Examples;
  readonly #house: House;
  readonly #known = new Map<string, Names>();
  #ready: Supplies = {};

  constructor(keys: TestApp["keys"], examples: Examples, house: House) {
    this.#keys = keys;
    this.#examples = examples;
    this.#house = house;
    for (const { path, query, body, answer } of Object.values(examples)) this.learn([path, query, body, answer]);
  }

  /** Records every string of a response by the name of its field, and every identifier by its prefix. */
  learn(value: unknown, name = ""): void {
    if (typeof value === "string") {
      if (value.length > 200 || !this.#isSafe(name, value)) return;
      this.#note(name, value);
      const prefix = prefixOf(value);
      if (prefix !== undefined) this.#note(prefix, value);
    } else if (Array.isArray(value)) {
      for (const item of value.slice(0, 5)) this.learn(item, name);
    } else if (typeof value === "object" && value !== null) {
      for (const field in value) this.learn((value as Fields)[field], field);
    }
  }

  /** Deliveries must stay on this machine, and a signed link must not be reused. */
  #isSafe(name: string, value: string): boolean {
    return name === "url" ? value.startsWith(this.#house.receiver) : !value.includes("signature=");
  }

  #note(word: string, name: string): void {
    const names = this.#known.get(word) ?? new Names();
    this.#known.set(word, names);
    names.add(name);
  }

  /** Supplies new records at every stage, so that there is always something to act on. */
  async supply(): Promise<void> {
    this.#ready = await this.#house.supply();
    for (const { path, query, body } of Object.values(this.#ready)) this.learn([path, query, body]);
  }

  /** Builds the request of a case, and checks whether it is valid by the document. */
  requestOf(it: Case, { fits }: ReturnType<typeof judgeBy>) {
    const { operation, query, spoil } = it;
    const usual = this.#usual(it);
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const good = this.#settle(mixed(usual.body, it));
    const body = spoil === null || schema === undefined ? good : spoil(good);
    const place = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(
        this.#inPath(operation, name, it.ready ? (usual.path?.[name] ?? it.path[name]) : it.path[name]),
      ),
    );
    const asked = this.#settle(Object.keys(query).length === 0 ? (usual.query ?? {}) : query) as Fields;
    const texts = Object.entries(asked).map(([name, value]) => [name, String(value)] as [string, string]);
    const search = texts.length === 0 ? "" : `?${new URLSearchParams(texts)}`;
    const root = /^\/(?:health|metrics(?!\/)|t\/)/.test(place) ? "" : "/v1";
    const raw = body === undefined || schema === undefined ? body : JSON.stringify(body);
    const headers = {
      ...(ofHouse.test(place) ? {} : of_main),
      ...it.headers,
      ...(usual.proof?.(String(raw)) ?? { authorization: `Bearer ${this.#keyFor(place)}` }),
      ...(body === undefined ? {} : { "content-type": schema === undefined ? "text/csv" : "application/json" }),
    };
    const init = {
      method: operation.method.toUpperCase(),
      headers,
      ...(body === undefined ? {} : { body: String(raw) }),
    };
    const request = new Request(`http://packhouse.test${root}${place}${search}`, init);
    // The service sees only what JSON can carry.
    const sent = body === undefined || schema === undefined ? body : JSON.parse(String(raw));
    // The document says nothing about characters that no text may contain.
    const isValid = () =>
      schema === undefined || sent === undefined ? true : unprintable.test(textsIn(sent)) ? null : fits(schema, sent);
    return { operation, request, body: sent, valid: isValid() };
  }

  /** The usual request of the operation. */
  #usual({ operation: { operationId }, ready }: Case): Ready {
    const example = this.#examples[operationId] ?? {};
    return ready ? { ...example, ...this.#ready[operationId] } : example;
  }

  // Receivers on loopback are allowed in test, so webhooks are created there.
  #keyFor(place: string): string {
    return (/^\/(?:webhooks(?!\/\w+\/orders)|notices)/.test(place) ? this.#keys.test : this.#keys.live).full;
  }

  #pick({ word, at }: Known): string {
    return this.#known.get(word)?.pick(at) ?? "none";
  }

  #settle(value: unknown): unknown {
    if (value instanceof Known) return this.#pick(value);
    if (Array.isArray(value)) return value.map((item) => this.#settle(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, this.#settle(inner)]));
  }

  /** The identifier in a path has the prefix of its example. */
  #inPath(operation: ShownOperation, name: string, value: unknown): string {
    const [shown] = operation.parameters.filter((it) => it.in === "path" && it.name === name);
    const prefix = prefixOf(shown?.example);
    const text =
      value instanceof Known && prefix !== undefined
        ? this.#pick(new Known(prefix, value.at))
        : String(this.#settle(value));
    if (this.#isKept(operation, `${prefix}_${/\d+$/.exec(text)}`)) return "none";
    return /^(?:\.{0,2}|[\s/\\]+)$/.test(text) ? "none" : text;
  }

  #isKept({ operationId, method }: ShownOperation, id: string): boolean {
    return (
      this.#house.kept.has(id) &&
      (method === "delete" || /Key$|^(?:update|import)RateCard|^(?:suspend|close)Merchant/.test(operationId))
    );
  }
}

// Control and invisible characters, which the guide excludes.
const unprintable =
  /[\p{C}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u2800\u202f\u205f\u3000\u3164\ufffd\uffa0]|[\ufe00-\ufe0f]/u;

/** All texts in a value. */
const textsIn = (value: unknown): string =>
  typeof value === "string"
    ? value
    : typeof value === "object" && value !== null
      ? Object.entries(value)
          .map(([name, inner]) => `${name} ${textsIn(inner)}`)
          .join(" ")
      : "";

// Fields that must be unique.
const isUnique = (name: string, { operationId }: ShownOperation) =>
  ["order_number", "email"].includes(name) ||
  (name === "sku" && operationId === "createProduct") ||
  (name === "code" && operationId === "createMerchant") ||
  (name === "name" && operationId === "createLocation");

/** The usual body, with none, some or all of its fields replaced by generated ones. */
function mixed(usual: unknown, { operation, body, boldness, luck }: Case): unknown {
  if (usual === undefined) return body;
  if (!isFields(usual)) return boldness > 1 ? body : usual;
  if (!isFields(body)) return body;
  const changed = Object.entries(body).filter(([name], at) => {
    const dice = (Math.imul(luck ^ (at << 16), 0x9e3779b1) >>> 8) % 10;
    return dice < (isUnique(name, operation) ? 9 : boldness);
  });
  return { ...usual, ...Object.fromEntries(changed) };
}
