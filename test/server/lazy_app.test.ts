// The service behind its port. Its features are loaded at the first request for one of them, or after the start.
import { expect, test } from "bun:test";
import { openLazyApp } from "../../src/server/lazy_app.ts";
import { openTestApp } from "../build/service.ts";

const never_ms = 2 ** 31 - 1;
const address = "http://packhouse.test";

/** A service, and how many of its features observe requests: none until they are loaded. */
async function opened(quiet_ms: number) {
  const app = await openTestApp();
  const service = { ...app.service, observers: [] };
  const failed = (error: unknown) => expect(error).toBeUndefined();
  const whole = openLazyApp(service, failed, quiet_ms);
  const close = async () => {
    await whole.stop();
    await app.close();
  };
  const headers = { authorization: `Bearer ${app.keys.test.full}` };
  const get = (path: string) => whole.handle(new Request(address + path, { headers }));
  const told = () => service.observers.length;
  return { get, close, told, isLoaded: () => told() > 0 };
}

test("/health works before the features are loaded, and returns the same afterwards", async () => {
  const { get, close, isLoaded } = await opened(never_ms);
  const before = await get("/health");
  expect([before.status, isLoaded()]).toEqual([200, false]);
  expect((await get("/v1/orders")).status).toBe(200);
  expect(isLoaded()).toBe(true);
  const after = await get("/health");
  expect([after.status, await after.text()]).toEqual([before.status, await before.text()]);
  await close();
});

test.each(["/", "/metrics", "/v1/health", "/health/", "/nothing", "/api/v1/orders"])(
  "%s, requested first, gets the same response as later",
  async (path) => {
    const { get, close } = await opened(never_ms);
    const facts = async ({ status, headers }: Response) => [status, headers.get("content-type")];
    const first = await facts(await get(path));
    await get("/v1/orders");
    expect(await facts(await get(path))).toEqual(first);
    await close();
  },
);

test("concurrent requests load the features once", async () => {
  const one = await opened(never_ms);
  await one.get("/v1/products");
  const many = await opened(never_ms);
  const answers = await Promise.all(Array.from({ length: 5 }, () => many.get("/v1/products")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(many.told()).toBe(one.told());
  await one.close();
  await many.close();
});

test("the features are loaded without a request", async () => {
  const { close, isLoaded } = await opened(0);
  while (!isLoaded()) await Bun.sleep(1);
  await close();
});

test("a service that stops before a request for a feature loads none", async () => {
  const { close, isLoaded } = await opened(20);
  await close();
  await Bun.sleep(60);
  expect(isLoaded()).toBe(false);
});
