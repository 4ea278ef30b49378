// An operator that ships for three merchants, who use the same SKU and the same order numbers.
import { expect } from "bun:test";
import { type Environment, environments } from "../../src/core/environment.ts";
import { openTestApp, type TestApp } from "../build/service.ts";
import { openPages } from "../documents/open_pdf.ts";

const base_url = "https://ship.example.com";

export const codes = ["MAIN", "ROAST", "BOOKS"] as const;
export type Code = (typeof codes)[number];

/** The sender name that each merchant's buyers see. The first merchant is unnamed. */
export const senders: Readonly<Record<Code, string>> = {
  MAIN: "Main warehouse",
  ROAST: "Blue Door Coffee Roasters",
  BOOKS: "Lantern <Books> & Co",
};

/** The return address of one merchant. */
export const roastery = {
  name: "Blue Door, returns",
  address_line1: "18 Roastery Lane",
  city: "Cincinnati",
  state: "OH",
  postal_code: "45202",
  country: "US",
};

/** A label of the built-in carrier, as a request describes it. */
export const own = { carrier: "local", service: "standard", package: { weight: 2, weight_unit: "lb" } };

/** Texts that no buyer of a merchant may see: the other merchants' names and the operator's. */
export const strangeTo = (code: Code) => [
  ...codes.filter((other) => other !== code).map((other) => senders[other]),
  ...["Blue Door LLC", "Tomás", "ROAST", "BOOKS"],
];

/** The visible text of a page. */
export const plain = (html: string) => html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const as = (app: TestApp, code: Code, mode: Environment) => ({
  key: app.keys[mode].full,
  headers: { "packhouse-merchant": code },
});

/** Stock of each merchant in each environment, and a customer. */
async function begin(app: TestApp): Promise<ReadonlyMap<string, object>> {
  const buyers = new Map<string, object>();
  for (const code of codes)
    for (const mode of environments) {
      const post = async (path: string, sent: object) => {
        const answer = await app.call("POST", path, sent, as(app, code, mode));
        expect([path, answer.status]).toEqual([path, 201]);
        return answer;
      };
      await post("/products", { sku: "MUG-01", name: `Mug of ${senders[code]}` });
      // Stock of two merchants is not mixed in one bin.
      await post("/inventory", { sku: "MUG-01", quantity: 50, bin: `B-${codes.indexOf(code)}` });
      const home = { name: "Jordan Avery", address_line1: "450 Canyon Drive", city: "Beverly Hills" };
      const shipping_addresses = [{ ...home, state: "CA", postal_code: "90210", country: "US" }];
      const { body } = await post("/customers", { email: "jordan@example.com", shipping_addresses });
      buyers.set(`${code} ${mode}`, { customer_id: body.id, shipping_address_id: body.shipping_addresses[0].id });
    }
  return buyers;
}

/** Opens the operator's installation. */
export async function openHouse() {
  const app = await openTestApp({ base_url });
  const roaster = { code: "ROAST", name: "Blue Door", legal_name: "Blue Door LLC", ship_from_name: senders.ROAST };
  await app.post("/merchants", { ...roaster, contact: { name: "Tomás" }, return_address: roastery });
  await app.post("/merchants", { code: "BOOKS", name: senders.BOOKS });
  const buyers = await begin(app);

  let count = 0;
  /** Creates an order of a merchant and returns its id. */
  async function order(code: Code, fields: object = {}, quantity = 1, mode: Environment = "live"): Promise<string> {
    count += 1;
    const line_items = [{ sku: "MUG-01", quantity, unit_price: "3.20" }];
    const body = { ...buyers.get(`${code} ${mode}`), order_number: `SO-${count}`, line_items, ...fields };
    const made = await app.call("POST", "/orders", body, as(app, code, mode));
    expect(made.status).toBe(201);
    return made.body.data.id;
  }

  async function label(order_id: string, fields: object = own) {
    const { status, body } = await app.post("/shipping/labels", { order_id, ...fields });
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data;
  }

  /** The return label of a shipped order. */
  async function comesBack(order_id: string, fields: object = own) {
    await app.post(`/orders/${order_id}/ship`);
    const { id } = (await app.post("/returns", { order_id, reason: "defective" })).body.data;
    const { status, body } = await app.post(`/returns/${id}/label`, fields);
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data;
  }

  /** A page as a browser gets it, without a key. */
  async function look(url: string) {
    const answer = await app.app.handle(new Request(url.replace(base_url, "http://packhouse.test")));
    return { status: answer.status, html: await answer.text() };
  }

  /** The text of a PDF. */
  async function textOf(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${app.keys.live.read}` };
    const answer = await app.app.handle(new Request(`http://packhouse.test/v1${path}`, { headers }));
    const pages = await openPages(new Uint8Array(await answer.arrayBuffer()));
    return pages.map(({ text }) => text).join("\n");
  }

  return { app, order, label, comesBack, look, textOf };
}
export type House = Awaited<ReturnType<typeof openHouse>>;
