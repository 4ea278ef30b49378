// Failures of a connector's server: whether a retry can help, and that no secret is shown.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CarrierContext, OutsideCarrier } from "../../../src/shipping/carriers/connector.ts";
import { easypost } from "../../../src/shipping/carriers/easypost.ts";
import { karrio } from "../../../src/shipping/carriers/karrio.ts";
import { shippo } from "../../../src/shipping/carriers/shippo.ts";
import type { MockServer, Trouble } from "../../outbound/mock_server.ts";
import { abroad, carriage, openMeans, refusal } from "./carrier_setup.ts";
import { openEasyPost } from "./easypost_mock.ts";
import { openKarrio } from "./karrio_mock.ts";
import { openShippo } from "./shippo_mock.ts";

// The machine may be busy: slow responses are awaited, missing ones are not.
setDefaultTimeout(30_000);

interface Party {
  readonly connector: OutsideCarrier;
  readonly secret: string;
  readonly ref: string;
  open(): Promise<Pick<MockServer, "fail" | "forgive" | "asked" | "stop" | "url">>;
  credentials(url: string): Record<string, string>;
}

const parties: Party[] = [
  {
    connector: easypost,
    secret: "EZTKvery_secret",
    ref: "shp_1/rate_1",
    open: () => openEasyPost({ key: "EZTKvery_secret" }),
    credentials: (api_url) => ({ api_url, api_key: "EZTKvery_secret" }),
  },
  {
    connector: shippo,
    secret: "shippo_test_very_secret",
    ref: "1234/704/USD",
    open: () => openShippo({ key: "shippo_test_very_secret" }),
    credentials: (api_url) => ({ api_url, api_token: "shippo_test_very_secret" }),
  },
  {
    connector: karrio,
    secret: "karrio_very_secret",
    ref: "shp_1/rat_1",
    open: () => openKarrio({ key: "karrio_very_secret" }),
    credentials: (api_url) => ({ api_url, api_key: "karrio_very_secret" }),
  },
];

const number = { tracking_number: "9405511899560441234561", carrier: "usps" };

/** All calls that cost nothing. */
const questions = (one: OutsideCarrier, ref: string): ((ctx: CarrierContext) => Promise<unknown> | undefined)[] => [
  (ctx) => one.check(ctx),
  (ctx) => one.offers(carriage, ctx),
  (ctx) => one.find(ref, ctx),
  (ctx) => one.follow?.(number, ctx),
  (ctx) => one.track?.([number], ctx),
  ...(one.verifyAddress ? [(ctx: CarrierContext) => one.verifyAddress?.(abroad, ctx)] : []),
];

const rows: [trouble: Trouble, code: string, permanent: boolean, seconds: number | null][] = [
  ["hang", "carrier_timeout", false, null],
  ["cut", "carrier_timeout", false, null],
  ["half", "carrier_timeout", false, null],
  ["garbage", "carrier_error", false, null],
  [{ status: 500 }, "carrier_error", false, null],
  [{ status: 502, body: "<h1>Bad gateway</h1>" }, "carrier_error", false, null],
  [{ status: 503, headers: { "Retry-After": "120" } }, "carrier_error", false, 120],
  [{ status: 429, headers: { "Retry-After": "7" } }, "carrier_error", false, 7],
  [{ status: 429, headers: { "Retry-After": "99999999" } }, "carrier_error", false, 86_400],
  [{ status: 401 }, "carrier_unauthorized", true, null],
  [{ status: 402 }, "carrier_refused", true, null],
  [{ status: 422 }, "carrier_refused", true, null],
  [{ status: 301, headers: { Location: "https://elsewhere.example/" } }, "carrier_error", true, null],
  [{ status: 307, headers: { Location: "http://169.254.169.254/" } }, "carrier_error", true, null],
];

describe.each(parties)("$connector.name", ({ connector, secret, ref, open, credentials }) => {
  const means = openMeans(connector);
  const hasty = openMeans(connector, 300);
  let mock: Awaited<ReturnType<Party["open"]>>;
  let ctx: CarrierContext;
  beforeAll(async () => {
    mock = await open();
    ctx = means.ctx(credentials(mock.url));
  });
  afterAll(() => {
    for (const one of [means, hasty]) one.close();
    mock.stop();
  });

  test.each(rows)("%j is %s; permanent: %p", async (trouble, code, permanent, seconds) => {
    const asking = trouble === "hang" ? hasty.ctx(ctx.credentials) : ctx;
    for (const ask of questions(connector, ref)) {
      const before = mock.asked.length;
      mock.fail(trouble);
      const { message, ...facts } = await refusal(Promise.resolve(ask(asking)));
      expect(facts).toEqual({ code, permanent, ...(seconds !== null && { retry_after_seconds: seconds }) });
      expect(message.length).toBeLessThan(500);
      // A failing server gets no automatic retry.
      expect(mock.asked.length).toBe(before + 1);
      mock.forgive();
    }
  });

  test("the server's message is shown without the secret", async () => {
    const words = `The key ${secret} is odd.\u0000\n${"!".repeat(900)}`;
    for (const body of [{ error: { code: "X", message: words } }, { detail: words }, { rate: [words] }]) {
      mock.fail({ status: 422, body });
      const { message } = await refusal(connector.offers(carriage, ctx));
      expect(message).not.toContain(secret);
      expect(message.length).toBeLessThan(400);
    }
  });

  test("a forbidden address, a foreign document, and an unreachable server", async () => {
    for (const url of ["http://10.0.0.7", "http://169.254.169.254", "ftp://127.0.0.1", "junk"]) {
      const said = await refusal(connector.check(means.ctx({ ...credentials(mock.url), api_url: url })));
      expect([url, said]).toMatchObject([url, { code: "carrier_error", permanent: true }]);
      expect(await refusal(ctx.download(url))).toMatchObject({ code: "carrier_error", permanent: true });
    }
    const gone = means.ctx({ ...credentials(mock.url), api_url: "http://127.0.0.1:9" });
    expect(await refusal(connector.check(gone))).toMatchObject({ code: "carrier_error", permanent: false });
  });

  test("an endless response is aborted", async () => {
    mock.fail({ status: 200, body: "[".padEnd(11 << 20, "1,") });
    const said = await refusal(connector.offers(carriage, ctx));
    expect(said["message"]).toContain("10 MiB");
  });

  test("responses of another shape are refused by name or treated as empty", async () => {
    for (const body of [[], {}, [1, null], { rates: [{}], results: [7], trackers: [null] }, "null", "3", '"text"']) {
      for (const ask of questions(connector, ref)) {
        mock.fail({ status: 200, body }, { times: 9 });
        const answered = await Promise.resolve(ask(ctx)).catch((error: unknown) => refusal(Promise.reject(error)));
        mock.forgive();
        expect(answered === undefined).toBe(false);
      }
    }
  });
});
