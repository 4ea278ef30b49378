// The requests that are measured.
import { type Ids, line, skus } from "./business.ts";
import type { Shot } from "./load.ts";

const post = (path: string, body: object, ids: readonly string[] = []): Shot => ({
  method: "POST",
  path: `/v1${path}`,
  body: JSON.stringify(body),
  ids,
});
const get = (path: string, ids: readonly string[] = []): Shot => ({ method: "GET", path: `/v1${path}`, ids });
const digits = Array.from({ length: 10 }, (_, n) => String(n));

/** An order of three lines; `{id}` picks other SKUs for each. */
export const createOrder = ({ customer_id, shipping_address_id }: Ids): Shot => {
  const line_items = ["BENCH-{id}", "BENCH-1{id}", "BENCH-2{id}"].map(line);
  return post("/orders", { order_number: "N-{n}", customer_id, shipping_address_id, line_items }, digits);
};

const bulk_size = 50;

/** A bulk request of orders, with three lines each. */
export const createOrders = ({ customer_id, shipping_address_id }: Ids): Shot => {
  const line_items = ["BENCH-{id}", "BENCH-1{id}", "BENCH-2{id}"].map(line);
  const orders = Array.from({ length: bulk_size }, (_, at) => {
    return { order_number: `N-{n}-${at}`, customer_id, shipping_address_id, line_items };
  });
  return post("/orders/bulk", { orders }, digits);
};

export const orderById = ({ orders }: Ids): Shot => get("/orders/{id}", orders);

export const listOrders: Shot = get("/orders?limit=50");

/** A list of orders with these filters. */
export const listOrdersBy = (query: string): Shot =>
  get(`/orders?${query.includes("limit=") ? "" : "limit=50&"}${query}`);

export const reserveSome: Shot = post(
  "/inventory/reserve",
  { order_id: "R-{n}", items: [{ sku: "{id}", quantity: 1 }] },
  skus,
);

export const reserveHot: Shot = post("/inventory/reserve", {
  order_id: "H-{n}",
  items: [{ sku: skus[0], quantity: 1 }],
});

export const adjust: Shot = {
  method: "PATCH",
  path: "/v1/inventory/{id}",
  body: JSON.stringify({ adjustment: 1, reason: "found" }),
  ids: skus,
};

export const listStock: Shot = get("/inventory?limit=50");

/** Rates for a parcel by the rate cards of the built-in carrier; `{id}` selects the destination. */
export const askRates: Shot = post(
  "/shipping/rates",
  { from_zip: "43215", to_zip: "9{id}210", weight: 2.5, weight_unit: "lbs" },
  ["0", "4", "7", "8"],
);

const parcel = { weight: 2, weight_unit: "lbs" };
const label = { order_id: "{id}", carrier: "sim", service: "standard", package: parcel };

/** A label for the first parcel of each order. */
export const buyLabel = (orders: readonly string[]): Shot => post("/shipping/labels", label, orders);

/** An act on the whole of each order: `pick`, `pack` or `ship`. */
export const actOn = (act: string, orders: readonly string[]): Shot => post(`/orders/{id}/${act}`, {}, orders);

/** A scan of each parcel, with this status. */
export const scan = (status: string, numbers: readonly string[]): Shot =>
  post("/tracking/{id}/events", { status, message: "Scanned" }, numbers);
