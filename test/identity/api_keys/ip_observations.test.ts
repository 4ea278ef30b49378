import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { silentLog } from "../../../src/core/log.ts";
import { openRequestPipeline } from "../../../src/http/request_pipeline.ts";
import { openApp, type TestApp } from "../../build/service.ts";

setDefaultTimeout(30_000);
let app: TestApp;
let peer = "192.0.2.1";
beforeEach(async () => {
  app = await openApp();
  Object.assign(app.service, { peerOf: () => peer });
});

describe("observing the IP addresses of a key", () => {
  test("counts the requests that the list would have refused, with the latest addresses", async () => {
    const settings = { log: silentLog, slow_ms: 60_000, now: () => 0, observers: app.service.observers };
    const entrance = openRequestPipeline(settings, async (request) => app.app.handle(request));
    const body = { name: "office", permission: "read", ip_mode: "observe", ip_list: ["10.0.0.0/8"] };
    const { id, key, observed } = (await app.post("/keys", body)).body.data;
    expect(observed).toBeNull();
    const ask = (from: string) => {
      peer = from;
      const headers = { authorization: `Bearer ${key}` };
      return entrance.answer(new Request("http://packhouse.test/v1/products", { headers }));
    };
    const found = async () => (await app.get(`/keys/${id}`)).body.data.observed;
    expect((await ask("10.1.2.3")).headers.get("x-ip-allowlist")).toBe("allowed");
    expect(await found()).toBeNull();
    expect((await ask("192.0.2.7")).status).toBe(200);
    await ask("192.0.2.8");
    app.clocks.live.advance(1000);
    await ask("192.0.2.7");
    const observed_so_far = {
      denied: 3,
      last_at: "2026-01-02T03:04:06.000Z",
      addresses: [
        { address: "192.0.2.7", at: "2026-01-02T03:04:06.000Z" },
        { address: "192.0.2.8", at: "2026-01-02T03:04:05.000Z" },
      ],
    };
    // One of the two stores the counts, and the other waits for it.
    expect(await Promise.all([found(), found()])).toEqual([observed_so_far, observed_so_far]);
    for (let host = 1; host <= 15; host += 1) await ask(`198.51.100.${host}`);
    expect(await found()).toMatchObject({ denied: 18, addresses: { length: 10, 0: { address: "198.51.100.15" } } });
    const listed = (await app.get("/keys")).body.data.find((one: { id: string }) => one.id === id);
    expect(listed.observed.denied).toBe(18);
    // A new list starts a new observation, and an enforced one refuses the observed addresses.
    await app.patch(`/keys/${id}`, { ip_list: ["10.0.0.0/8", "192.0.2.0/24"] });
    expect(await found()).toBeNull();
    await app.patch(`/keys/${id}`, { ip_mode: "enforce" });
    expect((await ask("198.51.100.1")).status).toBe(403);
    expect(await found()).toBeNull();
  });
});
