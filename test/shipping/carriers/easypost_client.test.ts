// Tests the EasyPost mock with EasyPost's own client, so that our connector is not tested against our assumptions.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import EasyPostClient, { type Rate } from "@easypost/api";
import { type EasyPostMock, openEasyPost, uspsNumber } from "./easypost_mock.ts";

setDefaultTimeout(30_000);
let mock: EasyPostMock;
let client: InstanceType<typeof EasyPostClient>;

beforeAll(async () => {
  mock = await openEasyPost();
  client = new EasyPostClient(mock.key, { baseUrl: `${mock.url}/v2/`, timeout: 20_000 });
});
afterAll(() => mock.stop());

const from = {
  name: "Ada",
  street1: "388 Townsend St",
  city: "San Francisco",
  state: "CA",
  zip: "94107",
  country: "US",
};
const to = {
  name: "Elizabeth",
  street1: "179 N Harbor Dr",
  city: "Redondo Beach",
  state: "CA",
  zip: "90277",
  country: "US",
};
const parcel = { length: 10, width: 8, height: 4, weight: 15.4 };
const wanted = { from_address: from, to_address: to, parcel };

/** The status and code of a refusal. */
async function refusal(work: Promise<unknown>): Promise<[status: unknown, code: unknown]> {
  const error = await work.then(
    () => null,
    (thrown: { statusCode?: number; code?: string }) => thrown,
  );
  return [error?.statusCode, error?.code];
}

describe("EasyPost's own client", () => {
  test("gets rates, buys the cheapest, reads, converts and refunds it", async () => {
    const shipment = await client.Shipment.create({ ...wanted, options: { label_format: "PDF" }, reference: "R-1" });
    expect(shipment.rates.map(({ service, rate }) => [service, rate])).toEqual([
      ["GroundAdvantage", "6.05"],
      ["Priority", "8.65"],
      ["Express", "35.10"],
    ]);
    const rate = shipment.lowestRate(["USPS"]);
    const bought = await client.Shipment.buy(shipment.id, rate, 100);
    expect(bought.tracking_code).toBe(uspsNumber(mock.purchases.length));
    expect(bought.postage_label.label_file_type).toBe("application/pdf");
    expect(bought.fees.map(({ type, amount }) => [type, amount])).toEqual([
      ["LabelFee", "0.00000"],
      ["PostageFee", "6.05000"],
      ["InsuranceFee", "1.00000"],
    ]);
    expect((await client.Shipment.retrieve(shipment.id)).selected_rate.id).toBe(rate.id);
    const zpl = await client.Shipment.convertLabelFormat(shipment.id, "ZPL");
    expect(await (await fetch(zpl.postage_label.label_zpl_url)).text()).toStartWith("^XA");
    expect((await client.Shipment.refund(shipment.id)).refund_status).toBe("submitted");
    expect(await refusal(client.Shipment.buy(shipment.id, rate))).toEqual([422, "SHIPMENT.POSTAGE.EXISTS"]);
    expect(mock.purchases.filter(({ shipment_id }) => shipment_id === shipment.id)).toHaveLength(1);
  });

  test("gets rates for a parcel that is not stored", async () => {
    const shipments = mock.shipments.size;
    const ends = { from_address: { zip: "94107", country: "US" }, to_address: { zip: "90277", country: "US" } };
    // Its types do not contain this one yet.
    const { BetaRate } = client as unknown as { BetaRate: { retrieveStatelessRates(given: object): Promise<Rate[]> } };
    const rates = await BetaRate.retrieveStatelessRates({ ...ends, parcel });
    expect(rates.map(({ rate }) => rate)).toEqual(["6.05", "8.65", "35.10"]);
    expect(mock.shipments.size).toBe(shipments);
  });

  test("tracks parcels with one tracker each, and verifies addresses", async () => {
    const tracker = await client.Tracker.create({ tracking_code: "EZ1000000001", carrier: "USPS" });
    expect((await client.Tracker.create({ tracking_code: "EZ1000000001" })).id).toBe(tracker.id);
    mock.scan("EZ1000000001", { status: "delivered", at: Date.parse("2026-11-20T10:00:00Z"), signed_by: "John" });
    expect(await client.Tracker.retrieve(tracker.id)).toMatchObject({ status: "delivered", signed_by: "John" });
    expect(await refusal(client.Tracker.create({ tracking_code: "nobody's" }))).toEqual([
      422,
      "TRACKER.NO_CARRIER_FOR_CODE",
    ]);
    const address = await client.Address.create({ ...from, verify: true });
    expect(address).toMatchObject({ street1: "388 TOWNSEND ST", zip: "94107-1129", residential: true });
    expect(address.verifications.delivery.success).toBe(true);
    const unknown = await client.Address.create({ ...from, street1: "Nowhere", verify: true });
    expect(unknown.verifications.delivery.errors).toMatchObject([{ message: "Address not found" }]);
  });

  test("lists carriers and their services", async () => {
    expect((await client.CarrierAccount.all()).map(({ readable }) => readable)).toEqual([
      "USPS",
      "DHL Express",
      "FedEx",
    ]);
    const [usps] = (await client.CarrierMetadata.retrieve(["usps"], ["service_levels"])) as unknown as {
      name: string;
    }[];
    expect(usps).toMatchObject({ name: "usps", human_readable: "USPS" });
  });

  test("accepts genuine callbacks, with or without a weight, and no others", () => {
    mock.scan("EZ3000000003", { status: "in_transit", at: Date.parse("2026-11-20T10:00:00Z") });
    for (const weighed of [true, false]) {
      const { body, headers } = mock.callback("EZ3000000003", { secret: "sécret ﬁ", weighed });
      expect(client.Utils.validateWebhook(Buffer.from(body), headers, "sécret ﬁ")).toMatchObject({
        description: "tracker.updated",
        result: { tracking_code: "EZ3000000003", status: "in_transit" },
      });
      expect(() => client.Utils.validateWebhook(Buffer.from(body), headers, "another")).toThrow("mismatch");
    }
  });

  test("is refused what EasyPost refuses", async () => {
    const stranger = new EasyPostClient("EZTKwrong", { baseUrl: `${mock.url}/v2/` });
    expect(await refusal(stranger.Shipment.create(wanted))).toEqual([401, "APIKEY.INACTIVE"]);
    const rows: [given: object, code: string][] = [
      [{ ...wanted, parcel: { ...parcel, weight: "15.4" } }, "PARAMETER.INVALID"],
      [{ ...wanted, parcel: { ...parcel, weight: 0 } }, "PARAMETER.INVALID"],
      [{ ...wanted, parcel: { ...parcel, weight_unit: "oz" } }, "PARAMETER.INVALID"],
      [{ ...wanted, from_address: { ...from, country: "USA" } }, "PARAMETER.INVALID"],
      [{ ...wanted, colour: "red" }, "PARAMETER.INVALID"],
    ];
    for (const [given, code] of rows) {
      expect(await refusal(client.Shipment.create(given as typeof wanted))).toEqual([422, code]);
    }
    const { id, rates } = await client.Shipment.create({ ...wanted, to_address: { zip: "90277", country: "US" } });
    expect(await refusal(client.Shipment.buy(id, String(rates[0]?.id)))).toEqual([422, "SHIPMENT.INVALID_PARAMS"]);
    const poor = await client.Shipment.create(wanted);
    const balance_cents = mock.settings.balance_cents;
    mock.settings.balance_cents = 100;
    expect(await refusal(client.Shipment.buy(poor.id, String(poor.rates[0]?.id)))).toEqual([402, "PAYMENT_REQUIRED"]);
    mock.settings.balance_cents = balance_cents;
    expect(await refusal(client.Shipment.retrieve("shp_none"))).toEqual([404, "NOT_FOUND"]);
  });
});
