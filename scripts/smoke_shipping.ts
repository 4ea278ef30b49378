// The shipping part of the smoke test: rates, addresses, tracking numbers, labels, manifests, and a carrier on this
// machine.
import type { Answered } from "../test/build/service.ts";
import { openEasyPost } from "../test/shipping/carriers/easypost_mock.ts";

/** Sends a request, requires a status, and returns the response. */
export type Ask = (method: string, path: string, body: object | null, status: number) => Promise<Said>;
type Said = Answered["body"];

/** A client of the API at an address with a key. */
export function asker(api: string, key: string): Ask {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return async (method, path, body, status) => {
    const sent = body === null ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${api}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (answer.status !== status) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}

function mustBe(what: string, said: unknown, wanted: unknown): void {
  if (!Bun.deepEquals(said, wanted)) {
    throw new Error(`${what} is ${JSON.stringify(said)} and should be ${JSON.stringify(wanted)}`);
  }
}

const address = { address_line1: "12 Elm St", city: "Portland", state: "OR", postal_code: "97201", country: "US" };
const parcel = { weight: 2, weight_unit: "lb" };

/** Sets the address of the first warehouse: no live label is sold from the one that a first start invents. */
export async function settle(ask: Ask): Promise<void> {
  const [{ warehouse_id }] = (await ask("GET", "/inventory/locations", null, 200)).data;
  const body = { address: { ...address, address_line1: "1 Depot Road" } };
  await ask("PATCH", `/inventory/locations/${warehouse_id}`, body, 200);
}

/** Creates an order for products in stock. */
async function order(ask: Ask, order_number: string): Promise<string> {
  await settle(ask);
  const sku = `GOODS-${order_number}`;
  await ask("POST", "/products", { sku, name: "Goods" }, 201);
  await ask("POST", "/inventory", { sku, quantity: 3 }, 201);
  const buyer = { email: `${order_number}@example.com`, first_name: "Jane", last_name: "Doe" };
  const customer = await ask("POST", "/customers", { ...buyer, shipping_addresses: [address] }, 201);
  const shipping_address_id = customer.shipping_addresses[0].id;
  const line_items = [{ sku, quantity: 1, unit_price: "1.00" }];
  const made = { order_number, customer_id: customer.id, shipping_address_id, line_items };
  return (await ask("POST", "/orders", made, 201)).data.id;
}

const beginnings = { pdf: "%PDF-", png: "\x89PNG", zpl: "^XA" } as const;
const types = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl" } as const;

async function isDocument(url: string, format: keyof typeof types, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  const bytes = Buffer.from(await answer.bytes());
  mustBe(`the status of ${url}`, answer.status, 200);
  mustBe(`the type of ${url}`, answer.headers.get("content-type")?.split(";")[0], types[format]);
  const begins = beginnings[format];
  mustBe(`the beginning of ${url}`, bytes.subarray(0, begins.length).toString("latin1"), begins);
  return bytes;
}

/**
 * Checks rates by zone, an address, another carrier's number, a label for its quote in every format, and a manifest.
 */
export async function shipsByItself(api: string, key: string): Promise<void> {
  const ask = asker(api, key);
  const zone = await ask("GET", "/shipping/zones?from=70112&to=37201", null, 200);
  mustBe("the zone of New Orleans and Nashville", zone.data.zone, "4");
  const far = await ask("POST", "/shipping/rates", { from_zip: "90012", to_zip: "10001", ...parcel }, 200);
  mustBe(
    "the rates of the sample cards",
    far.data.rates.map((rate: Said) => [rate.carrier, rate.service, rate.zone, Math.round(Number(rate.rate) * 100)]),
    ["standard 1413", "express 3632", "overnight 6374"].map((one) => {
      const [service, cents] = one.split(" ");
      return ["local", service, "8", Number(cents)];
    }),
  );
  const checked = (await ask("POST", "/addresses/verify", { addresses: [address, { ...address, state: "ME" }] }, 200))
    .data;
  mustBe("the results for two addresses", [checked[0].status, checked[1].status], ["verified", "error"]);
  const foreign = await ask("GET", "/tracking/1Z999AA10123456784", null, 404);
  mustBe("the carrier of another carrier's number", foreign.error.detected_carriers[0]?.carrier, "ups");

  const order_id = await order(ask, "QUOTED");
  const { rates } = (await ask("POST", "/shipping/rates", { order_id, ...parcel }, 200)).data;
  const { quote_id, rate } = rates[0];
  const label = (await ask("POST", "/shipping/labels", { order_id, quote_id, package: parcel }, 201)).data;
  mustBe("the price of the label", label.cost, rate);
  for (const { format, url } of label.documents) await isDocument(url, format);
  const png = label.documents.find((one: Said) => one.format === "png").url;
  const [plain, fine] = [await isDocument(png, "png"), await isDocument(`${png}&dpi=300`, "png")];
  mustBe("the widths of the images", [plain.readUInt32BE(16), fine.readUInt32BE(16)], [812, 1200]);
  const { data } = await ask("POST", "/shipping/manifests", { carrier: "local" }, 201);
  mustBe("a label of the manifest", data.parcels.at(-1).label_id, label.label_id);
  const paper = `${api}/shipping/manifests/${data.manifest_id}/document`;
  await isDocument(paper, "pdf", { authorization: `Bearer ${key}` });
}

/** Adds an account at a carrier on this machine, which the sandbox may call. Checks its rates and a label. */
export async function shipsByCarrier(api: string, key: string): Promise<void> {
  const carrier = await openEasyPost();
  try {
    const ask = asker(api, key);
    const credentials = { api_key: carrier.key, api_url: carrier.url };
    const account = (await ask("POST", "/shipping/carrier_accounts", { connector: "easypost", credentials }, 201)).data;
    const tested = await ask("POST", `/shipping/carrier_accounts/${account.id}/test`, {}, 200);
    mustBe("the test of the account", [tested.data.last_test.ok, tested.data.carriers.length > 0], [true, true]);
    const order_id = await order(ask, "CARRIED");
    const { rates, messages } = (await ask("POST", "/shipping/rates", { order_id, ...parcel }, 200)).data;
    const rate = rates.find((one: Said) => one.account_id === account.id);
    if (rate === undefined) throw new Error(`the carrier returned no rate: ${JSON.stringify(messages)}`);
    const body = { order_id, quote_id: rate.quote_id, package: parcel };
    const label = (await ask("POST", "/shipping/labels", body, 201)).data;
    mustBe("the purchase", [label.status, carrier.purchases.length], ["completed", 1]);
    for (const { format, url } of label.documents) await isDocument(url, format);
  } finally {
    carrier.stop();
  }
}

/** Checks what is printed without the font file: Latin letters, and an instruction instead of Japanese letters. */
export async function printsWithoutFonts(api: string, key: string): Promise<void> {
  const ask = asker(api, key);
  const order_id = await order(ask, "FONTLESS");
  const place = { street1: "12 Elm St", city: "Łódź", zip: "90-001", country: "PL" };
  const body = { order_id, carrier: "local", service: "standard", package: parcel };
  const japanese = { ...body, to_address: { ...place, name: "日本の" } };
  const refused = await ask("POST", "/shipping/labels", japanese, 422);
  if (!refused.error.message.includes("packhouse-fonts.zst")) throw new Error(JSON.stringify(refused));
  const label = (await ask("POST", "/shipping/labels", { ...body, to_address: { ...place, name: "Jan" } }, 201)).data;
  for (const { format, url } of label.documents) await isDocument(url, format);
}

/** Checks a label of an operator with a GS1 company prefix. */
export async function printsSscc(api: string, key: string, prefix: string): Promise<void> {
  const ask = asker(api, key);
  const order_id = await order(ask, "SSCC");
  const body = { order_id, carrier: "local", service: "standard", package: parcel };
  const { tracking_number, documents } = (await ask("POST", "/shipping/labels", body, 201)).data;
  if (!new RegExp(`^\\d${prefix}\\d{10}$`).test(tracking_number)) throw new Error(`no SSCC: ${tracking_number}`);
  const { url } = documents.find((one: Said) => one.format === "zpl");
  const zpl = (await isDocument(url, "zpl")).toString();
  if (!zpl.includes(`00${tracking_number}`)) throw new Error(`the label does not print ${tracking_number}: ${zpl}`);
}
