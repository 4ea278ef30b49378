// Which error is reported first for a request with several faults.
import { expect, test } from "bun:test";
import { createKey } from "../../src/identity/api_keys/api_keys.ts";
import { openApp } from "../build/service.ts";

const app = await openApp();

/** The possible faults of a request, in the order in which they are checked. */
const ladder = [
  ["headers", "headers_too_large"],
  ["size", "payload_too_large"],
  ["key", "invalid_api_key"],
  ["address", "ip_not_allowed"],
  ["rate", "rate_limited"],
  ["permission", "insufficient_permission"],
  ["type", "unsupported_media_type"],
  ["idempotency", "malformed_header"],
  ["reuse", "idempotency_key_reused"],
  ["form", "malformed_request"],
  ["fields", "validation_failed"],
] as const;
type Rung = (typeof ladder)[number][0];

const inside = "10.0.0.1";
let peer = inside;

/** A key with these faults: its IP list, its used-up rate limit, and its permission. */
async function keyWith(faults: ReadonlySet<Rung>): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(96));
  const input = {
    name: "till",
    permission: faults.has("permission") ? ("read" as const) : ("read_write" as const),
    ip_mode: faults.has("address") ? ("enforce" as const) : ("off" as const),
    ip_list: ["10.0.0.0/8"],
    rate_limit_per_minute: faults.has("rate") ? 1 : 0,
  };
  const { text } = await app.service.stores.live.write((tx) => createKey(tx, input, random));
  peer = inside;
  if (faults.has("rate")) expect((await app.call("GET", "/products", undefined, { key: text })).status).toBe(200);
  return text;
}

const body = (faults: ReadonlySet<Rung>): string => {
  const sound = faults.has("fields") ? { name: 7 } : { sku: crypto.randomUUID(), name: "Tea" };
  const text = JSON.stringify(sound) + (faults.has("size") ? " ".repeat(1 << 20) : "");
  return faults.has("form") ? text.slice(1) : text;
};

test("the first of any set of faults is reported, and a request without faults succeeds", async () => {
  Object.assign(app.service, { peerOf: () => peer });
  const used = { headers: { "idempotency-key": "used" } };
  expect((await app.call("POST", "/products", body(new Set()), used)).status).toBe(201);
  const keys = new Map<string, string>();
  const names = ladder.map(([name]) => name);
  for (let set = 0; set < 1 << ladder.length; set += 1) {
    const faults = new Set(names.filter((_, at) => set & (1 << at)));
    const kind = ["address", "rate", "permission"].filter((name) => faults.has(name as Rung)).join();
    const made = keys.get(kind) ?? (await keyWith(faults));
    keys.set(kind, made);
    // A new address each time, since one with too many failures is rate-limited.
    peer = `192.0.${set >> 8}.${set & 255}`;
    const text = body(faults);
    const answer = await app.call("POST", "/products", text, {
      key: faults.has("key") ? "sesame" : made,
      headers: {
        "content-length": String(text.length),
        ...(faults.has("headers") && { cookie: "x".repeat(1 << 14) }),
        ...(faults.has("type") && { "content-type": "text/plain" }),
        ...(faults.has("reuse") && { "idempotency-key": "used" }),
        ...(faults.has("idempotency") && { "idempotency-key": "two words" }),
      },
    });
    const first = ladder.find(([name]) => faults.has(name))?.[1] ?? "created";
    expect([[...faults], answer.body.error?.code ?? "created"]).toEqual([[...faults], first]);
  }
  expect(keys.size).toBe(8);
}, 20_000);

test("a malformed Idempotency-Key is refused even without a body", async () => {
  const headers = { "idempotency-key": "two words" };
  for (const [method, path] of [
    ["POST", "/orders/7/process"],
    ["DELETE", "/orders/7"],
  ] as const) {
    const { status, body: said } = await app.call(method, path, undefined, { headers });
    expect([status, said.error.code]).toEqual([400, "malformed_header"]);
  }
});
