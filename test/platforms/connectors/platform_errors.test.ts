// Failures of a platform's API, the same for all platforms: whether a retry can help, and that
// no secret is shown.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { PlatformAccess } from "../../../src/platforms/connectors/connector.ts";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import type { ShipmentReport } from "../../../src/platforms/platform.ts";
import { type Platform, platforms } from "../../../src/platforms/platforms.transitions.ts";
import type { MockServer, Trouble } from "../../outbound/mock_server.ts";
import { openBigCommerce, storeOrder } from "../mocks/bigcommerce.ts";
import { openShopify } from "../mocks/shopify.ts";
import { shopOrder } from "../mocks/shopify_shop.ts";
import { openWooCommerce, siteOrder } from "../mocks/woocommerce.ts";
import { at, openCaller, parcel, refusal } from "./access.ts";

const secrets = { bigcommerce: "bc-secret-token", shopify: "shpat_secret", woocommerce: "cs_secret" } as const;
// The machine may be busy: slow responses are awaited, missing ones are not.
setDefaultTimeout(30_000);
const caller = openCaller();
const hasty = openCaller(300);

interface Shop {
  readonly mock: Pick<MockServer, "fail" | "forgive" | "stop" | "asked">;
  readonly access: PlatformAccess;
  readonly told: ShipmentReport;
}
const shops = new Map<Platform, Shop>();
const shopOf = (platform: Platform): Shop => {
  const shop = shops.get(platform);
  if (shop === undefined) throw new Error(platform);
  return shop;
};

beforeAll(async () => {
  const bc = await openBigCommerce({ token: secrets.bigcommerce });
  bc.add(storeOrder(1, at));
  const sh = await openShopify({ token: secrets.shopify });
  sh.add(shopOrder(1, at));
  const wc = await openWooCommerce({ secret: secrets.woocommerce });
  wc.add(siteOrder(1, at));
  const told = parcel(1, [[100, 1]]);
  shops.set("bigcommerce", { mock: bc, access: caller.to(bc.url, bc.hash, bc.token), told });
  shops.set("shopify", { mock: sh, access: caller.to(sh.url, sh.shop, sh.token), told });
  shops.set("woocommerce", { mock: wc, access: caller.to(wc.url, wc.url, wc.secret, wc.key), told });
});
afterAll(() => {
  for (const one of [caller, hasty]) one.close();
  for (const { mock } of shops.values()) mock.stop();
});

const rows: [trouble: Trouble, permanent: boolean, seconds: number | null][] = [
  ["hang", false, null],
  ["cut", false, null],
  ["half", false, null],
  ["garbage", false, null],
  [{ status: 500 }, false, null],
  [{ status: 502, body: "<h1>Bad gateway</h1>" }, false, null],
  [{ status: 503, headers: { "Retry-After": "120" } }, false, 120],
  [{ status: 429, headers: { "Retry-After": "7" } }, false, 7],
  [{ status: 429, headers: { "Retry-After": "99999999" } }, false, 86_400],
  [{ status: 429, headers: { "Retry-After": "soon" } }, false, null],
  [{ status: 408 }, false, null],
  [{ status: 409 }, false, null],
  [{ status: 400, body: { message: "No." } }, true, null],
  [{ status: 401, body: { errors: "[API] Invalid API key or access token" } }, true, null],
  [{ status: 402 }, true, null],
  [{ status: 403, headers: { "Retry-After": "7" } }, true, null],
  [{ status: 422 }, true, null],
  [{ status: 301, headers: { Location: "https://elsewhere.example/" } }, true, null],
  [{ status: 307, headers: { Location: "http://169.254.169.254/" } }, true, null],
];

describe.each([...platforms])("%s", (platform) => {
  test.each(rows)("%j: is permanent: %p", async (trouble, permanent, seconds) => {
    const { mock, told, ...shop } = shopOf(platform);
    const access = trouble === "hang" ? { ...shop.access, api: hasty.api } : shop.access;
    const { fetchOrder, changedSince, report } = connectors[platform];
    for (const ask of [() => fetchOrder(access, "1"), () => changedSince(access, at), () => report(access, told)]) {
      const before = mock.asked.length;
      mock.fail(trouble);
      const { message, ...facts } = await refusal(ask());
      expect(facts).toEqual({ permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
      expect(message.length).toBeLessThan(500);
      expect(mock.asked.length).toBe(before + 1);
    }
  });

  test("the platform's message is shown without secrets", async () => {
    const { mock, access } = shopOf(platform);
    const secret = access.credentials.api_token ?? "";
    mock.fail({
      status: 400,
      body: [{ status: 400, message: `The token ${secret} is odd.\u0000\n${"!".repeat(900)}` }],
    });
    const { message } = await refusal(connectors[platform].fetchOrder(access, "1"));
    expect(message).toContain("The token … is odd.");
    expect(message).not.toContain(secret);
    expect(message.length).toBeLessThan(400);
  });

  test("a wrong or missing token, or an address that may not be called, fails permanently", async () => {
    const { access } = shopOf(platform);
    const { fetchOrder } = connectors[platform];
    const wrong = { ...access, credentials: { ...access.credentials, api_token: "wrong" } };
    const said = await refusal(fetchOrder(wrong, "1"));
    expect(said).toMatchObject({ permanent: true, message: expect.stringContaining("credentials") });
    const none = { ...access, credentials: { ...access.credentials, api_token: null } };
    expect(await refusal(fetchOrder(none, "1"))).toMatchObject({ permanent: true });
    for (const api_url of [
      "http://10.0.0.7",
      "http://169.254.169.254",
      "ftp://127.0.0.1",
      "junk",
      "http://[::ffff:7f00:1]",
    ]) {
      const blocked = { ...access, connection: { ...access.connection, api_url } };
      const { message, permanent } = await refusal(fetchOrder(blocked, "1"));
      expect([api_url, permanent, message.includes("blocked_address")]).toEqual([api_url, true, true]);
    }
    const gone = { ...access, connection: { ...access.connection, api_url: "http://127.0.0.1:9" } };
    expect(await refusal(fetchOrder(gone, "1"))).toMatchObject({ permanent: false });
  });

  test("an endless response is aborted", async () => {
    const { mock, access } = shopOf(platform);
    mock.fail({ status: 200, body: "[".padEnd(3 << 20, "1,") });
    const said = await refusal(connectors[platform].fetchOrder(access, "1"));
    expect(said).toMatchObject({ permanent: true, message: expect.stringContaining("2 MiB") });
  });

  test("responses of another shape are refused by name or treated as empty", async () => {
    const { mock, access, told } = shopOf(platform);
    const { fetchOrder, changedSince, report } = connectors[platform];
    for (const body of [[], {}, [1, null], { data: { order: [], orders: { nodes: 7 } } }, "null", "3", '"text"']) {
      for (const ask of [() => fetchOrder(access, "1"), () => changedSince(access, at), () => report(access, told)]) {
        mock.fail({ status: 200, body }, { times: 9 });
        const answered = await ask().catch((error: unknown) => refusal(Promise.reject(error)));
        mock.forgive();
        expect(answered === undefined).toBe(false);
      }
    }
  });
});
