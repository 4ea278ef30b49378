// A recipient without a name: nothing else is printed in its place. The customer and the order are created with a
// warning, and a label is refused until the name is known.
import { expect, test } from "bun:test";
import { fieldsOf, openShop, portland, refusalOf } from "../build/shop.ts";

const shop = await openShop();
const { app } = shop;
const goods = await shop.product({ units: 100 });

let number = 0;
const named = (fields: object = {}, address: object = {}) =>
  app.create("/customers", {
    email: `someone-${++number}@example.com`,
    shipping_addresses: [{ ...portland, ...address }],
    ...fields,
  });

/** An order to a customer's first address. */
const orderTo = ({ id, shipping_addresses: [address] }: Awaited<ReturnType<typeof named>>) =>
  shop.order([[goods, 1]], { customer_id: id, shipping_address_id: address.id });

const parcel = { carrier: "local", service: "standard", package: { weight: 1 } };
const label = (order_id: string, fields: object = {}) =>
  app.post("/shipping/labels", { order_id, ...parcel, ...fields });

const warning = (field: string) => [{ field, code: "missing", message: expect.stringContaining("no label can be") }];

test("the customer and its orders are created with a warning, and the email address is no name", async () => {
  const customer = await named();
  expect(customer.shipping_addresses[0].name).toBeNull();
  expect(customer.warnings).toEqual(warning("shipping_addresses[0].name"));
  const order = await orderTo(customer);
  expect([order.shipping_address.name, order.customer.name]).toEqual([null, customer.email]);
  expect(order.warnings).toEqual(warning("shipping_address.name"));
  // The responses of GET have the warnings too, and can be sent back.
  expect(await app.read(`/orders/${order.id}`)).toEqual(order);
  const { order_history, order_count, ...same } = (await app.get(`/customers/${customer.id}`)).body;
  expect(same).toEqual(customer);
  expect((await app.patch(`/customers/${customer.id}`, same)).body).toEqual(customer);
  expect((await app.patch(`/orders/${order.id}`, order)).body.data).toEqual(order);
  // It is printed nowhere.
  const { email } = customer;
  for (const path of [`/orders/${order.id}/packing_slip?format=html`, `/orders/${order.id}/packing_slip?format=json`]) {
    const { status, body } = await app.get(path);
    expect([path, status, JSON.stringify(body).includes(email)]).toEqual([path, 200, false]);
  }
});

test("a label is refused on to_address.name, unless the request names the recipient", async () => {
  const order = await orderTo(await named());
  expect(refusalOf(await label(order.id))).toBe("422 validation_failed to_address.name");
  const bulk = { action: "buy_label", order_ids: [order.id], input: parcel };
  const [{ status, error }] = (await app.create("/orders/actions", bulk)).results;
  expect([status, error.code, error.details[0].field]).toEqual([422, "validation_failed", "to_address.name"]);
  const { address_line1: street1, postal_code: zip, ...same } = portland;
  const bought = await label(order.id, { to_address: { ...same, street1, zip, name: "Ann Lee" } });
  expect([bought.status, bought.body.data.to_address.name]).toEqual([201, "Ann Lee"]);
});

test("a label that was bought elsewhere is recorded, since its address is printed already", async () => {
  const order = await orderTo(await named());
  const elsewhere = { carrier: "ups", service: "Ground", tracking_number: "1Z999AA10123456784", cost: 0 };
  const { status, body } = await app.post("/shipping/labels/external", { order_id: order.id, ...parcel, ...elsewhere });
  expect([status, body.data.to_address.name]).toEqual([201, ""]);
  expect(await app.read(`/shipping/labels/${body.data.label_id}`)).toEqual(body.data);
  const manifest = await app.create("/shipping/manifests", { carrier: "ups" });
  expect((await app.get(`/shipping/manifests/${manifest.manifest_id}/document?format=html`)).status).toBe(200);
});

test("the corrected address of the customer is chosen again for the order", async () => {
  const customer = await named();
  const order = await orderTo(customer);
  const [address] = customer.shipping_addresses;
  const corrected = await app.patch(`/customers/${customer.id}`, { shipping_addresses: [{ ...address, name: "Ann" }] });
  expect([corrected.body.shipping_addresses[0].name, corrected.body.warnings]).toEqual(["Ann", undefined]);
  expect((await app.read(`/orders/${order.id}`)).shipping_address.name).toBeNull();
  const { data } = (await app.patch(`/orders/${order.id}`, { shipping_address_id: address.id })).body;
  expect([data.shipping_address.name, data.warnings]).toEqual(["Ann", undefined]);
  expect((await label(order.id)).body.data.to_address.name).toBe("Ann");
});

test("the company is the name: the customer's in the address, that of the address on the label only", async () => {
  const of_customer = await named({ company: "Harbour Kitchen" });
  expect(of_customer.shipping_addresses[0]).toMatchObject({ name: "Harbour Kitchen", company: null });
  const of_address = await named({}, { company: "Corner Deli" });
  expect(of_address.shipping_addresses[0]).toMatchObject({ name: null, company: "Corner Deli" });
  expect([of_customer.warnings, of_address.warnings]).toEqual([undefined, undefined]);
  for (const [customer, name] of [
    [of_customer, "Harbour Kitchen"],
    [of_address, "Corner Deli"],
  ] as const) {
    const order = await orderTo(customer);
    const bought = (await label(order.id)).body.data;
    expect([order.warnings, bought.to_address.name, bought.to_address.company]).toEqual([undefined, name, null]);
    const printed = (await app.get(`/shipping/labels/${bought.label_id}/document?format=zpl`)).body as string;
    expect(printed.split(`^FD${name}^FS`).length).toBe(2);
  }
});

test("rates need no name, and a quote holds for the label", async () => {
  const order = await orderTo(await named({}, { company: "Corner Deli" }));
  const quoted = await app.create("/shipping/rates", { order_id: order.id, weight: 1, weight_unit: "lb" });
  const [{ quote_id, carrier, service }] = quoted.rates;
  const bought = await label(order.id, { quote_id, carrier, service, package: { weight: 1, weight_unit: "lb" } });
  expect([bought.status, bought.body.error]).toEqual([201, undefined]);
});

test("a return label needs the sender's name", async () => {
  const order = await orderTo(await named());
  await shop.act(order.id, "ship", { carrier: "UPS" });
  expect((await shop.get(order.id)).warnings).toBeUndefined();
  const { id } = await app.create("/returns", { order_id: order.id, reason: "defective" });
  const refused = await app.post(`/returns/${id}/label`, parcel);
  expect([refused.status, fieldsOf(refused)]).toEqual([422, ["from_address.name"]]);
});

test("exported orders are imported again for the same customer and address", async () => {
  const customer = await named();
  const order = await orderTo(customer);
  const file = (await app.get(`/orders/export.csv?order_number=${order.order_number}`)).body as string;
  const copied = file.replaceAll(order.order_number, "COPY-1");
  const headers = { "content-type": "text/csv" };
  const { body } = await app.call("POST", "/orders/import", copied, { headers });
  expect(body.data).toMatchObject({ failed: 0, created: 1 });
  const [copy] = (await app.get("/orders?order_number=COPY-1")).body.data;
  expect([copy.shipping_address_id, copy.shipping_address.name]).toEqual([order.shipping_address_id, null]);
});
