// A customer orders; the order is packed, shipped, delivered, and partly returned.
import type { Teller } from "./record_example.ts";

/** The customer of an order, and the fields of an order line. */
export interface Buyer {
  readonly customer_id: string;
  readonly shipping_address_id: string;
}

export async function customers({ tell, act }: Teller): Promise<Buyer> {
  const address = {
    name: "Ada Lovelace",
    address_line1: "12 Analytical Way",
    city: "Portland",
    state: "OR",
    postal_code: "97201",
    country: "US",
  };
  const ada = await tell("createCustomer", {
    body: {
      email: "ada@example.com",
      first_name: "Ada",
      last_name: "Lovelace",
      shipping_addresses: [{ ...address, is_default: true }],
      metadata: { tier: "gold" },
    },
  });
  const path = { id: ada.id };
  await tell("updateCustomer", { path, body: { phone: "+1 503 555 0100" } });
  const second = await tell("createAddress", { path, body: { ...address, address_line1: "14 Analytical Way" } });
  const places = { id: ada.id, address_id: second.id };
  await tell("updateAddress", { path: places, body: { address_line2: "Back door" } });
  const { name: _, ...doubtful } = { ...address, city: "Salem" };
  await tell("verifyAddresses", { body: { address: doubtful } });
  await act("updateAddress", { path: places, body: { city: "Salem" } });
  await tell("acceptAddressSuggestion", { path: places, body: {} });
  await tell("deleteAddress", { path: places });
  await tell("listCustomers", { query: { email: "ada@example.com" } });
  await tell("importCustomers", {
    body:
      "email,first_name,last_name,address_line1,city,state,postal_code,country\r\n" +
      "grace@example.com,Grace,Hopper,12 Elm St,Portland,OR,97201,US\r\n",
  });
  await tell("exportCustomers");
  await act("getCustomer", { path });
  return { customer_id: ada.id, shipping_address_id: ada.shipping_addresses[0].id };
}

const tea = (quantity: number) => ({ sku: "TEA-100", quantity, unit_price: "6.00" });

/** Stock is reserved before the order exists. */
export async function reservations({ tell, act }: Teller): Promise<void> {
  const body = { order_id: "SO-2000", items: [{ sku: "TEA-100", quantity: 3 }] };
  const path = { id: (await tell("reserveInventory", { body })).data.reservation_id };
  await tell("extendReservation", { path, body: { expires_at: "2026-01-04T00:00:00Z" } });
  await tell("getReservation", { path });
  await tell("listReservations", { query: { status: "reserved" } });
  await tell("releaseInventory", { body: { reservation_id: path.id } });
  await act("listReservations");
}

/** Orders that are changed, held, cancelled, imported. */
export async function changes({ tell, act }: Teller, buyer: Buyer): Promise<void> {
  const created = await tell("createOrder", {
    body: {
      order_number: "SO-1001",
      ...buyer,
      line_items: [{ sku: "TEA-100", quantity: 3, unit_price: "6.00" }],
      shipping_method: "standard",
      shipping_amount: "8.50",
    },
  });
  const path = { id: created.data.id };
  await tell("updateOrder", { path, body: { order_notes: "Ring twice.", priority: 5 } });
  await tell("tagOrder", { path, body: { tags: ["vip", "gift wrap"] } });
  await tell("untagOrder", { path, body: { tags: ["vip"] } });
  await tell("listOrderTags");
  const note = await tell("addOrderNote", {
    path,
    body: { text: "Called: the buyer is away until Monday.", shared: true },
  });
  await tell("listOrderNotes", { path });
  await tell("deleteOrderNote", { path: { ...path, note_id: note.data.id } });
  await tell("getOrderPlan", { path });
  await tell("allocateOrder", { path, query: { dry_run: "true" }, body: {} });
  await act("allocateOrder", { path, body: {} });
  await tell("holdOrder", {
    path,
    body: { reason: "address", note: "Which door?", hold_until: "2036-01-05T09:00:00Z" },
  });
  await tell("releaseOrder", { path, body: {} });
  await tell("listOrders", { query: { status: "pending", customer_id: buyer.customer_id } });
  await tell("listOrderTransitions");
  await tell("actOnOrders", {
    query: { dry_run: "true" },
    body: { action: "hold", order_ids: [path.id], input: { reason: "payment" } },
  });
  await act("actOnOrders", { body: { action: "hold", order_ids: [path.id], input: { reason: "payment" } } });
  await tell("listExceptions", { query: { kind: "hold" } });
  await tell("countExceptions");
  await act("releaseOrder", { path, body: {} });
  await tell("countOrders");
  await tell("searchAll", { query: { q: "SO-100" } });
  await tell("createOrders", {
    body: {
      orders: [
        { order_number: "SO-1002", ...buyer, line_items: [tea(2)] },
        { order_number: "SO-1001", ...buyer, line_items: [tea(1)] },
      ],
    },
  });
  const columns =
    "order_number,customer_email,ship_to,address_line1,city,state,postal_code,country,sku,quantity,unit_price";
  const row = "SO-1003,grace@example.com,Grace Hopper,1 Compiler Ct,Arlington,VA,22201,US,TEA-100,1,6.00";
  await tell("importOrders", { body: `${columns}\r\n${row}\r\n` });
  await tell("exportOrders", { query: { status: "pending" } });
  const [other] = (await act("listOrders", { query: { order_number: "SO-1002" } })).data;
  const items = [{ sku: "TEA-100", quantity: 1 }];
  await tell("splitOrder", { path: { id: other.id }, body: { items: [{ sku: "TEA-100", quantity: 1 }] } });
  await tell("cancelOrderItems", { path: { id: other.id }, body: { items, reason: "customer" } });
  await tell("cancelOrder", { path: { id: other.id }, query: { reason: "customer", note: "Ordered twice." } });
  await putBack({ tell, act }, buyer);
  await corrected({ tell, act }, buyer);
}

/** An order with the wrong state in its address. */
async function corrected({ tell, act }: Pick<Teller, "tell" | "act">, { customer_id }: Buyer): Promise<void> {
  const address = {
    address_line1: "16 Analytical Way",
    city: "Portland",
    state: "ME",
    postal_code: "97201",
    country: "US",
  };
  const { id } = await act("createAddress", { path: { id: customer_id }, body: address });
  const body = { order_number: "SO-1020", customer_id, shipping_address_id: id, line_items: [tea(1)] };
  const { data } = await act("createOrder", { body });
  await tell("acceptOrderSuggestion", { path: { id: data.id }, body: {} });
  await act("cancelOrder", { path: { id: data.id } });
}

async function putBack({ tell, act }: Pick<Teller, "tell" | "act">, buyer: Buyer): Promise<void> {
  const { data } = await act("createOrder", { body: { order_number: "SO-1004", ...buyer, line_items: [tea(1)] } });
  const path = { id: data.id };
  await act("processOrder", { path, body: {} });
  await act("pickOrder", { path, body: {} });
  await act("cancelOrder", { path });
  await tell("listPutBacks", { query: { sku: "TEA-100" } });
  await tell("putBack", { body: { order_id: data.id, sku: "TEA-100", quantity: 1, bin: "B-02-01" } });
}

/** Takes back the pick of an order, then the packing of a parcel and of everything. The order is picked afterwards. */
async function undone({ tell, act }: Pick<Teller, "tell" | "act">, path: { readonly id: string }): Promise<void> {
  const items = [{ sku: "TEA-100", quantity: 1 }];
  await tell("unpickOrder", { path, body: { items, reason: "wrong_quantity", note: "Counted 4." } });
  await act("pickOrder", { path, body: {} });
  const { data } = await act("packOrder", { path, body: { packages: [{ items }] } });
  const shipment_id = data.shipments[0].id;
  await tell("reopenOrderShipment", { path: { ...path, shipment_id }, body: { reason: "damaged" } });
  await act("packOrder", { path, body: {} });
  await tell("unpackOrder", { path, body: { reason: "mistake" } });
}

/** The label and the packing slip of an order as one PDF. */
async function printed({ tell }: Pick<Teller, "tell">, order_id: string): Promise<void> {
  const body = { order_ids: [order_id], include: ["label", "packing_slip"], slips: "beside_labels" };
  const { data } = await tell("createDocument", { body });
  const document = { path: { id: data.id } };
  await tell("listDocuments");
  await tell("getDocument", document);
  const link = new URL(data.url, "http://packhouse.test");
  await tell("followDocumentLink", { ...document, query: Object.fromEntries(link.searchParams), key: null });
}

/** One order from start to end. */
export async function fulfillment({ app, tell, act }: Teller, buyer: Buyer): Promise<void> {
  const [order] = (await act("listOrders", { query: { order_number: "SO-1001" } })).data;
  const path = { id: order.id };
  await tell("processOrder", { path, body: {} });
  await tell("getPickList", { path, query: { format: "json" } });
  await tell("getWavePickList", { query: { order_ids: order.id, format: "json" } });
  await tell("pickOrder", { path, body: { items: [{ sku: "TEA-100", quantity: 3, bin: "B-02-01" }] } });
  await tell("packOrder", { path, body: {} });
  await tell("getPackingSlip", { path, query: { format: "json", prices: "true" } });
  const parcel = { weight: 5.1, weight_unit: "lb", dimensions: { length: 10, width: 8, height: 6, unit: "in" } };
  await tell("getRates", { body: { from_zip: "04101", to_zip: "97201", ...parcel } });
  const [carrier] = (await tell("listCarriers")).data.carriers;
  const bought = await tell("createLabel", {
    body: { order_id: order.id, carrier: carrier.code, service: "standard", package: parcel },
  });
  const label = { path: { id: bought.data.label_id } };
  await tell("getLabel", label);
  await tell("getLabelDocument", { ...label, query: { format: "zpl" } });
  const link = new URL(bought.data.label_url, "http://packhouse.test");
  await tell("followLabelLink", { ...label, query: Object.fromEntries(link.searchParams) });
  const made = await tell("createManifest", { body: { carrier: carrier.code } });
  const manifest = { path: { id: made.data.manifest_id } };
  await printed({ tell }, order.id);
  await tell("listManifests", { query: { carrier: carrier.code } });
  await tell("getManifest", manifest);
  await tell("getManifestDocument", { ...manifest, query: { format: "html" } });
  await tell("shipManifest", { ...manifest, query: { dry_run: "true" } });
  await tell("listLabels", { query: { order_id: order.id } });
  await tell("exportLabels", { query: { order_id: order.id } });
  await tell("getLabelCosts", { query: { carrier: carrier.code } });
  await tell("exportLabelCosts", { query: { carrier: carrier.code } });
  await tell("getTrackingPage", { path: { token: bought.data.tracking_url.split("/").at(-1) }, key: null });
  const scanned = { path: { tracking_number: bought.data.tracking_number } };
  const location = { city: "Portland", state: "ME", country: "US" };
  await tell("recordScan", { ...scanned, body: { status: "picked_up", message: "Taken over.", location } });
  await act("recordScan", { ...scanned, body: { status: "delivered", signed_by: "A. Lovelace" } });
  await tell("track", scanned);
  await tell("listShipments", { query: { order_id: order.id } });
  await tell("exportShipments", { query: { order_id: order.id } });
  await tell("getShipment", { path: { id: bought.data.shipment_id } });
  await tell("trackMany", { body: { tracking_numbers: [bought.data.tracking_number, "WH0"] } });
  await tell("getOrder", { path });
  await tell("listOrderHistory", { path, query: { limit: "5" } });
  await tell("getCustomer", { path: { id: buyer.customer_id } });
  const line_items = [{ sku: "MILK-1L", quantity: 2, unit_price: "2.50" }];
  const milk = await act("createOrder", { body: { order_number: "SO-1004M", ...buyer, line_items } });
  await act("shipOrder", { path: { id: milk.data.id }, body: {} });
  const [lot] = (await act("listLots", { query: { sku: "MILK-1L" } })).data;
  await tell("traceLot", { path: { id: lot.id } });
  await tell("exportLotTrace", { path: { id: lot.id } });
  await byHand({ app, tell, act }, buyer);
}

/** A parcel without one of our labels, and a label that is not used. */
async function byHand({ tell, act }: Pick<Teller, "app" | "tell" | "act">, buyer: Buyer): Promise<void> {
  const made = await act("createOrder", { body: { order_number: "SO-1005", ...buyer, line_items: [tea(2)] } });
  const path = { id: made.data.id };
  await act("processOrder", { path, body: {} });
  await act("pickOrder", { path, body: {} });
  await undone({ tell, act }, path);
  await tell("shipOrder", { path, body: { carrier: "Bike Bob", tracking_number: "BOB-17" } });
  await tell("deliverOrder", { path, body: {} });
  const other = await act("createOrder", { body: { order_number: "SO-1006", ...buyer, line_items: [tea(1)] } });
  const [carrier] = (await act("listCarriers")).data.carriers;
  const body = { order_id: other.data.id, carrier: carrier.code, service: "standard", package: { weight: 1 } };
  await tell("voidLabel", { path: { id: (await act("createLabel", { body })).data.label_id } });
  const file = await act("uploadFile", { query: { kind: "label", name: "ups.zpl" }, body: Buffer.from(ups_label) });
  const number = { carrier: "ups", service: "Ground", tracking_number: "1Z999AA10123456784" };
  await tell("createExternalLabel", {
    body: { order_id: other.data.id, ...number, cost: "8.40", file_id: file.data.id, package: { weight: 1 } },
  });
}

const ups_label = "^XA^FO60,60^A0N,48^FDUPS Ground^FS^FO60,140^BY3^BCN,160^FD1Z999AA10123456784^FS^XZ";

/** Some units are returned. */
export async function returns({ tell, act }: Teller): Promise<void> {
  const items = [{ sku: "TEA-100", quantity: 1, condition: "damaged", notes: "Wet." }];
  const made = await tell("createReturn", {
    body: {
      order_id: "SO-1001",
      reason: "defective",
      items,
      return_shipping: { carrier: "usps", tracking_number: "9400100000000000000000" },
      customer_email: "ada@example.com",
    },
  });
  const path = { id: made.data.id };
  await tell("updateReturn", { path, body: { refund_amount: "6.00" } });
  await tell("receiveReturn", { path, body: { items: [{ sku: "TEA-100", quantity: 1 }] } });
  await tell("inspectReturn", { path, body: { items: [{ sku: "TEA-100", quantity: 1, condition: "damaged" }] } });
  const refund = await tell("refundReturn", { path, body: { amount: "6.00", notes: "Sorry." } });
  await tell("reportRefund", { path: { ...path, refund_id: refund.data.refund_id }, body: { status: "refunded" } });
  await tell("getReturn", { path });
  await tell("listReturns", { query: { order_id: "SO-1001" } });
  const back = async () => ({
    id: (
      await act("createReturn", {
        body: { order_id: "SO-1005", reason: "customer_remorse", items: [{ sku: "TEA-100", quantity: 1 }] },
      })
    ).data.id,
  });
  const kept = { path: await back() };
  await tell("cancelReturn", { ...kept, body: {} });
  const closed = { path: await back() };
  const [carrier] = (await act("listCarriers")).data.carriers;
  await tell("createReturnLabel", {
    ...closed,
    body: { carrier: carrier.code, service: "standard", package: { weight: 1, weight_unit: "lb" } },
  });
  await act("receiveReturn", { ...closed, body: {} });
  await act("inspectReturn", { ...closed, body: { items: [{ sku: "TEA-100", quantity: 1, condition: "unopened" }] } });
  await tell("closeReturn", { ...closed, body: {} });
}
