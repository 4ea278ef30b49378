// The sender name that buyers see on labels, slips and pages, with three merchants in one warehouse.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openSeller } from "../shipping/labels/seller.ts";
import {
  type Code,
  codes,
  type House,
  openHouse,
  own,
  plain,
  roastery,
  senders,
  strangeTo,
} from "./three_merchants.ts";

// The first document opens eight fonts, which takes time under load.
setDefaultTimeout(60_000);

const ground = { ...own, carrier: "swift", service: "ground" };

let house: House;
let app: House["app"];
let seller: Awaited<ReturnType<typeof openSeller>>;
beforeAll(async () => {
  house = await openHouse();
  app = house.app;
  seller = await openSeller(app);
});
afterAll(() => app.close());

const warehouse = async () => (await app.get("/inventory/locations")).body.data[0].address;
/** The line of a page that shows the sender of a parcel, or the recipient of a return. */
const line = (term: "From" | "To", name: string) => `<dt>${term}</dt><dd><bdi>${name}</bdi></dd>`;

describe("works", () => {
  test.each([...codes])("a buyer of %s sees only its name on label, slip and page", async (code) => {
    const id = await house.order(code);
    const { label_id, from_address, tracking_url } = await house.label(id);
    const { address_line1, city, postal_code, country, company, phone } = await warehouse();
    // The street is the warehouse's for any sender.
    expect(from_address).toMatchObject({
      name: senders[code],
      street1: address_line1,
      city,
      zip: postal_code,
      country,
    });
    expect([from_address.company, from_address.phone]).toEqual([company ?? null, phone ?? null]);
    const slip = `/orders/${id}/packing_slip`;
    const { ship_from } = (await app.get(`${slip}?format=json`)).body.data;
    expect(ship_from).toMatchObject({ name: senders[code], address_line1, city });
    const { status, html } = await house.look(tracking_url);
    expect(status).toBe(200);
    expect(plain(html)).toContain(line("From", senders[code]));
    const read = {
      label: await house.textOf(`/shipping/labels/${label_id}/document`),
      zpl: (await app.get(`/shipping/labels/${label_id}/document?format=zpl`)).body as string,
      slip: await house.textOf(slip),
      slip_page: plain((await app.get(`${slip}?format=html`)).body),
      page: plain(html).replace(/<style>.*<\/style>/s, ""),
    };
    for (const [what, text] of Object.entries(read)) {
      expect([what, text.includes(senders[code])]).toEqual([what, true]);
      const goods = text.replaceAll(`Mug of ${senders[code]}`, "");
      expect([what, strangeTo(code).filter((name) => goods.includes(name))]).toEqual([what, []]);
    }
    expect(html).not.toMatch(/<Books>|& Co/);
  });

  test("returns go to the merchant's return address, otherwise to the warehouse in the merchant's name", async () => {
    const { address_line1 } = await warehouse();
    const ways: Readonly<Record<Code, object>> = {
      MAIN: { name: senders.MAIN, street1: address_line1 },
      ROAST: { name: roastery.name, street1: roastery.address_line1, zip: roastery.postal_code },
      BOOKS: { name: senders.BOOKS, street1: address_line1 },
    };
    for (const code of codes) {
      const back = await house.comesBack(await house.order(code));
      expect([code, back.to_address]).toEqual([code, expect.objectContaining(ways[code])]);
      expect(back.from_address).toMatchObject({ name: "Jordan Avery" });
      const { tracking_url } = (await app.get(`/tracking/${back.tracking_number}`)).body.data;
      const { html } = await house.look(tracking_url);
      expect(plain(html)).toContain(line("To", senders[code]));
      expect(strangeTo(code).filter((name) => plain(html).includes(name))).toEqual([]);
    }
  });

  test("a carrier gets the merchant's name for shipments and returns", async () => {
    const told: unknown[] = [];
    const { offers } = seller.fake;
    seller.fake.offers = (carriage, ctx) => {
      told.push([carriage.from.address?.name, carriage.to.address?.name]);
      return offers(carriage, ctx);
    };
    for (const code of codes) {
      const id = await house.order(code);
      await house.label(id, ground);
      await house.comesBack(id, ground);
    }
    expect(told).toEqual([
      [senders.MAIN, "Jordan Avery"],
      ["Jordan Avery", senders.MAIN],
      [senders.ROAST, "Jordan Avery"],
      ["Jordan Avery", roastery.name],
      [senders.BOOKS, "Jordan Avery"],
      ["Jordan Avery", senders.BOOKS],
    ]);
    seller.openUp();
  });

  test("labels of several merchants, bought concurrently or in bulk, have their own names", async () => {
    const ids = await Promise.all([...codes, ...codes].map((code) => house.order(code)));
    const names = [...codes, ...codes].map((code) => senders[code]);
    const bought = await Promise.all(ids.map((id) => house.label(id)));
    expect(bought.map(({ from_address }) => from_address.name)).toEqual(names);
    const more: string[] = [];
    for (const code of codes) more.push(await house.order(code));
    const act = await app.post("/orders/actions", { action: "buy_label", order_ids: more, input: own });
    expect(act.status).toBe(200);
    const names_of = new Map<string, string>(
      (await app.get("/shipping/labels?limit=3")).body.data.map(
        (one: { order_id: string; from_address: { name: string } }) => [one.order_id, one.from_address.name],
      ),
    );
    expect(more.map((id) => names_of.get(id))).toEqual(names.slice(0, 3));
  });

  test("a quote for a parcel in the merchant's name can be bought", async () => {
    const id = await house.order("ROAST");
    const { rates } = (await app.post("/shipping/rates", { order_id: id, weight: 2, weight_unit: "lb" })).body.data;
    const { quote_id } = rates.find(({ service }: { service: string }) => service === "standard");
    const bought = await house.label(id, { quote_id, package: own.package });
    expect(bought.from_address.name).toBe(senders.ROAST);
  });

  test("a sender address in the request is used unchanged", async () => {
    const street = {
      name: "Pop-up shop",
      street1: "1 Main St",
      city: "Boise",
      state: "ID",
      zip: "83702",
      country: "US",
    };
    const id = await house.order("ROAST");
    expect((await house.label(id, { ...own, from_address: street })).from_address).toMatchObject(street);
    expect((await house.comesBack(id, { ...own, to_address: street })).to_address).toMatchObject(street);
  });

  test("a new name applies from then on, and printed documents keep the old one", async () => {
    const id = await house.order("MAIN");
    const { label_id, tracking_url } = await house.label(id);
    const said = async () => {
      const { html } = await house.look(tracking_url);
      const { ship_from } = (await app.get(`/orders/${id}/packing_slip?format=json`)).body.data;
      const [, above] = /<p class="sender"><bdi>(.*?)<\/bdi><\/p>/.exec(html) ?? [];
      const [, from] = /<dt>From<\/dt><dd><bdi>(.*?)<\/bdi>/.exec(html) ?? [];
      const bought = await house.label(await house.order("MAIN"));
      return [above, from, ship_from.name, bought.from_address.name];
    };
    const name = async (fields: object) => expect((await app.patch("/merchants/MAIN", fields)).status).toBe(200);
    const everywhere = (one: string) => [one, one, one, one];
    // The first merchant is unnamed, so the labels show the warehouse as before.
    const unnamed = [undefined, ...everywhere(senders.MAIN).slice(1)];
    expect(await said()).toEqual(unnamed);
    await name({ name: "Cold Harbor" });
    expect(await said()).toEqual(everywhere("Cold Harbor"));
    await name({ ship_from_name: "Harbor Shop" });
    expect(await said()).toEqual(everywhere("Harbor Shop"));
    expect(await house.textOf(`/shipping/labels/${label_id}/document`)).toContain(senders.MAIN);
    await name({ ship_from_name: null, name: "Main" });
    expect(await said()).toEqual(unnamed);
  });

  test("an expired page names a contact", async () => {
    const whom: Readonly<Record<Code, string>> = {
      MAIN: "For details, contact the sender.",
      ROAST: `For details, contact ${senders.ROAST}.`,
      BOOKS: "For details, contact Lantern &lt;Books&gt; &amp; Co.",
    };
    for (const code of codes) {
      const { label_id, tracking_url } = await house.label(await house.order(code));
      await app.post(`/shipping/labels/${label_id}/void`);
      const { status, html } = await house.look(tracking_url);
      expect([status, html.replaceAll(/<\/?bdi>/g, "")]).toEqual([410, expect.stringContaining(whom[code])]);
    }
  });

  test("merchants have the same names in test data as in live data", async () => {
    const key = app.keys.test.full;
    for (const code of codes) {
      const order_id = await house.order(code, {}, 1, "test");
      const wish = { ...own, carrier: "sim", order_id };
      const { body } = await app.call("POST", "/shipping/labels", wish, { key });
      expect(body.data.from_address.name).toBe(senders[code]);
      expect(plain((await house.look(body.data.tracking_url)).html)).toContain(line("From", senders[code]));
    }
  });
});

describe("refuses", () => {
  test("a quote from before the merchant was renamed", async () => {
    const order_id = await house.order("ROAST");
    const { rates } = (await app.post("/shipping/rates", { order_id, weight: 2, weight_unit: "lb" })).body.data;
    await app.patch("/merchants/ROAST", { ship_from_name: "Red Door" });
    const wish = { order_id, quote_id: rates[0].quote_id, package: own.package };
    const { status, body } = await app.post("/shipping/labels", wish);
    const [{ field }] = body.error.details;
    expect([status, body.error.code, field]).toEqual([409, "quote_mismatch", "from_address"]);
    await app.patch("/merchants/ROAST", { ship_from_name: senders.ROAST });
  });

  test("a label in a name without a printable font", async () => {
    await app.patch("/merchants/BOOKS", { ship_from_name: "\u{12000}" });
    const order_id = await house.order("BOOKS");
    const { status, body } = await app.post("/shipping/labels", { order_id, ...own });
    expect([status, body.error.code]).toEqual([422, "validation_failed"]);
    expect(JSON.stringify(body.error)).toContain("from_address.name");
    await app.patch("/merchants/BOOKS", { ship_from_name: null });
    await house.label(order_id);
  });
});
