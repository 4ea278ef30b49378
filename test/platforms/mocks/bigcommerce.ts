// A mock BigCommerce store by its public documentation: the order resources of version 2, and its signatures.
import { Webhook } from "standardwebhooks";
import { type Answered, type Asked, type Json, objectOf, openServer } from "../../outbound/mock_server.ts";
import { answerStock } from "./bigcommerce_stock.ts";
import { openShelf, type Shelf } from "./shelf.ts";

export interface Goods {
  readonly id: number;
  readonly product_id: number;
  readonly variant_id: number;
  readonly order_address_id: number;
  readonly order_pickup_method_id: number;
  readonly name: string;
  readonly sku: string;
  readonly type: "physical" | "digital" | "giftcertificate";
  readonly price_ex_tax: string;
  readonly applied_discounts: readonly Json[];
  readonly product_options: readonly Json[];
  quantity: number;
  quantity_refunded: number;
  quantity_shipped: number;
  readonly parent_order_product_id?: number | null;
}

interface Shipment {
  readonly id: number;
  readonly order_address_id: number;
  readonly tracking_number: string;
  readonly comments: string;
  readonly items: readonly { readonly order_product_id: number; readonly quantity: number }[];
  readonly [field: string]: unknown;
}

export interface StoreOrder {
  readonly fields: Json;
  readonly products: Goods[];
  readonly addresses: Json[];
  readonly shipments: Shipment[];
}

const shipmentFields = [
  ...["order_address_id", "tracking_number", "shipping_method", "shipping_provider", "tracking_carrier"],
  ...["tracking_link", "comments", "items", "merchant_shipping_cost"],
];
const providers = [
  ...[
    "",
    "auspost",
    "canadapost",
    "endicia",
    "usps",
    "fedex",
    "royalmail",
    "ups",
    "upsready",
    "upsonline",
    "shipperhq",
  ],
];

/** Times as BigCommerce writes them. */
export const rfc2822 = (at: number): string => new Date(at).toUTCString().replace("GMT", "+0000");

const error = (status: number, message: string): Answered => ({ status, body: [{ status, message }] });

/** An order of two mugs and a certificate by a customer in Texas; `order` and `lines` override fields. */
export function storeOrder(id: number, at: number, order: Json = {}, lines?: readonly Partial<Goods>[]): StoreOrder {
  const one = {
    first_name: "Ada",
    last_name: "Marsh",
    company: "Marsh & Sons",
    street_1: "9 Dock Road",
    street_2: "Unit 4",
  };
  const two = { city: "Austin", state: "Texas", zip: "78701", country: "United States", country_iso2: "US" };
  const person = { ...one, ...two, phone: "512-555-0117", email: "ada@marsh.example" };
  const goods: Partial<Goods>[] = [
    { sku: "MUG-1", name: "Mug", quantity: 2 },
    { sku: "GIFT", name: "Certificate", quantity: 1, type: "digital" },
  ];
  return {
    fields: {
      id,
      status_id: 11,
      date_created: rfc2822(at),
      date_modified: rfc2822(at),
      currency_code: "CAD",
      default_currency_code: "USD",
      shipping_cost_ex_tax: "6.5000",
      customer_message: "Ring twice.",
      is_deleted: false,
      items_total: 3,
      billing_address: person,
      payment_status: "captured",
      ...order,
    },
    products: (lines ?? goods).map((line, index) => ({
      id: id * 100 + index,
      product_id: 70 + index,
      variant_id: 170 + index,
      order_address_id: id * 10,
      name: "Thing",
      sku: "",
      type: "physical" as const,
      price_ex_tax: "12.5000",
      quantity: 1,
      quantity_refunded: 0,
      quantity_shipped: 0,
      order_pickup_method_id: 0,
      applied_discounts: [],
      product_options: [],
      ...line,
    })),
    addresses: [{ id: id * 10, order_id: id, ...person, shipping_method: "Ground" }],
    shipments: [],
  };
}

/** The shared state of the mock: the store's orders and stock, and its clock. */
interface Store {
  readonly orders: Map<number, StoreOrder>;
  readonly shelf: Shelf;
  readonly now: () => number;
  readonly hooks: { scope: string; destination: string; is_active: boolean }[];
  /** Whether the token may only read orders, and no stock. */
  is_limited: boolean;
}

function pageOf(list: readonly unknown[], query: URLSearchParams): Answered {
  const [number, size] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 50)];
  if (!(number >= 1 && size >= 1 && size <= 250)) return error(400, "The page or limit is invalid.");
  const shown = list.slice((number - 1) * size, number * size);
  return shown.length === 0 ? { status: 204 } : { status: 200, body: shown };
}

function listOrders({ orders }: Store, query: URLSearchParams): Answered {
  const known = ["min_date_modified", "min_id", "sort", "limit", "page"];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return error(400, `The field '${unknown}' is not supported by this resource.`);
  if (!["id:asc", "date_modified:asc", null].includes(query.get("sort"))) return error(400, "The sort is invalid.");
  const since = Date.parse(query.get("min_date_modified") ?? rfc2822(0));
  if (Number.isNaN(since)) return error(400, "The field 'min_date_modified' is invalid.");
  const found = [...orders.values()].map(({ fields }) => fields);
  const listed = found.filter(({ id, date_modified }) => {
    return Date.parse(String(date_modified)) >= since && Number(id) >= Number(query.get("min_id") ?? 0);
  });
  return pageOf(
    listed.sort((one, other) => Number(one["id"]) - Number(other["id"])),
    query,
  );
}

/** The problem of a new shipment of an order, or null. */
function shipmentProblem(order: StoreOrder, given: Json): string | null {
  const unknown = Object.keys(given).find((name) => !shipmentFields.includes(name));
  if (unknown !== undefined) return `The field '${unknown}' is not supported by this resource.`;
  const address = order.addresses.find(({ id }) => id === given["order_address_id"]);
  if (address === undefined) return "The field 'order_address_id' is invalid.";
  if (String(given["tracking_number"] ?? "").length > 50) return "The field 'tracking_number' is invalid.";
  if (!providers.includes(String(given["shipping_provider"] ?? ""))) return "Unknown shipping_provider.";
  const items = itemsOf(given);
  if (items.length === 0) return "The required field 'items' was not supplied.";
  for (const { order_product_id, quantity } of items) {
    const product = order.products.find(({ id }) => id === order_product_id);
    if (product === undefined) return `Order product ${order_product_id} is not in the order.`;
    if (product.order_address_id !== address["id"]) return `Order product ${order_product_id} goes elsewhere.`;
    if (product.type !== "physical") return "A digital product cannot be shipped.";
    if (!(Number.isInteger(quantity) && quantity >= 1 && quantity <= openUnits(product))) return "Invalid quantity.";
  }
  return null;
}

const openUnits = ({ quantity, quantity_refunded, quantity_shipped }: Goods) =>
  quantity - quantity_refunded - quantity_shipped;

const itemsOf = (given: Json) => (given["items"] ?? []) as { order_product_id: number; quantity: number }[];

function createShipment(store: Store, order: StoreOrder, { headers, body }: Asked): Answered {
  if (!headers["content-type"]?.startsWith("application/json")) return error(415, "Unsupported media type");
  const given = objectOf(body);
  if (given === null) return error(400, "The request body is not valid JSON.");
  const problem = shipmentProblem(order, given);
  if (problem !== null) return error(400, problem);
  const items = itemsOf(given);
  for (const { order_product_id, quantity } of items) {
    for (const product of order.products) if (product.id === order_product_id) product.quantity_shipped += quantity;
  }
  const { tracking_number = "", comments = "" } = given as { tracking_number?: string; comments?: string };
  const made = { ...given, id: Number(order.fields["id"]) * 1000 + order.shipments.length + 1, items };
  const order_address_id = Number(given["order_address_id"]);
  order.shipments.push({ ...made, order_address_id, tracking_number, comments, order_id: order.fields["id"] });
  const open = order.products.some((product) => product.type === "physical" && openUnits(product) > 0);
  changeOrder(store, order, { status_id: open ? 3 : 2 });
  return { status: 201, body: order.shipments.at(-1) };
}

function changeOrder({ now }: Store, order: StoreOrder, fields: Json): void {
  Object.assign(order.fields, { date_modified: rfc2822(now()), ...fields });
}

function answer(store: Store, rest: string, asked: Asked): Answered {
  const { method, query } = asked;
  if (store.is_limited && method !== "GET") return error(403, "You don't have a required scope to access the endpoint");
  if (rest === "/orders" && method === "GET") return listOrders(store, query);
  const [, id, list] = /^\/orders\/(\d+)(?:\/(products|shipping_addresses|shipments))?$/.exec(rest) ?? [];
  const order = store.orders.get(Number(id));
  if (order === undefined) return error(404, "The requested resource was not found.");
  if (method === "POST" && list === "shipments") return createShipment(store, order, asked);
  if (method === "PUT" && list === undefined) {
    const { status_id, ...others } = objectOf(asked.body) ?? {};
    if (Object.keys(others).length > 0 || !Number.isInteger(status_id)) return error(400, "The status is invalid.");
    changeOrder(store, order, { status_id });
    return { status: 200, body: order.fields };
  }
  if (method !== "GET") return error(405, "The method is not allowed.");
  if (list === undefined) return { status: 200, body: order.fields };
  if (list === "products") return pageOf(order.products, query);
  return pageOf(list === "shipments" ? order.shipments : order.addresses, query);
}

/** Opens the API of one store, `stores/<hash>`. */
export async function openBigCommerce({ hash = "k3v9x2", token = "bc-access-token", now = Date.now } = {}) {
  const store: Store = { orders: new Map(), shelf: openShelf(), now, hooks: [], is_limited: false };
  const server = await openServer((asked) => {
    const { path, headers } = asked;
    if (headers["x-auth-token"] === undefined) return error(401, "The X-Auth-Token header is required.");
    if (headers["x-auth-token"] !== token) return error(401, "The access token is not valid.");
    const [, named, version, rest = ""] = /^\/stores\/(\w+)\/v([23])(\/.*)$/.exec(path) ?? [];
    if (named !== hash) return error(403, "The token is not of this store.");
    if (version === "3" && rest === "/hooks") return { status: 200, body: { data: store.hooks } };
    if (version === "3" && store.is_limited) return error(403, "You don't have a required scope.");
    return version === "3" ? answerStock(store.shelf, rest, asked) : answer(store, rest, asked);
  });

  return {
    ...server,
    hash,
    token,
    store,
    orders: store.orders,
    shelf: store.shelf,
    /** Adds an order to the store, which takes its units from the shelf. */
    add(order: StoreOrder) {
      store.orders.set(Number(order.fields["id"]), order);
      for (const line of order.products) {
        const item = store.shelf.bySku(line.sku);
        if (item !== undefined) Object.assign(line, { product_id: item.product_id, variant_id: item.id });
      }
      store.shelf.sell(order.products);
      return order;
    },
    /** Changes fields of an order, as the merchant does. */
    change: (order: StoreOrder, fields: Json) => changeOrder(store, order, fields),
    /** The notification of an order as the store sends it, signed if there is a client secret. */
    notification(order_id: number, { scope = "store/order/created", secret = "", at = now(), sent = now() } = {}) {
      const seconds = Math.floor(at / 1000);
      const hash_of = new Bun.CryptoHasher("sha1").update(`${scope} ${order_id} ${seconds}`).digest("hex");
      const about = { scope, store_id: "1001", data: { type: "order", id: order_id }, hash: hash_of };
      const body = JSON.stringify({ ...about, created_at: seconds, producer: `stores/${hash}` });
      const headers: Record<string, string> = { "Content-Type": "application/json" };
      if (secret !== "") {
        const id = `msg_${hash_of.slice(0, 24)}`;
        headers["webhook-id"] = id;
        headers["webhook-timestamp"] = String(Math.floor(sent / 1000));
        const signer = new Webhook(Buffer.from(secret).toString("base64"));
        headers["webhook-signature"] = signer.sign(id, new Date(sent), body);
      }
      return { body, headers };
    },
  };
}
export type BigCommerceMock = Awaited<ReturnType<typeof openBigCommerce>>;
