// The API's description: complete, and served with caching and compression. Two tools check it in the long run.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeApi } from "../../../src/cli/openapi.ts";
import { eventTypes } from "../../../src/events/event_types.ts";
import { declarationOf } from "../../../src/http/route.ts";
import { operationsOf } from "../../../src/server/openapi/description.ts";
import { deliveryBody } from "../../../src/webhooks/deliveries/delivery.ts";
import { eventDescriptions } from "../../../src/webhooks/event_descriptions.schema.ts";
import { openApp, openTestApp } from "../../build/service.ts";
import { judgeBy, operationsIn } from "./fuzz/check_response.ts";

const app = await openTestApp();
const folder = mkdtempSync(join(tmpdir(), "packhouse-reference-"));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  app.app.handle(new Request(`http://packhouse.test${path}`, { headers, method }));

interface Shown {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, ShownOperation>>;
  readonly webhooks: Record<string, { readonly post: { readonly summary: string } }>;
  readonly components: { readonly schemas: Record<string, unknown>; readonly responses: Record<string, unknown> };
}
interface ShownOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> };
  readonly responses: Record<string, unknown>;
}

const text = await (await ask("/openapi.json")).text();
const shown: Shown = JSON.parse(text);
const operations = operationsIn(JSON.parse(text)) as unknown as readonly ShownOperation[];

interface Parameter {
  readonly required: boolean;
  readonly in: string;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly schema: { readonly default?: unknown; readonly enum?: readonly unknown[] };
}

describe("the document", () => {
  test("is small for its operations, introduced by one paragraph, and its chapters link to their guides", async () => {
    // The 275 operations of the first release make 900 KB.
    expect(Buffer.byteLength(text) / operations.length).toBeLessThan(3_300);
    expect(shown.info.description).not.toContain("\n");
    const abouts = [shown.info.description, ...shown.tags.map(({ description }) => description)];
    const links = abouts.flatMap((about) => [...about.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path));
    expect(links).toContain("/docs/guides/webhooks");
    for (const path of new Set(links)) expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  test("allows no unknown fields in generated types, and has no fields that requests ignore", () => {
    expect(text).not.toContain('"additionalProperties":true');
    expect(text).not.toContain('"readOnly"');
    expect(text).not.toContain('"application/problem+json":');
  });

  test("refers to existing components only, and to each of them", () => {
    const used = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name ?? ""));
    const kinds = Object.entries(JSON.parse(text).components as Record<string, object>);
    const there = kinds.flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`));
    expect([...used].sort()).toEqual(there.filter((name) => !name.startsWith("securitySchemes/")).sort());
  });

  test("names what several responses show after the record, not after one of the operations", () => {
    const names = Object.keys(shown.components.schemas);
    expect(names.filter((name) => name.endsWith("Data") && !name.endsWith("EventData"))).toEqual([]);
  });

  test("repeats no large object schema", () => {
    const seen = new Map<string, number>();
    const walk = (part: unknown): void => {
      if (typeof part !== "object" || part === null) return;
      const { properties, description: _, ...rest } = part as Record<string, unknown>;
      const text = properties === undefined ? "" : JSON.stringify({ properties, ...rest });
      if (text.length > 500) seen.set(text, (seen.get(text) ?? 0) + 1);
      for (const [word, inner] of Object.entries(part)) if (word !== "example") walk(inner);
    };
    walk(shown.paths);
    walk(shown.components);
    expect([...seen].filter(([, times]) => times > 1).map(([schema]) => schema)).toEqual([]);
  });

  test("describes thin payloads as they are sent", () => {
    const judge = judgeBy(JSON.parse(text));
    const schema = { $ref: "#/components/schemas/ThinEvent" };
    for (const type of eventTypes) {
      const data = eventDescriptions[type].example;
      const event = { id: "evt_1", type, created_at: "2026-01-31T12:00:00.000Z", merchant_id: "mer_1", data };
      const content = { body: JSON.stringify(event), previous: null };
      const sent = JSON.parse(deliveryBody({ form: "v2_thin", sequence: 1, merchant_id: null }, content));
      expect([type, judge.fits(schema, sent), Object.keys(sent.data).length]).toEqual([type, true, 2]);
    }
    expect(judge.fits(schema, { id: "evt_1", type: "order.created" })).toBe(false);
  });

  test("has every route of the service", () => {
    const aliases = operationsOf(app.app.routes).filter(({ alias }) => alias);
    expect(aliases.map(({ id }) => id)).toEqual(["putCustomer"]);
    const machine = app.app.routes.filter(
      ({ path, hooks }) =>
        path !== "/" &&
        !/^\/(docs|dashboard|trust|llms\.txt)\b/.test(path) &&
        declarationOf({ method: "", path, hooks }).alias !== true,
    );
    const routes = machine.map(({ method, path }) => {
      const below = path.replace(/^(?:\/api)?\/v1(?=\/)/, "").replace(/:(\w+)/g, "{$1}");
      return `${method.toLowerCase()} ${below}`;
    });
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...new Set(routes)].sort());
  });

  test("names each operation once, with a summary and its responses", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, summary, tags, responses } of operations) {
      expect(operationId).toMatch(/^[a-z]+[A-Za-z]*$/);
      expect(summary).toMatch(/^[A-Z].{5,}[^.]$/);
      expect(tags).toHaveLength(1);
      expect(Object.keys(responses)).toContain("default");
    }
  });

  test("closes request bodies, so that typos are reported, and leaves responses open, since they may grow", () => {
    const document = JSON.parse(describeApi(""));
    /** Paths of closed objects in a part of the document, and in the schemas that it refers to. */
    const closedIn = (part: unknown, at: string, seen: Set<string>): string[] => {
      if (typeof part !== "object" || part === null) return [];
      const { $ref: ref, additionalProperties, unevaluatedProperties } = part as Record<string, unknown>;
      if (typeof ref === "string") {
        if (seen.has(ref)) return [];
        const [, , kind = "", name = ""] = ref.split("/");
        return closedIn(document.components[kind][name], `${at} > ${name}`, seen.add(ref));
      }
      const inner = Object.entries(part).filter(([word]) => word !== "example" && word !== "examples");
      const own = additionalProperties === false || unevaluatedProperties === false ? [at] : [];
      return [...own, ...inner.flatMap(([word, one]) => closedIn(one, `${at}.${word}`, seen))];
    };
    type Told = { operationId: string; parameters?: object[]; requestBody?: object; responses: object };
    const told = (paths: Record<string, Record<string, Told>>) =>
      Object.values(paths).flatMap((path) => Object.values(path).filter(({ operationId }) => operationId));
    for (const { operationId, requestBody, responses } of told(document.paths)) {
      expect(closedIn(responses, operationId, new Set())).toEqual([]);
      const others = ["bigcommerceOrder", "shopifyOrder", "woocommerceOrder", "carrierCallback"].includes(operationId);
      const isJson = JSON.stringify(requestBody ?? {}).includes("application/json");
      if (isJson && !others) expect(closedIn(requestBody, operationId, new Set())).not.toEqual([]);
    }
    for (const { operationId, requestBody } of told(document.webhooks)) {
      expect(closedIn(requestBody, operationId, new Set())).toEqual([]);
    }
  });

  test("preselects no filter, and names each event as a subscription does", () => {
    // The reference page prefills a parameter with its example, or with the first value in its schema.
    const presetOf = ({ example, examples, schema }: Parameter) =>
      examples === undefined
        ? (example ?? schema.default ?? schema.enum?.[0])
        : Object.values(examples).find((one) => one["x-disabled"] !== true);
    for (const { parameters } of operations) {
      const filters = (parameters as unknown as readonly Parameter[]).filter(
        (one) => one.in === "query" && !one.required,
      );
      expect(filters.filter((one) => presetOf(one) !== undefined)).toEqual([]);
    }
    for (const type of eventTypes) expect(shown.webhooks[type]?.post.summary).toBe(type);
  });

  test("has every event type as a webhook", () => {
    expect(Object.keys(shown.webhooks)).toEqual([...eventTypes, "thin"]);
  });

  test("documents Idempotency-Key on writes only", () => {
    const keyed = operations.filter(({ parameters }) => parameters.some(({ name }) => name === "Idempotency-Key"));
    expect(keyed.map(({ method }) => method)).not.toContain("get");
    expect(keyed.map(({ operationId }) => operationId)).toContain("createOrder");
    expect(keyed.map(({ operationId }) => operationId)).not.toContain("getRates");
  });

  test("is the same each time", async () => {
    const again = await openApp();
    const second = await again.app.handle(new Request("http://packhouse.test/openapi.json"));
    expect(await second.text()).toBe(text);
  });
});

describe("it is served", () => {
  test.each(["/openapi.json", "/v1/openapi.json", "/api/v1/openapi.json"])("at %s, without a key", async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await answer.text()).toBe(text);
  });

  test("with 304 to a client that has it", async () => {
    const etag = (await ask("/openapi.json")).headers.get("etag") ?? "";
    const answer = await ask("/openapi.json", { "if-none-match": etag });
    expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await ask("/openapi.json", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("compressed only if the client accepts it", async () => {
    const packed = await ask("/openapi.json", { "accept-encoding": "br, gzip" });
    expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.arrayBuffer()))).toBe(text);
    const plain = await ask("/openapi.json", { "accept-encoding": "br, gzip;q=0" });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });

  test("on the command line, without a database", async () => {
    const file = join(folder, "out.json");
    const main = join(import.meta.dir, "../../../src/main.ts");
    const run = Bun.spawn([process.execPath, main, "openapi", "--out", file], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(await run.exited).toBe(0);
    expect(JSON.stringify(await Bun.file(file).json())).toBe(text);
  }, 60_000);
});
