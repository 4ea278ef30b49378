// Labels that were bought elsewhere: recorded, printed, tracked, billed, voided and shipped like others.
import { describe, expect, test } from "bun:test";
import { overrideCarriers } from "../../../src/shipping/carriers/connectors.ts";
import { buyerOf } from "../../build/buyer.ts";
import { openApp } from "../../build/service.ts";
import { fieldsOf, outcomeOf, parcel, parcelShopOn } from "../../build/shop.ts";
import { pngOf } from "../../files/images.ts";
import { signedInAs } from "../../identity/people.ts";
import { addTeller, scanOf, tellingCarrier, told } from "../../tracking/carrier.ts";
import { openPrintShop, pdfLabel, readPages, zplLabel } from "../printing/print_shop.ts";

const app = await openApp();
const shop = await openPrintShop(app);
let sold = 0;
const nextNumber = () => `1Z999AA1${String(10_000_000 + ++sold)}`;

async function upload(bytes: Uint8Array, { kind = "label", key = app.keys.live.full } = {}) {
  const headers = { "content-type": "application/octet-stream" };
  return app.call("POST", `/files?kind=${kind}`, bytes, { key, headers });
}
const filed = async (bytes: Uint8Array): Promise<string> => (await upload(bytes)).body.data.id;

const label = { carrier: "ups", service: "Ground", cost: "8.40", package: parcel.package };
const record = (order_id: string, fields: object = {}, query = "", headers: Record<string, string> = {}) =>
  app.call(
    "POST",
    `/shipping/labels/external${query}`,
    { order_id, tracking_number: nextNumber(), ...label, ...fields },
    { headers },
  );
const recorded = async (order_id: string, fields: object = {}) => {
  const { status, body } = await record(order_id, fields);
  expect(status).toBe(201);
  return body.data;
};

describe("a label that was bought elsewhere", () => {
  test("opens a parcel, is billed at its cost, and keeps its file when the upload is gone", async () => {
    const { id } = await shop.order();
    const pdf = (await pdfLabel("ELSEWHERE")).bytes;
    const file_id = await filed(pdf);
    const made = await recorded(id, { tracking_number: "1z 999 aa1 0123456784", file_id, currency: "JPY", cost: 840 });
    expect({ ...made }).toMatchObject({
      external: true,
      account_id: null,
      status: "completed",
      carrier: "ups",
      tracking_number: "1Z999AA10123456784",
      tracking_url: "https://www.ups.com/track?tracknum=1Z999AA10123456784",
      ...{ cost: 840, carrier_cost: 840, currency: "JPY", breakdown: null, void_status: null },
      documents: [{ kind: "label", format: "pdf" }],
      warnings: [],
    });
    const [created, ...others] = await app.takeEvents();
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      type: "shipment.created",
      data: { id: made.shipment_id, tracking_number: "1Z999AA10123456784", label: { cost: 840, currency: "JPY" } },
    });
    const facts = (await app.get(`/billing/events?kind=label&limit=1`)).body.data;
    expect(facts).toMatchObject([
      { act: "label.buy", attributes: { order_id: id, external: true, account_id: null, cost: 840, currency: "JPY" } },
    ]);
    expect((await app.get(`/tracking/${made.tracking_number}`)).body.data.status).toBe("pending");
    app.clocks.live.advance(2 * 86_400_000);
    await app.runJobs();
    expect((await app.get(`/files/${file_id}`)).status).toBe(404);
    const [{ url }] = (await app.get(`/shipping/labels/${made.label_id}`)).body.data.documents;
    expect(await shop.file(url)).toEqual(new Uint8Array(pdf));
    expect((await shop.print({ label_ids: [made.label_id], include: ["label"] })).pages).toBe(1);
    await app.takeEvents();
  });

  test("is printed in a batch next to others, in the formats of its file", async () => {
    const [pdf, png] = [await shop.order(), await shop.order()];
    const [zpl, none] = [await shop.order(), await shop.order()];
    await recorded(pdf.id, { file_id: await filed((await pdfLabel("PRINTED")).bytes) });
    await recorded(png.id, { file_id: await filed(pngOf(400, 600, 0x33)) });
    const zebra = await recorded(zpl.id, { file_id: await filed((await zplLabel("ZEBRA1")).bytes) });
    const bare = await recorded(none.id);
    const own = await shop.labeled("local");
    const unprinted = async () =>
      (await app.get("/orders?labeled=true&printed=false")).body.data.map(({ id }: { id: string }) => id);
    expect((await unprinted()).toSorted()).toEqual([pdf.id, png.id, zpl.id, own.id].toSorted());
    const order_ids = [pdf.id, own.id, png.id, zpl.id, none.id];
    const sheet = await shop.print({ order_ids, include: ["label"] });
    const skipped = sheet.skipped.map((row: { label_id: string; code: string; message: string }) => [
      row.label_id,
      row.code,
      row.message,
    ]);
    expect(skipped).toEqual([
      [zebra.label_id, "no_document", `${zebra.label_id} of ups has no PDF or PNG file, only: zpl.`],
      [bare.label_id, "no_document", `${bare.label_id} of ups has no file.`],
    ]);
    const pages = await readPages(await shop.file(sheet.url));
    expect(pages.map(({ text }) => text.includes("PRINTED"))).toEqual([true, false, false]);
    expect(await unprinted()).toEqual([zpl.id]);
    const stream = await shop.print({ order_ids: [zpl.id, own.id], include: ["label"], format: "zpl" });
    expect(new TextDecoder().decode(await shop.file(stream.url)).match(/\^XA/g)).toHaveLength(2);
    expect(await unprinted()).toEqual([]);
    expect((await app.get(`/shipping/labels/${zebra.label_id}`)).body.data.print_count).toBe(1);
    expect((await app.get(`/shipping/labels/${bare.label_id}/document`)).status).toBe(404);
    await app.takeEvents();
  });

  test("is on its carrier's manifest, and ships with it", async () => {
    const { id } = await shop.order();
    const made = await recorded(id, { carrier: "bob courier" });
    const manifest = await app.create("/shipping/manifests", { carrier: "bob courier" });
    expect(manifest.labels ?? manifest.parcels).toMatchObject([{ label_id: made.label_id }]);
    await app.create(`/orders/${id}/ship`, {}, { status: 200 } as never);
    expect((await app.get(`/orders/${id}`)).body.data.status).toBe("shipped");
    expect(outcomeOf(await app.post(`/shipping/labels/${made.label_id}/void`, {}))).toEqual([
      409,
      "label_not_voidable",
    ]);
    await app.takeEvents();
  });

  test("is voided without its carrier, and says where the refund is", async () => {
    const { id } = await shop.order();
    const tracking_number = nextNumber();
    const made = await recorded(id, { tracking_number });
    const again = await record(id, { tracking_number });
    expect(outcomeOf(again)).toEqual([409, "duplicate_label"]);
    expect(again.body.error.label_id).toBe(made.label_id);
    const { status, body } = await app.post(`/shipping/labels/${made.label_id}/void`, {});
    expect([status, body.data.status, body.data.void_status]).toEqual([200, "voided", null]);
    expect(body.data.warnings).toMatchObject([{ code: "refund_elsewhere" }]);
    const acts = (await app.get("/billing/events?limit=100")).body.data.filter(
      ({ source }: { source: { id: string } }) => source.id === made.label_id,
    );
    expect(acts.map(({ act }: { act: string }) => act).toSorted()).toEqual(["label.buy", "label.void"]);
    expect((await recorded(id, { tracking_number })).label_id).not.toBe(made.label_id);
    expect((await app.call("DELETE", `/orders/${id}`)).status).toBe(200);
    const labels = (await app.get(`/shipping/labels?order_id=${id}`)).body.data;
    expect(labels.map((one: { status: string }) => one.status)).toEqual(["voided", "voided"]);
    await app.takeEvents();
  });

  test("is weighed by its products without a package, and unpacked once it is void", async () => {
    const { id } = await shop.order(2);
    const refused = await record(id, { package: undefined });
    expect([refused.status, ...fieldsOf(refused)]).toEqual([422, "package.weight"]);
    await app.patch(`/products/${shop.product_id}`, { weight: 1, weight_unit: "kg" });
    const made = await recorded(id, { package: undefined });
    expect(made.package).toMatchObject({ weight: 2, weight_unit: "kg", dimensions: null, value: null });
    await app.post(`/orders/${id}/pick`, {});
    await app.post(`/orders/${id}/pack`, {});
    const unpack = () => app.post(`/orders/${id}/unpack`, { reason: "wrong_item" });
    expect(outcomeOf(await unpack())).toEqual([409, "labels_not_voided"]);
    await app.post(`/shipping/labels/${made.label_id}/void`, {});
    expect((await unpack()).status).toBe(200);
    await app.takeEvents();
  });
});

describe("its parcel is tracked", () => {
  test("by the account that sells the carrier's labels, or by scans", async () => {
    const carrier = tellingCarrier();
    const other = await openApp();
    overrideCarriers(other.service, { teller: carrier.connector });
    const parcels = await parcelShopOn(other);
    await addTeller(other);
    const send = (order_id: string, fields: object) =>
      other.must("POST", "/shipping/labels/external", { order_id, ...label, ...fields });
    const [{ id }, biked] = [await parcels.order(), await parcels.order()];
    const tracking_number = nextNumber();
    const scans = [scanOf("in_transit", other.clocks.live.now())];
    carrier.answer = async () => [told(tracking_number, scans)];
    const made = await send(id, { carrier: "SWIFT", tracking_number });
    expect([made.carrier, made.account_id]).toEqual(["swift", null]);
    await other.runJobs();
    expect(carrier.asked).toEqual([{ what: "follow", numbers: [tracking_number] }]);
    expect((await other.read(`/orders/${id}`)).status).toBe("shipped");
    const courier = await send(biked.id, { carrier: "Bob's bikes", tracking_number: "BOB-1" });
    expect(courier.tracking_url).toStartWith("http://packhouse.test/t/");
    await other.must("POST", "/tracking/BOB1/events", { status: "delivered" });
    expect((await other.read(`/orders/${biked.id}`)).status).toBe("delivered");
    const early = { carrier: "swift", tracking_number: nextNumber() };
    await other.must("POST", "/tracking", early);
    carrier.answer = async () => [told(early.tracking_number, [])];
    await other.runJobs();
    await send((await parcels.order()).id, early);
    expect((await other.read(`/tracking/${early.tracking_number}`)).next_poll_at).not.toBeNull();
  });

  test("with the scans from before its label was recorded", async () => {
    const { id } = await shop.order();
    const tracking_number = nextNumber();
    await app.must("POST", "/tracking", { tracking_number, carrier: "ups" });
    await app.must("POST", `/tracking/${tracking_number}/events`, { status: "picked_up" });
    await app.takeEvents();
    await recorded(id, { tracking_number });
    expect((await app.takeTypes()).filter((type) => !type.startsWith("inventory."))).toEqual([
      "order.fulfilled",
      "order.shipped",
      "shipment.created",
    ]);
    expect((await app.read(`/tracking/${tracking_number}`)).events).toHaveLength(1);
    expect(await app.read(`/orders/${id}`)).toMatchObject({ status: "shipped", shipments: [{ tracking_number }] });
  });
});

describe("refuses", () => {
  test("what is no label, is incomplete, or is too large", async () => {
    const zpl = (await zplLabel("BROKEN1")).bytes;
    const pdf = (await pdfLabel("BROKEN2")).bytes;
    const uploads: [string, Uint8Array, number, string][] = [
      ["empty", new Uint8Array(), 422, "validation_failed"],
      ["text", Buffer.from("Not a label"), 415, "unsupported_media_type"],
      ["HTML", Buffer.from("<html><script>1</script>"), 415, "unsupported_media_type"],
      ["cut ZPL", zpl.subarray(0, zpl.length - 9), 422, "validation_failed"],
      ["cut PDF", pdf.subarray(0, 40), 422, "validation_failed"],
      ["cut PNG", pngOf(40, 40).subarray(0, 60), 422, "validation_failed"],
      ["wide PNG", pngOf(4, 4, 1, [5000, 4]), 422, "validation_failed"],
      ["large PDF", Buffer.concat([pdf, Buffer.alloc(5 << 20)]), 413, "payload_too_large"],
      ["a huge body", Buffer.alloc(6 << 20), 413, "payload_too_large"],
    ];
    for (const [what, bytes, ...outcome] of uploads) {
      expect([what, ...outcomeOf(await upload(new Uint8Array(bytes)))]).toEqual([what, ...outcome]);
    }
    const padded = Buffer.concat([pdf, Buffer.alloc((5 << 20) - pdf.length, "\n")]);
    expect((await upload(new Uint8Array(padded))).body.data).toMatchObject({
      ...{ kind: "label", content_type: "application/pdf", size_bytes: 5 << 20, width: null, in_use: false },
    });
  });

  test("wrong fields, and files that are no labels", async () => {
    const { id } = await shop.order();
    const logo = (await upload(pngOf(20, 20), { kind: "logo" })).body.data.id;
    const wrong: [object, number, string, string?][] = [
      [{ file_id: logo }, 422, "validation_failed", "file_id"],
      [{ file_id: "fil_999" }, 404, "resource_missing"],
      [{ carrier: "local" }, 422, "validation_failed", "carrier"],
      [{ carrier: " ups" }, 422, "validation_failed", "carrier"],
      [{ tracking_number: "- -" }, 422, "validation_failed", "tracking_number"],
      [{ tracking_number: "WH000000000001Q" }, 422, "validation_failed", "tracking_number"],
      [{ cost: "8.405" }, 422, "validation_failed", "cost"],
      [{ cost: "8.40", currency: "JPY" }, 422, "validation_failed", "cost"],
      [{ cost: undefined }, 422, "validation_failed", "cost"],
      [{ cost: -1 }, 422, "validation_failed", "cost"],
      [{ items: [{ sku: "RICE-1KG", quantity: 3 }] }, 422, "validation_failed", "items[0].quantity"],
      [{ order_id: "ord_999" }, 404, "resource_missing", "order_id"],
    ];
    for (const [fields, ...outcome] of wrong) {
      const answer = await record(id, fields);
      expect([fields, ...outcomeOf(answer), ...fieldsOf(answer)]).toEqual([fields, ...outcome]);
    }
    expect(outcomeOf(await record(id, {}, "", { "if-match": '"1"' }))).toEqual([400, "malformed_header"]);
    await app.post(`/orders/${id}/hold`, {});
    expect(outcomeOf(await record(id))).toEqual([409, "invalid_state_transition"]);
    expect((await app.takeTypes()).filter((type) => type.startsWith("shipment."))).toEqual([]);
  });

  test("a number of the same carrier on another parcel, however it is written, until carriers reuse it", async () => {
    const [first, second] = [await shop.order(), await shop.order()];
    const tracking_number = nextNumber();
    const named = { carrier: "dhl_express", tracking_number };
    const outcomes = await Promise.all([first, second].map(({ id }) => record(id, named)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const { id } = await shop.order();
    const spaced = `${tracking_number.slice(0, 4)} ${tracking_number.slice(4).toLowerCase()}`;
    const same = { carrier: "DHL Express", tracking_number: spaced };
    expect(outcomeOf(await record(id, same))).toEqual([409, "duplicate_label"]);
    expect((await record(id, { ...same, carrier: "usps" })).status).toBe(201);
    const byHand = await shop.order();
    const typed = nextNumber();
    await app.post(`/orders/${byHand.id}/ship`, { carrier: "ups", tracking_number: typed });
    const other = await shop.order();
    expect(outcomeOf(await record(other.id, { tracking_number: typed }))).toEqual([409, "duplicate_label"]);
    app.clocks.live.advance(91 * 86_400_000);
    expect((await record(other.id, { tracking_number: typed })).status).toBe(201);
    await app.takeEvents();
  });
});

test("an erasure removes its file, and what it shows of the buyer", async () => {
  const { id, customer_id } = await shop.other();
  const made = await recorded(id, { file_id: await filed((await pdfLabel("ERASED")).bytes) });
  await app.must("POST", `/orders/${id}/ship`, {});
  await app.must("POST", `/orders/${id}/deliver`, {});
  await app.must("POST", `/customers/${customer_id}/erasure`, {});
  await app.runJobs();
  const zpl = (await app.get(`/shipping/labels/${made.label_id}/document?format=zpl`)).body;
  expect(zpl).toContain("was erased.");
  expect((await app.read(`/shipping/labels/${made.label_id}`)).documents).toEqual([]);
});

describe("a request", () => {
  test("is rehearsed, and has one effect however often it is sent", async () => {
    const { id } = await shop.order();
    const file_id = await filed((await pdfLabel("ONCE")).bytes);
    const fields = { file_id, tracking_number: nextNumber() };
    const { status, body } = await record(id, fields, "?dry_run=true");
    expect([status, body.meta.dry_run, body.meta.events]).toMatchObject([
      200,
      true,
      [{ type: "shipment.created", object: "shipment", id: null }],
    ]);
    expect(body.data).toMatchObject({ label_id: null, shipment_id: null, documents: [], label_url: null, cost: 8.4 });
    expect((await app.read(`/shipping/labels?order_id=${id}`)).length).toBe(0);
    const once = { "idempotency-key": `external-${id}` };
    const made = await record(id, fields, "", once);
    await app.must("DELETE", `/files/${file_id}`);
    expect(await record(id, fields, "", once)).toMatchObject({ status: 201, body: made.body });
    expect(outcomeOf(await record(id, { ...fields, cost: 1 }, "", once))).toEqual([422, "idempotency_key_reused"]);
    expect(outcomeOf(await record(id, { file_id, additional: true }))).toEqual([404, "resource_missing"]);
    expect((await record(id, { additional: true })).body.data.status).toBe("completed");
    expect(outcomeOf(await record(id))).toEqual([409, "invalid_state_transition"]);
    await app.takeEvents();
  });

  test("needs the permission to buy labels, also to upload one, and stays within its merchant", async () => {
    const pdf = (await pdfLabel("MINE")).bytes;
    const floor = await signedInAs(app.service, "floor", "Flo");
    const send = async (path: string, body: object | Uint8Array, headers: Record<string, string> = {}) =>
      app.call("POST", path, body, { key: null, headers: { ...floor.headers, ...headers } });
    const octets = { "content-type": "application/octet-stream" };
    expect((await send("/files?kind=label", pdf, octets)).status).toBe(201);
    expect(outcomeOf(await send("/files?kind=logo", pngOf(9, 9), octets))).toEqual([403, "insufficient_permission"]);
    const { id } = await shop.order();
    const fields = { order_id: id, tracking_number: nextNumber(), ...label };
    expect((await send("/shipping/labels/external", fields)).status).toBe(201);
    const own = await filed(pdf);
    const order = await shop.order();
    for (const [code, may_buy_labels] of [
      ["ACME", false],
      ["BOLT", true],
    ] as const) {
      await app.must("POST", "/merchants", { code, name: code, may_buy_labels });
      const { key } = await app.must("POST", "/keys", { name: code, permission: "full", merchant_id: code });
      const theirs = (await upload(pdf, { key })).body.data.id;
      expect(theirs).not.toBe(own);
      const theirRequest = { ...fields, order_id: order.id, file_id: own, tracking_number: nextNumber() };
      const asked = await app.call("POST", "/shipping/labels/external", theirRequest, { key });
      const refused = may_buy_labels ? [404, "resource_missing"] : [403, "not_for_merchants"];
      expect([code, ...outcomeOf(asked)]).toEqual([code, ...refused]);
      const mixed = await record(order.id, { file_id: theirs });
      expect([...outcomeOf(mixed), ...fieldsOf(mixed)]).toEqual([422, "validation_failed", "file_id"]);
      if (!may_buy_labels) continue;
      const buyer = await buyerOf(app.must, { email: "jane@example.com", merchant_id: code });
      await app.must("POST", "/products", { sku: "BOLT-TEA", name: "Tea", merchant_id: code });
      await app.must("POST", "/inventory", { sku: "BOLT-TEA", quantity: 5, location: "whs_1001", bin: "A-09" });
      const mine = { ...theirRequest, order_id: (await buyer.order("N-1", [["BOLT-TEA", 1]])).id, file_id: theirs };
      const { status, body } = await app.call("POST", "/shipping/labels/external", mine, { key });
      expect([status, body.data.cost, body.data.carrier_cost]).toEqual([201, 8.4, null]);
    }
    await app.takeEvents();
  });
});
