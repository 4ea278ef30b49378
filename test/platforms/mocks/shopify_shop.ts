// The data of a Shopify shop, and its form in the GraphQL Admin API and in webhooks.
import type { Json } from "../../outbound/mock_server.ts";

interface ShopLine {
  readonly id: number;
  readonly name: string;
  readonly sku: string | null;
  readonly variant_id: number | null;
  readonly product_id: number | null;
  readonly price: string;
  /** The amount taken off the whole line. */
  readonly discount: string;
  readonly requires_shipping: boolean;
  readonly gift_card: boolean;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly location: number;
  quantity: number;
  current_quantity: number;
}

export interface Fulfillment {
  readonly id: number;
  status: "SUCCESS" | "CANCELLED";
  readonly tracking: Json;
  readonly notified: boolean;
  readonly lines: readonly { readonly id: number; readonly quantity: number }[];
}

export interface Open {
  readonly id: number;
  method?: "PICK_UP" | "LOCAL";
  readonly location: number;
  status: "OPEN" | "CLOSED" | "ON_HOLD" | "CANCELLED";
  readonly lines: { readonly id: number; readonly line_id: number; remaining: number; readonly total: number }[];
}

export interface ShopOrder {
  readonly fields: Json & { id: number; updated_at: string };
  readonly lines: ShopLine[];
  readonly fulfillments: Fulfillment[];
  readonly fulfillment_orders: Open[];
}

/** Times as Shopify writes them. */
export const iso = (at: number) => new Date(at).toISOString().replace(/\.\d{3}Z$/, "Z");
/** The global id of a record. */
export const gid = (kind: string, id: number) => `gid://shopify/${kind}/${id}`;

const address = {
  name: "Léa Morel",
  first_name: "Léa",
  last_name: "Morel",
  company: "Morel SARL",
  address1: "4 Rue Neuve",
  address2: "",
  city: "Lyon",
  province: null,
  province_code: null,
  zip: "69001",
  country: "France",
  country_code: "FR",
  phone: "+33 4 72 00 00 00",
};

/** An order of a lamp and a gift card by a customer in Lyon; `order` and `lines` override fields. */
export function shopOrder(id: number, at: number, order: Json = {}, lines?: readonly Partial<ShopLine>[]): ShopOrder {
  const goods: Partial<ShopLine>[] = [
    { name: "Lamp - Brass", sku: "LAMP-B", quantity: 2, price: "40.00", discount: "8.00" },
    { name: "Gift card", sku: null, gift_card: true, requires_shipping: false },
  ];
  const whole = (lines ?? goods).map((line, index) => {
    const quantity = line.quantity ?? 1;
    return {
      id: id * 100 + index,
      name: "Thing",
      sku: "",
      variant_id: 900 + index,
      product_id: 800 + index,
      price: "10.00",
      discount: "0.00",
      requires_shipping: true,
      gift_card: false,
      properties: [],
      location: 1,
      quantity,
      current_quantity: quantity,
      ...line,
    };
  });
  const by_location = Map.groupBy(
    whole.filter(({ requires_shipping }) => requires_shipping),
    ({ location }) => location,
  );
  return {
    fields: {
      id,
      name: `#${id}`,
      order_number: id,
      email: "lea@morel.example",
      phone: null,
      note: null,
      note_attributes: [],
      currency: "EUR",
      created_at: iso(at),
      updated_at: iso(at),
      cancelled_at: null,
      closed_at: null,
      financial_status: "paid",
      fulfillment_status: null,
      billing_address: address,
      shipping_address: address,
      contact_email: null,
      shipping_lines: [{ id: 5, title: "Colissimo", price: "7.50", discounted_price: "5.00", is_removed: false }],
      ...order,
    },
    lines: whole,
    fulfillments: [],
    fulfillment_orders: [...by_location].map(([location, parts]) => ({
      id: id * 10 + location,
      location,
      status: "OPEN" as const,
      lines: parts.map((line) => ({
        id: line.id * 10,
        line_id: line.id,
        remaining: line.quantity,
        total: line.quantity,
      })),
    })),
  };
}

const money = (amount: string, currency: unknown) => {
  const one = { amount, currencyCode: currency };
  return { shopMoney: one, presentmentMoney: one };
};

/** One page of a list. The cursor is the position in it. */
export function connection(list: readonly unknown[], { first = 0, after }: { first?: number; after?: string | null }) {
  const start = after ? Number(after) : 0;
  const nodes = list.slice(start, start + first);
  const end = start + nodes.length;
  const pageInfo = {
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
    startCursor: null,
    endCursor: `${end}`,
  };
  return { nodes, pageInfo };
}

/** The units of a line that are not fulfilled yet. */
function unfulfilled({ fulfillment_orders }: ShopOrder, { id, current_quantity }: ShopLine): number {
  const open = fulfillment_orders.flatMap(({ lines }) => lines.filter(({ line_id }) => line_id === id));
  return Math.min(
    current_quantity,
    open.reduce((sum, { remaining }) => sum + remaining, 0),
  );
}

/** A line of an order as the API returns it. */
export function lineIn(order: ShopOrder, id: number) {
  const line = order.lines.find((one) => one.id === id) as ShopLine;
  return { ...lineView(line, order.fields["currency"]), unfulfilledQuantity: unfulfilled(order, line) };
}

function lineView(line: ShopLine, currency: unknown) {
  return {
    id: gid("LineItem", line.id),
    name: line.name,
    title: line.name,
    sku: line.sku,
    quantity: line.quantity,
    currentQuantity: line.current_quantity,
    requiresShipping: line.requires_shipping,
    isGiftCard: line.gift_card,
    customAttributes: line.properties.map(({ name, value }) => ({ key: name, value })),
    variant: line.variant_id && { id: gid("ProductVariant", line.variant_id) },
    product: line.product_id && { id: gid("Product", line.product_id) },
    originalUnitPriceSet: money(line.price, currency),
    discountAllocations: Number(line.discount) > 0 ? [{ allocatedAmountSet: money(line.discount, currency) }] : [],
  };
}

function addressView(value: unknown) {
  const { first_name, last_name, province_code, country_code, ...address } = (value ?? {}) as Json;
  if (Object.keys(address).length === 0) return null;
  const codes = { provinceCode: province_code ?? null, countryCodeV2: country_code ?? null };
  return { ...address, firstName: first_name, lastName: last_name, ...codes };
}

/** An order as the query's root returns it. */
export function orderView(order: ShopOrder) {
  const { fields, lines, fulfillments, fulfillment_orders } = order;
  const lineOf = (id: number) => lineIn(order, id);
  const financial = fields["financial_status"];
  return {
    id: gid("Order", fields.id),
    legacyResourceId: String(fields.id),
    name: fields["name"],
    email: fields["email"],
    phone: fields["phone"],
    note: fields["note"],
    test: fields["test"] === true,
    customAttributes: (fields["note_attributes"] as { name: string; value: string }[]).map(({ name, value }) => {
      return { key: name, value };
    }),
    currencyCode: fields["currency"],
    updatedAt: fields.updated_at,
    createdAt: fields["created_at"],
    cancelledAt: fields["cancelled_at"],
    closedAt: fields["closed_at"],
    displayFinancialStatus: typeof financial === "string" ? financial.toUpperCase() : null,
    displayFulfillmentStatus: String(fields["fulfillment_status"] ?? "unfulfilled")
      .replace("partial", "partially_fulfilled")
      .toUpperCase(),
    billingAddress: addressView(fields["billing_address"]),
    shippingAddress: addressView(fields["shipping_address"]),
    shippingLines: (page: Json) =>
      connection(
        (fields["shipping_lines"] as Json[]).map(({ title, code = null, is_removed, price, discounted_price }) => ({
          title,
          code,
          isRemoved: is_removed,
          originalPriceSet: money(String(price), fields["currency"]),
          discountedPriceSet: money(String(discounted_price), fields["currency"]),
        })),
        page,
      ),
    lineItems: (page: Json) =>
      connection(
        lines.map(({ id }) => lineOf(id)),
        page,
      ),
    fulfillments: ({ first }: Json) => fulfillments.slice(0, Number(first)).map((one) => fulfillmentView(one, lineOf)),
    fulfillmentOrders: (page: Json) =>
      connection(
        fulfillment_orders.map((one) => openView(one, lineOf)),
        page,
      ),
  };
}

/** A fulfillment as the API returns it. */
export const fulfillmentView = ({ id, status, tracking, lines }: Fulfillment, lineOf: (id: number) => unknown) => ({
  id: gid("Fulfillment", id),
  status,
  createdAt: iso(0),
  trackingInfo: [tracking],
  fulfillmentLineItems: (page: Json) =>
    connection(
      lines.map((line) => ({ id: line.id, quantity: line.quantity, lineItem: lineOf(line.id) })),
      page,
    ),
});

/** A fulfillment order as the API returns it. */
export const openView = ({ id, status, location, method, lines }: Open, lineOf: (id: number) => unknown) => ({
  id: gid("FulfillmentOrder", id),
  status,
  deliveryMethod: { methodType: method ?? "SHIPPING" },
  supportedActions: status === "OPEN" ? [{ action: "CREATE_FULFILLMENT" }, { action: "HOLD" }] : [],
  assignedLocation: { name: `Shed ${location}`, location: { id: gid("Location", location), name: `Shed ${location}` } },
  lineItems: (page: Json) =>
    connection(
      lines.map(({ id: own, line_id, remaining, total }) => ({
        id: gid("FulfillmentOrderLineItem", own),
        remainingQuantity: remaining,
        totalQuantity: total,
        lineItem: lineOf(line_id),
      })),
      page,
    ),
});

/** An order as webhooks contain it. */
export function payloadOf(order: ShopOrder): Json {
  const { fields, lines } = order;
  return {
    ...fields,
    admin_graphql_api_id: gid("Order", fields.id),
    test: fields["test"] === true,
    tags: "",
    refunds: [],
    shipping_lines: (fields["shipping_lines"] as Json[]).map((line) => ({
      ...line,
      discounted_price_set: { shop_money: { amount: line["discounted_price"], currency_code: fields["currency"] } },
    })),
    line_items: lines.map(({ discount, location, ...line }) => ({
      ...line,
      title: line.name,
      fulfillable_quantity: unfulfilled(order, { ...line, discount, location }),
      total_discount: "0.00",
      discount_allocations: Number(discount) > 0 ? [{ amount: discount, discount_application_index: 0 }] : [],
    })),
  };
}
