import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { ShipmentEventView } from "../../../src/tracking/tracking.schema.ts";
import { start as now, openApp } from "../../build/service.ts";
import { outcomeOf, type ParcelShop, parcelShopOn } from "../../build/shop.ts";

const app = await openApp();
const shop: ParcelShop = await parcelShopOn(app);

const fieldsOf = ({ body }: { body: { error: { details: { field: string }[] } } }) =>
  body.error.details.map(({ field }) => field).sort();
const desk = { name: "Night desk", street1: "1 Dock Road", city: "Columbus", state: "OH", zip: "43215", country: "US" };

describe("works", () => {
  test("labels are sold to territories and military addresses", async () => {
    for (const [state, zip] of [
      ["PR", "00901"],
      ["AE", "09001-0001"],
      ["oh", "43215"],
    ]) {
      const to_address = { ...desk, state, zip };
      expect((await shop.label((await shop.order()).id, { to_address })).status).toBe(201);
    }
    await app.takeEvents();
  });

  test("a label is bought for an order, and its parcel is tracked", async () => {
    const order = await shop.order();
    const answer = await shop.label(order.order_number);
    expect(answer.status).toBe(201);
    const label = answer.body.data;
    // The runner's matchers replace what they matched, so they get a copy.
    expect({ ...label }).toMatchObject({
      label_id: expect.stringMatching(/^lbl_\d+$/),
      shipment_id: expect.stringMatching(/^shp_\d+$/),
      order_id: order.id,
      status: "completed",
      carrier: "local",
      service: "standard",
      tracking_number: expect.stringMatching(/^WH\d{12}[0-9A-Z]$/),
      tracking_url: expect.stringMatching(/^http:\/\/packhouse\.test\/t\/[0-9a-z]+-[0-9a-f]{32}$/),
      cost: 15.67,
      currency: "USD",
      package: { weight: 2.5, weight_unit: "lb", dimensions: null },
      to_address: { name: "Jordan Avery", street1: "450 Canyon Drive", zip: "90210" },
      sample: true,
      warnings: [{ field: "cost", code: "sample_rates" }],
      created_at: new Date(now).toISOString(),
      voided_at: null,
    });
    expect((await app.get(`/shipping/labels/${label.label_id}`)).body.data).toEqual(label);
    const [event, ...others] = await app.takeEvents();
    expect(others).toEqual([]);
    expect([...Value.Errors(ShipmentEventView, event?.data)]).toEqual([]);
    expect(event).toMatchObject({
      type: "shipment.created",
      data: {
        object: "shipment",
        id: label.shipment_id,
        order_id: order.id,
        order_number: order.order_number,
        status: "pending",
        tracking_number: label.tracking_number,
        items: [{ sku: "RICE-1KG", quantity: 2 }],
        label: { label_id: label.label_id, status: "completed", cost: 15.67, currency: "USD" },
        tracking: { status: "pending" },
      },
    });
    const shown = (await app.get(`/orders/${order.id}`)).body.data;
    expect(shown.shipments).toMatchObject([{ id: label.shipment_id, tracking_number: label.tracking_number }]);
    expect((await app.get(`/tracking/${label.tracking_number}`)).body.data).toMatchObject({ status: "pending" });
  });

  test("companies of both ends are above the street, on the label and the slip", async () => {
    const { id } = await shop.order(1, "Corner Deli");
    await app.patch("/inventory/locations/whs_1001", {
      address: { ...(await app.get("/inventory/locations")).body.data[0].address, company: "Cold Harbor Foods" },
    });
    const { data } = (await shop.label(id)).body;
    expect([data.from_address.company, data.to_address.company]).toEqual(["Cold Harbor Foods", "Corner Deli"]);
    const printed = (await app.get(`/shipping/labels/${data.label_id}/document?format=zpl`)).body.split("\n");
    const at = (text: string) => printed.findIndex((line: string) => line.includes(`^FD${text}^FS`));
    expect(at("Corner Deli")).toBe(at("450 Canyon Drive") - 1);
    expect(at("Cold Harbor Foods")).toBeGreaterThan(at("FROM"));
    const slip = (await app.get(`/orders/${id}/packing_slip?format=html`)).body;
    expect(slip).toContain("<bdi>Corner Deli</bdi><br><bdi>450 Canyon Drive</bdi>");
    expect((await app.get(`/orders/${id}`)).body.data.shipping_address.company).toBe("Corner Deli");
    await app.takeEvents();
  });

  test("other addresses and dimensions are printed and stored", async () => {
    const dimensions = { length: 30, width: 20, height: 10, unit: "cm" };
    const to_address = { ...desk, name: "Łódź 東京", state: null, zip: null, country: "DE", phone: "+49 30 1" };
    const fields = { from_address: desk, to_address, package: { weight: "1000", weight_unit: "g", dimensions } };
    const { data } = (await shop.label((await shop.order()).id, fields)).body;
    expect(data.from_address).toEqual({ ...desk, company: null, street2: null, phone: null });
    expect(data.to_address).toEqual({ ...to_address, company: null, street2: null });
    expect(data.package).toEqual({ weight: 1000, weight_unit: "g", dimensions, value: null, insurance: false });
    expect(data.warnings.map(({ code }: { code: string }) => code)).toEqual(["no_postal_barcode", "sample_rates"]);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("an order with an unprintable number is shown by its id", async () => {
    const { body } = await app.post("/orders", { ...shop.draft(), order_number: "བོད-1" });
    const { data } = (await shop.label(body.data.id)).body;
    expect(data.warnings).toMatchObject([
      { field: "order_number", code: "unprintable_text" },
      { field: "cost", code: "sample_rates" },
    ]);
    const printed = (await app.get(`/shipping/labels/${data.label_id}/document?format=zpl`)).body;
    expect(printed).toContain(`^FDOrder ${body.data.id.replace("_", "_5F")}^FS`);
    await app.takeEvents();
  });

  test("the document comes in three formats, by key or by a link without one", async () => {
    const { label_id, label_url, documents } = (await shop.label((await shop.order()).id)).body.data;
    const starts = { pdf: "%PDF-", png: "\ufffdPNG", zpl: "^XA" } as const;
    const kinds = { pdf: "application/pdf", png: "image/png", zpl: "application/zpl" } as const;
    expect(documents.map(({ format }: { format: string }) => format)).toEqual(["pdf", "png", "zpl"]);
    expect(label_url).toBe(documents[0].url);
    for (const { format, url } of documents as { format: keyof typeof kinds; url: string }[]) {
      const path = url.replace("http://packhouse.test/v1", "");
      const linked = await app.call("GET", path, undefined, { key: null });
      expect([linked.status, linked.headers.get("content-type")]).toEqual([200, kinds[format]]);
      expect(linked.body.startsWith(starts[format])).toBe(true);
      expect(linked.headers.get("content-disposition")).toBe(`inline; filename="${label_id}.${format}"`);
      expect((await app.get(`/shipping/labels/${label_id}/document?format=${format}`)).body).toBe(linked.body);
    }
    expect((await app.get(`/shipping/labels/${label_id}/document`)).body).toStartWith("%PDF-");
    await app.takeEvents();
  });

  test("an order is distributed among parcels", async () => {
    const order = await shop.order(3);
    expect((await shop.label(order.id, { items: [{ sku: "RICE-1KG", quantity: 1 }] })).status).toBe(201);
    const rest = await shop.label(order.id, { service: "express" });
    expect(rest.status).toBe(201);
    expect((await app.takeTypes()).length).toBe(2);
    const { shipments } = (await app.get(`/orders/${order.id}`)).body.data;
    expect(shipments.map(({ items }: { items: { quantity: number }[] }) => items[0]?.quantity)).toEqual([1, 2]);
    expect(outcomeOf(await shop.label(order.id, { service: "overnight" }))).toEqual([409, "invalid_state_transition"]);
  });

  test("an extra carton gets its own label on request", async () => {
    const order = await shop.order();
    const first = (await shop.label(order.id)).body.data;
    const second = (await shop.label(order.id, { additional: true })).body.data;
    const third = (await shop.label(order.id, {}, { "idempotency-key": "carton-3" })).body.data;
    expect(new Set([first, second, third].map((label) => label.tracking_number)).size).toBe(3);
    const { shipments } = (await app.get(`/orders/${order.id}`)).body.data;
    expect(shipments.map(({ items }: { items: unknown[] }) => items.length)).toEqual([1, 0, 0]);
    expect(await app.takeTypes()).toEqual(Array(3).fill("shipment.created"));
  });

  test("a parcel shows the number of parcels once that is known, and reprints show it on all", async () => {
    const parcelOf = async ({ label_id, shipment_id }: { label_id: string; shipment_id: string }, order_id: string) => {
      const printed = (await app.get(`/shipping/labels/${label_id}/document?format=zpl`)).body.split("\n");
      const at = printed.findIndex((line: string) => line.includes("^FDPARCEL^FS"));
      const said = /\^FD(.*)\^FS/.exec(printed[at + 1])?.[1];
      const slip = (await app.get(`/orders/${order_id}/packing_slip?format=html&shipment_id=${shipment_id}`)).body;
      expect(slip).toContain(`>${said}<`);
      return said;
    };
    const bought = async (order_id: string, fields: object) => (await shop.label(order_id, fields)).body.data;
    const saidOf = (labels: Parameters<typeof parcelOf>[0][], id: string) =>
      Promise.all(labels.map((label) => parcelOf(label, id)));

    const order = await shop.order(3);
    const one_unit = { items: [{ sku: "RICE-1KG", quantity: 1 }], additional: true };
    const labels = [];
    for (const expected of ["1", "2", "3"]) {
      labels.push(await bought(order.id, one_unit));
      expect((await saidOf(labels, order.id)).at(-1)).toBe(expected);
    }
    expect(await saidOf(labels, order.id)).toEqual(["1 of 3", "2 of 3", "3"]);
    await app.post(`/orders/${order.id}/pack`);
    expect(await saidOf(labels, order.id)).toEqual(["1 of 3", "2 of 3", "3 of 3"]);
    await app.post(`/shipping/labels/${labels[0].label_id}/void`);
    expect(await saidOf(labels.slice(1), order.id)).toEqual(["1", "2"]);
    labels.push(await bought(order.id, { ...one_unit, service: "express" }));
    expect(await saidOf(labels.slice(1), order.id)).toEqual(["1 of 3", "2 of 3", "3 of 3"]);

    const packed = await shop.order(2);
    await app.post(`/orders/${packed.id}/pack`);
    const cartons = [await bought(packed.id, {})];
    expect(await saidOf(cartons, packed.id)).toEqual(["1 of 1"]);
    for (const carton of [2, 3]) {
      cartons.push(await bought(packed.id, { additional: true }));
      expect((await saidOf(cartons, packed.id)).at(-1)).toBe(`${carton}`);
    }
    expect(await saidOf(cartons, packed.id)).toEqual(["1 of 3", "2 of 3", "3"]);
    for (let left = 0; left < 3; left++) await app.post(`/orders/${packed.id}/ship`);
    expect(await saidOf(cartons, packed.id)).toEqual(["1 of 3", "2 of 3", "3 of 3"]);
    await app.takeEvents();
  });

  test("after ten minutes, or once the first is voided, an equal label is accepted", async () => {
    const order = await shop.order();
    const { label_id } = (await shop.label(order.id)).body.data;
    const voided = await app.post(`/shipping/labels/${label_id}/void`);
    expect([voided.status, voided.body.data.status]).toEqual([200, "voided"]);
    expect(voided.body.data.voided_at).toBe(new Date(now).toISOString());
    expect((await app.post(`/shipping/labels/${label_id}/void`)).body.data.voided_at).toBe(voided.body.data.voided_at);
    const ended = await app.call("GET", voided.body.data.label_url.replace("http://packhouse.test/v1", ""), undefined, {
      key: null,
    });
    expect(outcomeOf(ended)).toEqual([404, "resource_missing"]);
    expect(ended.body.error.message).toBe("This label was voided. Buy another label.");
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
    expect((await shop.label(order.id)).status).toBe(201);
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("cancelling an order voids its labels first", async () => {
    const order = await shop.order();
    const { label_id } = (await shop.label(order.id)).body.data;
    await app.takeEvents();
    expect((await app.call("DELETE", `/orders/${order.id}`)).status).toBe(200);
    expect((await app.get(`/shipping/labels/${label_id}`)).body.data.status).toBe("voided");
    expect(await app.takeTypes()).toEqual(["order.cancelled", "inventory.updated"]);
  });

  test("a link with many concurrent requests is drawn once, and delays nobody else", async () => {
    const { documents } = (await shop.label((await shop.order()).id)).body.data;
    const path = documents[1].url.replace("http://packhouse.test/v1", "");
    const followed: { status: number; headers: Headers; body: string }[] = [];
    const median = async () => {
      const taken: number[] = [];
      for (let count = 0; count < 25; count++) {
        const before = performance.now();
        await shop.order();
        taken.push(performance.now() - before);
      }
      return taken.sort((a, b) => a - b)[12] ?? 0;
    };
    const first = (await app.call("GET", path, undefined, { key: null })).body;
    await median();
    const quiet = await median();
    let goes_on = true;
    const clients = Array.from({ length: 20 }, async () => {
      while (goes_on) {
        followed.push(await app.call("GET", path, undefined, { key: null }));
        await Bun.sleep(0);
      }
    });
    const busy = await median();
    goes_on = false;
    await Promise.all(clients);
    // Drawing for each client in this thread made an order take a hundred times as long.
    expect(busy / quiet).toBeLessThan(20);
    const [drawn, refused] = [200, 429].map((status) => followed.filter((one) => one.status === status));
    expect(drawn?.length).toBeLessThan(30);
    expect(new Set(drawn?.map(({ body }) => body))).toEqual(new Set([first]));
    expect(refused?.length).toBeGreaterThan(0);
    for (const { headers } of refused ?? []) expect(Number(headers.get("retry-after"))).toBeWithin(1, 31);
    expect((refused?.length ?? 0) + (drawn?.length ?? 0)).toBe(followed.length);
    app.clocks.live.advance(2000);
    expect((await app.call("GET", path, undefined, { key: null })).status).toBe(200);
    await app.takeEvents();
  });

  test("labels of a test key are marked", async () => {
    const sandbox = await parcelShopOn(app, "test");
    const { data } = (await sandbox.label((await sandbox.order()).id)).body;
    expect(data).toMatchObject({ carrier: "sim", tracking_number: expect.stringMatching(/^SIM\d{12}[0-9A-Z]$/) });
    const path = data.documents[2].url.replace("http://packhouse.test/v1", "");
    expect((await app.call("GET", path, undefined, { key: null })).body).toContain("^FDTEST^FS");
    expect(outcomeOf(await app.get(`/shipping/labels/${data.label_id}`))).toEqual([404, "resource_missing"]);
  });
});

describe("refuses", () => {
  test.each([
    ["an unknown carrier", { carrier: "ups" }, 422, "validation_failed"],
    ["the other mode's carrier", { carrier: "sim" }, 422, "validation_failed"],
    ["an unknown service", { service: "rocket" }, 422, "validation_failed"],
    ["too heavy a parcel", { package: { weight: 151 } }, 422, "validation_failed"],
    ["a parcel without weight", { package: {} }, 422, "validation_failed"],
    ["an address in no country", { to_address: { ...desk, country: "XX" } }, 422, "validation_failed"],
    ["an address in no state", { to_address: { ...desk, state: "Ohio" } }, 422, "validation_failed"],
    ["an address without a state", { from_address: { ...desk, state: null } }, 422, "validation_failed"],
    ["an address without a ZIP code", { to_address: { ...desk, zip: null } }, 422, "validation_failed"],
    ["an address without a street", { to_address: { ...desk, street1: "" } }, 422, "validation_failed"],
    ["an order that is not there", { order_id: "SO-NONE" }, 404, "resource_missing"],
    ["more units than are left", { items: [{ sku: "RICE-1KG", quantity: 3 }] }, 422, "validation_failed"],
    ["a line that is not there", { items: [{ sku: "SALT", quantity: 1 }] }, 404, "resource_missing"],
  ])("%s", async (_name, fields, status, code) => {
    const { id } = await shop.order();
    expect(outcomeOf(await shop.label(id, fields))).toEqual([status, code]);
    expect(await app.takeTypes()).toEqual([]);
    expect((await app.get(`/orders/${id}`)).body.data.shipments).toEqual([]);
  });

  test("letters without a font, and names them, wherever they are printed", async () => {
    const { id } = await shop.order();
    const street1 = "1 ལྷ་ས Road";
    const answer = await shop.label(id, { from_address: { ...desk, street1 }, to_address: { ...desk, name: "𒀀 & 𒀀" } });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ["from_address.street1", "to_address.name"]]);
    expect(answer.body.error.details[1]).toMatchObject({
      field: "to_address.name",
      code: "unprintable_text",
      message: "has characters that the installed fonts cannot print: 𒀀 (U+12000)",
    });
    expect(answer.body.error.details[0].message).toEndWith(": ལྷ (U+0F63 U+0FB7), ་ (U+0F0B), ས (U+0F66)");
    const { shipping_address_id, ...draft } = shop.draft();
    const address = { address_line1: "1 Road", city: "འབྲུག", postal_code: "11001", country: "BT" };
    const { body } = await app.post(`/customers/${draft.customer_id}/addresses`, address);
    const order = (await app.post("/orders", { ...draft, shipping_address_id: body.id })).body.data;
    const own = await shop.label(order.id);
    expect([own.status, fieldsOf(own)]).toEqual([422, ["to_address.city"]]);
    await app.takeTypes();
    for (const one of [id, order.id]) expect((await app.get(`/orders/${one}`)).body.data.shipments).toEqual([]);
    expect((await shop.label(id)).status).toBe(201);
    await app.takeEvents();
  });

  test("reports all bad fields at once", async () => {
    const { id } = await shop.order();
    const nowhere = await shop.label(id, { to_address: { ...desk, state: "ZZ", zip: "4321" } });
    expect(fieldsOf(nowhere)).toEqual(["to_address.state", "to_address.zip"]);
    await app.takeTypes();
    const answer = await app.post("/shipping/labels", { carrier: "local", package: { weight: -1 }, size: 1 });
    expect(fieldsOf(answer)).toEqual(["order_id", "package.weight", "size"]);
    const unnamed = { order_id: id, package: { weight: 1 } };
    expect(fieldsOf(await app.post("/shipping/labels", unnamed))).toEqual(["carrier"]);
    expect(fieldsOf(await app.post("/shipping/labels", { ...unnamed, carrier: "local" }))).toEqual(["service"]);
  });

  test("an equal label within ten minutes, also concurrently", async () => {
    const order = await shop.order();
    const answers = await Promise.all([shop.label(order.id), shop.label(order.id)]);
    const refused = answers.find(({ status }) => status === 409);
    const bought = answers.find(({ status }) => status === 201);
    expect(refused?.body.error).toMatchObject({ code: "duplicate_label", label_id: bought?.body.data.label_id });
    expect(await app.takeTypes()).toEqual(["shipment.created"]);
  });

  test("a label for an order on hold or a cancelled one", async () => {
    const held = await shop.order();
    await app.post(`/orders/${held.id}/hold`, { reason: "payment" });
    expect(outcomeOf(await shop.label(held.id))).toEqual([409, "invalid_state_transition"]);
    const gone = await shop.order();
    await app.call("DELETE", `/orders/${gone.id}`);
    await app.takeEvents();
    expect(outcomeOf(await shop.label(gone.id))).toEqual([409, "invalid_state_transition"]);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("to void a label whose parcel has shipped", async () => {
    const order = await shop.order();
    const { label_id } = (await shop.label(order.id)).body.data;
    await app.post(`/orders/${order.id}/ship`);
    await app.takeEvents();
    expect(outcomeOf(await app.post(`/shipping/labels/${label_id}/void`))).toEqual([409, "label_not_voidable"]);
    expect(await app.takeTypes()).toEqual([]);
  });

  test("an unknown format of a document", async () => {
    expect((await app.get("/shipping/labels/lbl_1/document?format=gif")).status).toBe(422);
  });

  test("changed links, and those older than a week", async () => {
    const { label_id, label_url } = (await shop.label((await shop.order()).id)).body.data;
    const path = label_url.replace("http://packhouse.test/v1", "");
    const follow = async (changed: string) => outcomeOf(await app.call("GET", changed, undefined, { key: null }));
    expect(await follow(path)).toEqual([200, undefined]);
    expect(await follow(path.replace("mode=live", "mode=test"))).toEqual([401, "invalid_signature"]);
    expect(await follow(path.replace(label_id, "lbl_1001"))).toEqual([401, "invalid_signature"]);
    expect(await follow(path.replace(/expires=\d+/, "expires=9999999999"))).toEqual([401, "invalid_signature"]);
    expect(await follow(`/labels/${label_id}`)).toEqual([422, "validation_failed"]);
    app.clocks.live.advance(7 * 86_400_000 + 1);
    expect(await follow(path)).toEqual([401, "invalid_signature"]);
    await app.takeEvents();
  });
});
