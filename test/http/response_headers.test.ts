// The headers of every response for browsers and caches.
import { expect, test } from "bun:test";
import { describeRoutes } from "../../src/server/openapi/description.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

const guards = (headers: Headers) => [
  headers.get("x-content-type-options"),
  headers.get("cross-origin-resource-policy"),
  headers.get("cache-control"),
];

test("API responses cannot be sniffed, embedded elsewhere or cached", async () => {
  const usual = ["nosniff", "same-origin", "private, no-cache"];
  expect(guards((await app.get("/orders")).headers)).toEqual(usual);
  expect(guards((await app.get("/orders/ord_9999")).headers)).toEqual(usual);
  expect(guards((await app.get("/orders/export.csv")).headers)).toEqual(usual);
  const refused = await app.call("GET", "/orders", undefined, { key: null });
  expect(guards(refused.headers).slice(0, 2)).toEqual(usual.slice(0, 2));
});

test("a response with a secret is never stored", async () => {
  const made = await app.post("/keys", { name: "till", permission: "read" });
  const hook = await app.post("/webhooks", { url: "https://1.1.1.1/", events: ["order.created"] });
  const invited = await app.post("/invitations", { email: "gil@packhouse.test", role: "floor" });
  for (const { status, headers } of [made, hook, invited]) {
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
  }
});

test("every operation documents 404, by itself or as a default, and the OpenAPI document 304", () => {
  const { paths } = describeRoutes(app.app.routes, "") as unknown as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
  };
  const all = Object.values(paths).flatMap((methods) =>
    Object.values(methods).filter(({ operationId }) => operationId),
  );
  expect(all.length).toBeGreaterThan(200);
  const unsaid = all.filter(({ responses }) => !("404" in responses || "default" in responses));
  expect(unsaid.map(({ operationId }) => operationId)).toEqual([]);
  const own = all.find(({ operationId }) => operationId === "getOpenApi");
  expect(Object.keys(own?.responses ?? {})).toContain("304");
});
