// A service with a customer, and calls with which tests place and process orders.
import type { Environment } from "../../src/core/environment.ts";
import { type Answered, type Caller, openApp, type TestApp } from "./service.ts";

/** A product, or its SKU. */
type Goods = { readonly id: string } | string;

/** The lines of an order: product and quantity. */
export type Lines = readonly (readonly [goods: Goods, quantity: number])[];

/** The request for a label of our own courier, without its order. */
export const parcel = { service: "standard", package: { weight: 2.5, weight_unit: "lbs" } };

export const portland = {
  address_line1: "12 Elm St",
  city: "Portland",
  state: "OR",
  postal_code: "97201",
  country: "US",
};

const jane = {
  email: "jane@example.com",
  first_name: "Jane",
  last_name: "Doe",
  shipping_addresses: [portland, { ...portland, address_line1: "1 Dock Rd" }],
};

interface ShopSettings {
  readonly environment?: Environment;
  /** The merchant that owns the products and orders. Default: the first merchant. */
  readonly merchant?: string;
  /** The customer who orders. */
  readonly customer?: object;
}

/** A shop on an open service. */
export async function shopOn(
  app: TestApp,
  { environment = "live", merchant, customer: buyer = jane }: ShopSettings = {},
) {
  const by: Caller = { key: app.keys[environment].full, ...(merchant === undefined ? {} : { merchant }) };
  const create = (path: string, body?: unknown) => app.create(path, body, by);
  const customer = await create("/customers", buyer);
  let number = 0;

  /** Creates a product with this many units in stock. */
  async function product({ sku = `SKU-${++number}`, units = 0, ...fields }: ProductFields = {}) {
    const made = await create("/products", { sku, name: `Product ${sku}`, price: "10.00", ...fields });
    const at = environment === "live" ? { location: "whs_1001" } : {};
    if (units > 0) await create("/inventory", { sku, quantity: units, ...at });
    return made as { id: string; sku: string };
  }

  /** The request for an order. */
  function draft(lines: Lines, fields: object = {}) {
    return {
      order_number: `N-${++number}`,
      customer_id: customer.id,
      shipping_address_id: customer.shipping_addresses[0].id,
      line_items: lines.map(([goods, quantity]) => ({
        ...(typeof goods === "string" ? { sku: goods } : { product_id: goods.id }),
        quantity,
        unit_price: "12.50",
      })),
      ...fields,
    };
  }

  return {
    app,
    by,
    customer,
    product,
    /** Creates a bundle of other products. */
    bundle: (components: readonly (readonly [sku: string, quantity: number])[], fields: ProductFields = {}) =>
      product({ type: "bundle", components: components.map(([sku, quantity]) => ({ sku, quantity })), ...fields }),
    draft,
    order: (lines: Lines, fields?: object): Promise<Answered["body"]> => create("/orders", draft(lines, fields)),
    /** Performs an action on an order. Returns the order after it. */
    act: (id: string, action: string, body: unknown = {}) => create(`/orders/${id}/${action}`, body),
    /** Buys a label of our own courier for an order. */
    label: (order_id: string, fields: object = {}): Promise<{ label_id: string; tracking_number: string }> =>
      create("/shipping/labels", { order_id, carrier: "local", ...parcel, ...fields }),
    ...readings(app),
  };
}
export type Shop = Awaited<ReturnType<typeof shopOn>>;

interface ProductFields {
  readonly sku?: string | undefined;
  /** Units in stock. */
  readonly units?: number;
  readonly [field: string]: unknown;
}

/** A shop on its own service, which closes as described at `openApp`. */
export const openShop = async (settings: Parameters<typeof openApp>[0] = {}) => shopOn(await openApp(settings));

function readings(app: TestApp) {
  const { takeTypes, takeStockEvents, stockOf, expectVerified } = app;
  return {
    ...{ takeTypes, takeStockEvents, stockOf, expectVerified },
    cancel: (id: string, query = "") => app.call("DELETE", `/orders/${id}${query}`),
    get: async (id: string) => (await app.get(`/orders/${id}`)).body.data,
    /** The history of an order: event, from and to. */
    history: async (id: string) =>
      (await app.get(`/orders/${id}/history`)).body.data.map(
        (row: { event: string; from_status: string | null; to_status: string }) =>
          `${row.event}: ${row.from_status ?? "-"} > ${row.to_status}`,
      ) as string[],
    /** The types of the events since the last call, except stock events, which have their own tests. */
    told: async () => (await takeTypes()).filter((type) => !type.startsWith("inventory.")),
    /** The available units of a SKU. */
    available: async (sku: string) => (await stockOf(sku)).available as number,
  };
}

const jordan = {
  email: "jordan@example.com",
  first_name: "Jordan",
  last_name: "Avery",
  shipping_addresses: [
    {
      name: "Jordan Avery",
      address_line1: "450 Canyon Drive",
      city: "Beverly Hills",
      state: "CA",
      postal_code: "90210",
      country: "US",
    },
  ],
};

/** A shop with plenty of one product, for tests that need any order or parcel. */
export async function parcelShopOn(app: TestApp, environment: Environment = "live") {
  const shop = await shopOn(app, { environment, customer: jordan });
  const goods = await shop.product({ sku: "RICE-1KG", name: "Rice, 1 kg", price: undefined, units: 1000 });
  const key = app.keys[environment].full;
  const carrier = environment === "live" ? "local" : "sim";
  let count = 0;
  /** An order request for units of the product. */
  const draft = (quantity = 2, shipping_address_id = shop.customer.shipping_addresses[0].id) => ({
    ...shop.draft([], { order_number: `SO-${++count}`, shipping_address_id }),
    line_items: [{ product_id: goods.id, quantity, unit_price: "3.20" }],
  });
  return {
    app,
    key,
    product_id: goods.id,
    draft,
    /** Orders units of the product and discards the events. */
    async order(quantity = 2, company: string | null = null): Promise<{ id: string; order_number: string }> {
      const { id: _, ...address } = { ...shop.customer.shipping_addresses[0], company, is_default: false };
      const to =
        company === null ? undefined : await app.create(`/customers/${shop.customer.id}/addresses`, address, shop.by);
      const order = await app.create("/orders", draft(quantity, to?.id), shop.by);
      await app.takeEvents();
      return order;
    },
    /** Requests a label for an order. */
    label: (order_id: string | number, fields: object = {}, headers: Record<string, string> = {}) =>
      app.call("POST", "/shipping/labels", { order_id, carrier, ...parcel, ...fields }, { key, headers }),
  };
}
export type ParcelShop = Awaited<ReturnType<typeof parcelShopOn>>;

/** A parcel shop on its own service, which closes as described at `openApp`. */
export const openParcelShop = async (settings: Parameters<typeof openApp>[0] = {}) =>
  parcelShopOn(await openApp(settings));

/** The status of a response and its error code, which is undefined if there is none. */
export const outcomeOf = ({ status, body }: Pick<Answered, "status" | "body">) => [status, body.error?.code];

/** The error code of a response, or its status if there is none. */
export const codeOf = ({ status, body }: Pick<Answered, "status" | "body">): string | number =>
  body.error?.code ?? status;

/** A refusal in words: its status, its code and the fields that it names. */
export const refusalOf = (answer: Pick<Answered, "status" | "body">): string =>
  [...outcomeOf(answer), ...fieldsOf(answer)].join(" ");

/** The fields named in a refusal. */
export const fieldsOf = ({ body }: Pick<Answered, "body">): string[] =>
  (body.error.details ?? []).map(({ field }: { field: string }) => field);
