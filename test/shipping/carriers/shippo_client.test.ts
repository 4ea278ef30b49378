// Tests the Shippo mock with Shippo's own client, so that our connector is not tested against our assumptions.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Shippo } from "shippo";
import { openShippo, type ShippoMock } from "./shippo_mock.ts";

setDefaultTimeout(30_000);
let mock: ShippoMock;
let client: Shippo;

beforeAll(async () => {
  mock = await openShippo();
  client = new Shippo({ apiKeyHeader: mock.key, shippoApiVersion: "2018-02-08", serverURL: mock.url });
});
afterAll(() => mock.stop());

const from = {
  name: "Ada",
  street1: "215 Clayton St.",
  city: "San Francisco",
  state: "CA",
  zip: "94117",
  country: "US",
};
const to = {
  name: "Grace",
  street1: "179 N Harbor Dr",
  city: "Redondo Beach",
  state: "CA",
  zip: "90277",
  country: "US",
};
const sides = { length: "10", width: "8", height: "4", distanceUnit: "in" } as const;
const parcel = { ...sides, weight: "2", massUnit: "lb" as const };
const wanted = { addressFrom: from, addressTo: to, parcels: [parcel], async: false };

/** The status of a refusal. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => null,
    (thrown: { statusCode?: number }) => thrown.statusCode,
  );
}

describe("Shippo's own client", () => {
  test("gets rates, buys one, finds the purchase by its rate, and refunds it", async () => {
    const shipment = await client.shipments.create({ ...wanted, metadata: "R-1" });
    expect(shipment.rates.map(({ servicelevel, amount }) => [servicelevel.token, amount])).toEqual([
      ["usps_ground_advantage", "7.44"],
      ["usps_priority", "10.30"],
      ["ups_ground", "10.40"],
    ]);
    expect(shipment.messages).toMatchObject([{ source: "FedEx", text: "The account is not active." }]);
    const rate = shipment.rates[0]?.objectId ?? "";
    const bought = await client.transactions.create({ rate, labelFileType: "PDF_4x6", async: false });
    expect(bought).toMatchObject({ status: "SUCCESS", trackingNumber: expect.stringMatching(/^94001/) });
    const { results } = await client.transactions.list({ rate });
    expect(results?.map(({ objectId }) => objectId)).toEqual([bought.objectId]);
    expect(await (await fetch(String(bought.labelUrl))).text()).toStartWith("%PDF");
    expect(await client.transactions.get(String(bought.objectId))).toMatchObject({ status: "SUCCESS" });
    expect(await client.refunds.create({ transaction: String(bought.objectId), async: false })).toMatchObject({
      status: "PENDING",
    });
    expect(await refusal(client.refunds.create({ transaction: String(bought.objectId) }))).toBe(400);
    expect(mock.purchases).toEqual([{ rate, metadata: "R-1" }]);
  });

  test("buys insured and declared parcels, and waits for queued ones", async () => {
    const insurance = { amount: "150.00", currency: "USD", content: "Tea" };
    const abroad = await client.shipments.create({
      ...wanted,
      addressTo: { ...to, state: "ON", zip: "M5V 2T6", country: "CA" },
      extra: { insurance },
      customsDeclaration: {
        certify: true,
        certifySigner: "Ada",
        contentsType: "MERCHANDISE",
        nonDeliveryOption: "RETURN",
        items: [
          {
            description: "Tea",
            quantity: 2,
            netWeight: "1",
            massUnit: "lb",
            valueAmount: "150.00",
            valueCurrency: "USD",
            originCountry: "US",
          },
        ],
      },
    });
    expect(abroad.rates).toMatchObject([{ provider: "DHL Express", amount: "66.62", includedInsurancePrice: "2.50" }]);
    mock.settings.transaction_status = "QUEUED";
    const queued = await client.transactions.create({ rate: abroad.rates[0]?.objectId ?? "", async: false });
    mock.settings.transaction_status = "SUCCESS";
    expect(queued.status).toBe("QUEUED");
    mock.finish();
    expect(await client.transactions.get(String(queued.objectId))).toMatchObject({ status: "SUCCESS" });
  });

  test("tracks parcels and verifies addresses", async () => {
    const trackingNumber = "9205590164917312751089";
    const track = await client.trackingStatus.create({ carrier: "usps", trackingNumber });
    expect(track).toMatchObject({ carrier: "usps", trackingHistory: [] });
    mock.scan("usps", trackingNumber, {
      status: "TRANSIT",
      substatus: "package_accepted",
      at: Date.parse("2026-11-20T10:00:00Z"),
    });
    expect(await client.trackingStatus.get(trackingNumber, "usps")).toMatchObject({
      trackingStatus: { status: "TRANSIT", substatus: { code: "package_accepted" } },
    });
    expect(await client.addresses.create({ ...from, validate: true })).toMatchObject({
      zip: "94117-1129",
      validationResults: { isValid: true },
    });
    expect(await client.addresses.create({ ...from, street1: "Nowhere", validate: true })).toMatchObject({
      validationResults: { isValid: false, messages: [{ text: "The address was not found." }] },
    });
  });

  test("lists carriers and their services in pages", async () => {
    const pages = [1, 2].map((page) => client.carrierAccounts.list({ serviceLevels: true, page, results: 3 }));
    const [first, second] = await Promise.all(pages);
    expect(first?.results?.map(({ carrier }) => carrier)).toEqual(["usps", "ups", "dhl_express"]);
    expect(first?.results?.[1]?.serviceLevels).toMatchObject([{ name: "Ground", token: "ups_ground" }]);
    expect(second?.results?.map(({ carrier, active }) => [carrier, active])).toEqual([["fedex", false]]);
  });

  test("is refused what Shippo refuses", async () => {
    const stranger = new Shippo({ apiKeyHeader: "shippo_test_wrong", serverURL: mock.url });
    expect(await refusal(stranger.shipments.create(wanted))).toBe(401);
    for (const wrong of [{ weight: "0" }, { weight: "2.12345" }, { weight: "1e2" }, { length: "" }]) {
      expect(await refusal(client.shipments.create({ ...wanted, parcels: [{ ...parcel, ...wrong }] }))).toBe(400);
    }
    const unknown = {
      method: "POST",
      headers: { Authorization: `ShippoToken ${mock.key}`, "Content-Type": "application/json" },
    };
    const body = JSON.stringify({ rate: "r", async: false, colour: "red" });
    expect((await fetch(`${mock.url}/transactions/`, { ...unknown, body })).status).toBe(400);
    expect(await refusal(client.transactions.create({ rate: "none" }))).toBe(400);
    expect(await refusal(client.transactions.get("none"))).toBe(404);
    expect(await refusal(client.trackingStatus.get("1", "pigeon"))).toBe(404);
  });

  test("gets the reason why nothing is sold", async () => {
    const { rates } = await client.shipments.create({ ...wanted, addressTo: { zip: "90277", country: "US" } });
    expect(await client.transactions.create({ rate: rates[0]?.objectId ?? "", async: false })).toMatchObject({
      status: "ERROR",
      messages: [{ source: "USPS", text: "The address is incomplete." }],
    });
  });
});
