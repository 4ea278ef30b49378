import { expect, test } from "bun:test";
import { openApp } from "../../build/service.ts";
import { parcel, parcelShopOn } from "../../build/shop.ts";

test("a host other than this server is refused, and appears in no link", async () => {
  const app = await openApp();
  const shop = await parcelShopOn(app);
  const asked = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${shop.key}`, "content-type": "application/json" };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await app.app.handle(new Request(`http://evil.example:81/v1${path}`, sent))).text();
  };
  const { id } = await shop.order();
  const bought = await asked("POST", "/shipping/labels", { order_id: id, carrier: "local", ...parcel });
  const label = JSON.parse(bought).data;
  expect(label.label_url).toStartWith("/v1/labels/lbl_");
  expect(label.tracking_url).toStartWith("/t/");
  const told = [bought, await asked("GET", `/shipping/labels/${label.label_id}`), await asked("GET", "/orders/ord_1")];
  told.push(JSON.stringify(await app.takeEvents()), JSON.stringify((await app.get(`/orders/${id}`)).body));
  told.push((await app.get(`/shipping/labels/${label.label_id}/document?format=zpl`)).body);
  expect(told.filter((text) => text.includes("evil.example"))).toEqual([]);
  expect(told.at(-1)).not.toContain("^BQN");
});
