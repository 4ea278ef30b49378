// Purchases of labels from each outside service: lost responses, refusals, formats, and labels that come later.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CarrierContext, OutsideCarrier } from "../../../src/shipping/carriers/connector.ts";
import { easypost } from "../../../src/shipping/carriers/easypost.ts";
import { karrio } from "../../../src/shipping/carriers/karrio.ts";
import { shippo } from "../../../src/shipping/carriers/shippo.ts";
import type { MockServer, Trouble } from "../../outbound/mock_server.ts";
import { at, carriage, cheapest, openMeans, refusal } from "./carrier_setup.ts";
import { openEasyPost } from "./easypost_mock.ts";
import { openKarrio } from "./karrio_mock.ts";
import { openShippo } from "./shippo_mock.ts";

setDefaultTimeout(30_000);

interface Seller {
  readonly connector: OutsideCarrier;
  open(): Promise<MockServer & { readonly key: string; readonly purchases: readonly unknown[] }>;
  /** The name of the credential that holds the key. */
  readonly key_name: string;
  /** The requests that buy, and those for a label's file. */
  readonly buying: { readonly method?: string; readonly having: string };
  readonly file: string;
  readonly cost_cents: number;
  /** Whether a second request to buy returns the first purchase. */
  readonly buys_once: boolean;
}

const sellers: readonly Seller[] = [
  {
    connector: easypost,
    open: () => openEasyPost({ now: () => at }),
    key_name: "api_key",
    buying: { having: "/buy" },
    file: "/files/",
    cost_cents: 704,
    buys_once: true,
  },
  {
    connector: shippo,
    open: () => openShippo({ now: () => at }),
    key_name: "api_token",
    buying: { method: "POST", having: "/transactions" },
    file: "/files/",
    cost_cents: 744,
    buys_once: false,
  },
  {
    connector: karrio,
    open: openKarrio,
    key_name: "api_key",
    buying: { having: "/purchase" },
    file: "/label.",
    cost_cents: 769,
    buys_once: true,
  },
];

describe.each(sellers)("a purchase from $connector.name", (seller) => {
  const { connector, buying, file, cost_cents, buys_once } = seller;
  const [means, hasty] = [openMeans(connector), openMeans(connector, 300)];
  let mock: Awaited<ReturnType<Seller["open"]>>;
  let ctx: CarrierContext;
  let hurried: CarrierContext;
  beforeAll(async () => {
    mock = await seller.open();
    const credentials = { [seller.key_name]: mock.key, api_url: mock.url };
    [ctx, hurried] = [means.ctx(credentials), hasty.ctx(credentials)];
  });
  afterEach(() => mock.forgive());
  afterAll(() => {
    for (const one of [means, hasty]) one.close();
    mock.stop();
  });
  const offered = async () => cheapest(await connector.offers(carriage, ctx));

  test.each(["lose", "half", "garbage", "hang", { status: 500 }, { status: 503 }, { status: 504 }] as const)(
    "with a lost response (%j) is found, and never made twice",
    async (trouble) => {
      const before = mock.purchases.length;
      const ref = await offered();
      mock.fail(trouble, { ...buying, done: true });
      const asking = trouble === "hang" ? hurried : ctx;
      expect(await refusal(connector.buy(ref, carriage, asking))).toMatchObject({
        code: "carrier_timeout",
        permanent: false,
        retry_after_seconds: 60,
      });
      expect(await connector.find(ref, ctx)).toMatchObject({ state: "bought", bought: { cost_cents } });
      if (buys_once) expect(await connector.buy(ref, carriage, ctx)).toMatchObject({ state: "bought" });
      expect(mock.purchases.length).toBe(before + 1);
    },
  );

  test.each(["cut", "hang", { status: 500 }] as const)("that was not made (%j) is known as such", async (trouble) => {
    const before = mock.purchases.length;
    const ref = await offered();
    mock.fail(trouble, buying);
    const refused = { code: "carrier_timeout", retry_after_seconds: 60 };
    expect(await refusal(connector.buy(ref, carriage, hurried))).toMatchObject(refused);
    expect(await connector.find(ref, ctx)).toEqual({ state: "not_bought" });
    expect(mock.purchases.length).toBe(before);
  });

  test.if(buys_once)("of before stays open while its result cannot be read", async () => {
    for (const trouble of ["half", "garbage", { status: 503 }, { status: 401 }, { status: 404 }] as const) {
      const ref = await offered();
      mock.fail("lose", buying);
      expect(await refusal(connector.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_timeout" });
      mock.fail(trouble, { method: "GET" });
      const said = await refusal(connector.buy(ref, carriage, ctx));
      expect([trouble, said]).toMatchObject([trouble, { code: "carrier_timeout", permanent: false }]);
      expect(await connector.find(ref, ctx)).toMatchObject({ state: "bought" });
    }
  });

  const later = { status: 429, headers: { "Retry-After": "7" } };
  test.each<[Trouble, object]>([
    [later, { code: "carrier_error", permanent: false, retry_after_seconds: 7 }],
    [{ status: 404 }, { code: "carrier_refused", permanent: true }],
    [{ status: 401 }, { code: "carrier_unauthorized", permanent: true }],
  ])("with the response %j is %j", async (trouble, refused) => {
    const ref = await offered();
    mock.fail(trouble, buying);
    expect(await refusal(connector.buy(ref, carriage, ctx))).toMatchObject(refused);
  });

  test("is complete even if its label is not ready", async () => {
    const ref = await offered();
    mock.fail({ status: 503 }, { having: file });
    expect(await refusal(connector.buy(ref, carriage, ctx))).toMatchObject({ code: "carrier_timeout" });
    for (const trouble of [{ status: 403 }, { status: 200, body: "a page of a hotel's network" }]) {
      mock.fail(trouble, { having: file });
      expect(await connector.find(ref, ctx)).toMatchObject({ state: "bought", bought: { documents: [] } });
    }
    expect(await connector.find(ref, ctx)).toMatchObject({ bought: { documents: [{ kind: "label" }] } });
  });

  test.each([
    ["png", "image/png"],
    ["ZPL", "application/zpl"],
  ])("prints as %s if the account is set so", async (label_format, content_type) => {
    const printing = means.ctx({ ...ctx.credentials, label_format });
    const ref = cheapest(await connector.offers(carriage, printing));
    const documents = [{ kind: "label", content_type }];
    expect(await connector.buy(ref, carriage, printing)).toMatchObject({ bought: { documents } });
  });

  test("supports no other format", async () => {
    const odd = means.ctx({ ...ctx.credentials, label_format: "GIF" });
    expect(await refusal(connector.offers(carriage, odd))).toMatchObject({ code: "carrier_refused" });
  });

  test("was not made if nothing listens", async () => {
    const ref = await offered();
    const gone = means.ctx({ ...ctx.credentials, api_url: "http://127.0.0.1:9" });
    for (const asking of [connector.offers(carriage, gone), connector.buy(ref, carriage, gone)])
      expect(await refusal(asking)).toMatchObject({ code: "carrier_error", permanent: false });
  });
});
