// Maps the tables' rows to requests and expected results. Pure.
import { type AddressBody, homeAddress, isSamePlace, shipAddress, singleSpaced } from "./addresses.ts";
import type { CustomerRow, DetailRow, OrderRow, ProductRow, Tables } from "./tables.ts";

/** A customer and its addresses: its own, then others that its orders name. */
export interface CustomerPlan {
  readonly customer_id: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly shipping_addresses: readonly AddressBody[] };
}

/** A product and its stock. */
export interface ProductPlan {
  readonly sku: string;
  readonly temperature_zone: Zone;
  readonly units_in_stock: number;
  readonly discontinued: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A line with the table's price, and its discount on all units together. */
interface LinePlan {
  readonly sku: string;
  readonly quantity: number;
  readonly unit_price: string;
  readonly discount_amount: string;
}

/** An order and its final status: delivered if the table has a shipping date, else pending. */
export interface OrderPlan {
  readonly order_number: string;
  readonly customer_id: string;
  /** The index of the customer's address. */
  readonly address_index: number;
  /** The month in which it was placed, as `1996-07`. */
  readonly month: string;
  readonly ends: "delivered" | "pending";
  readonly lines: readonly LinePlan[];
  /** The total of its lines, each rounded to the cent. */
  readonly subtotal_cents: number;
  readonly weight_grams: number;
  /** From 1, the shipper's number in the table. */
  readonly shipper: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Units of a product to receive. */
export interface ReceiptPlan {
  readonly sku: string;
  readonly quantity: number;
  readonly reference: string;
}

/** Everything to do, and the expected results. */
export interface NorthwindPlan {
  readonly customers: readonly CustomerPlan[];
  readonly products: readonly ProductPlan[];
  /** The opening stock. */
  readonly opening: readonly ReceiptPlan[];
  /** For each month, the units to receive and the orders to ship afterwards. */
  readonly months: readonly { readonly receipts: readonly ReceiptPlan[]; readonly orders: readonly OrderPlan[] }[];
  /** The orders that were never shipped. They come last and reserve the remaining stock. */
  readonly open_orders: readonly OrderPlan[];
}

export type Zone = "ambient" | "refrigerated";

// The tables give no weights, and their case sizes would make some orders weigh a ton. These are grams per unit, such
// that the largest order is one parcel of less than 70 pounds.
const categories: Readonly<Record<string, { readonly zone: Zone; readonly weight_grams: number }>> = {
  Beverages: { zone: "ambient", weight_grams: 100 },
  Condiments: { zone: "ambient", weight_grams: 75 },
  Confections: { zone: "ambient", weight_grams: 45 },
  "Dairy Products": { zone: "refrigerated", weight_grams: 75 },
  "Grains/Cereals": { zone: "ambient", weight_grams: 75 },
  "Meat/Poultry": { zone: "refrigerated", weight_grams: 120 },
  Produce: { zone: "refrigerated", weight_grams: 90 },
  Seafood: { zone: "refrigerated", weight_grams: 60 },
};
const packaging_grams = 200;

/**
 * Builds the plan. The units in stock are the opening stock. Each month receives what its shipped orders need, so that
 * the stock matches the table again afterwards. The orders that were never shipped then reserve what there is.
 */
export function planNorthwind(tables: Tables): NorthwindPlan {
  const products = planProducts(tables);
  const customers = tables.customers.map((row) => planCustomer(row, tables.orders));
  const orders = planOrders(tables, customers);
  const sent = Map.groupBy(
    orders.filter(({ ends }) => ends === "delivered"),
    ({ month }) => month,
  );
  return {
    customers,
    products,
    opening: products
      .filter(({ units_in_stock }) => units_in_stock > 0)
      .map(({ sku, units_in_stock }) => ({ sku, quantity: units_in_stock, reference: "opening stock" })),
    months: [...sent]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([month, monthOrders]) => ({
        receipts: [...unitsBySku(monthOrders)].map(([sku, quantity]) => ({ sku, quantity, reference: month })),
        orders: monthOrders,
      })),
    open_orders: orders.filter(({ ends }) => ends === "pending"),
  };
}

/** The units of each SKU in these orders. */
export function unitsBySku(orders: readonly OrderPlan[]): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const { sku, quantity } of orders.flatMap(({ lines }) => lines)) {
    units.set(sku, (units.get(sku) ?? 0) + quantity);
  }
  return units;
}

/** The cost of a row in cents: all its units, minus the discount on them together, rounded half up. */
export function costOf({ unit_price, quantity, discount }: Pick<DetailRow, "unit_price" | "quantity" | "discount">) {
  const full_cents = Math.round(Number(unit_price) * 100) * Number(quantity);
  const discount_cents = Math.round((full_cents * Math.round(Number(discount) * 100)) / 100);
  return { discount_cents, total_cents: full_cents - discount_cents };
}

/** The invented e-mail address of a customer: `alfki@northwind.example`. */
export function emailOf(customer_id: string): string {
  return `${customer_id.toLowerCase()}@northwind.example`;
}

const skuOf = (product_id: string) => `NW-${product_id.padStart(3, "0")}`;
const decimal = (cents: number) => (cents / 100).toFixed(2);

function planCustomer(row: CustomerRow, orders: readonly OrderRow[]): CustomerPlan {
  const { customer_id, company_name, contact_name, contact_title, phone } = row;
  const addresses = [homeAddress(row)];
  for (const order of orders.filter((one) => one.customer_id === customer_id)) {
    const address = shipAddress(order);
    if (!addresses.some((known) => isSamePlace(known, address))) addresses.push(address);
  }
  const [first_name = "", ...rest] = contact_name.split(" ");
  return {
    customer_id,
    body: {
      email: emailOf(customer_id),
      first_name,
      last_name: rest.join(" "),
      phone,
      company: singleSpaced(company_name),
      shipping_addresses: addresses,
      metadata: { northwind_customer_id: customer_id, contact_title },
    },
  };
}

function planProducts(tables: Tables): readonly ProductPlan[] {
  const names = new Map(tables.categories.map(({ category_id, category_name }) => [category_id, category_name]));
  return tables.products.map((row) => {
    const { product_id, product_name, quantity_per_unit, unit_price, units_in_stock, reorder_level } = row;
    const category = categoryOf(names, row);
    const sku = skuOf(product_id);
    return {
      sku,
      temperature_zone: category.zone,
      units_in_stock: Number(units_in_stock),
      discontinued: row.discontinued === "1",
      body: {
        sku,
        name: product_name,
        description: `${category.name}, ${singleSpaced(quantity_per_unit)}`,
        weight: category.weight_grams,
        weight_unit: "g",
        price: unit_price,
        temperature_zone: category.zone,
        reorder_point: Number(reorder_level),
        metadata: { northwind_product_id: product_id, category: category.name },
      },
    };
  });
}

function categoryOf(names: ReadonlyMap<string, string>, row: ProductRow) {
  const name = names.get(row.category_id) ?? row.category_id;
  const category = categories[name];
  if (category === undefined) throw new Error(`No weight and zone are known for the category "${name}".`);
  return { name, ...category };
}

function planOrders(tables: Tables, customers: readonly CustomerPlan[]): readonly OrderPlan[] {
  const names = new Map(tables.categories.map(({ category_id, category_name }) => [category_id, category_name]));
  const kinds = new Map(tables.products.map((row) => [row.product_id, categoryOf(names, row)]));
  const details = Map.groupBy(tables.order_details, ({ order_id }) => order_id);
  const shippers = new Map(tables.shippers.map(({ shipper_id, company_name }) => [shipper_id, company_name]));
  const homes = new Map(customers.map((customer) => [customer.customer_id, customer.body.shipping_addresses]));
  return tables.orders.map((row) => {
    const rows = details.get(row.order_id) ?? [];
    const address = shipAddress(row);
    const addresses = homes.get(row.customer_id) ?? [];
    return {
      order_number: `NW-${row.order_id}`,
      customer_id: row.customer_id,
      address_index: addresses.findIndex((known) => isSamePlace(known, address)),
      month: row.order_date.slice(0, 7),
      ends: row.shipped_date === "" ? "pending" : "delivered",
      lines: rows.map(planLine),
      subtotal_cents: rows.reduce((sum, row) => sum + costOf(row).total_cents, 0),
      weight_grams: rows.reduce(
        (sum, { product_id, quantity }) => sum + (kinds.get(product_id)?.weight_grams ?? 0) * Number(quantity),
        packaging_grams,
      ),
      shipper: Number(row.ship_via),
      body: {
        order_number: `NW-${row.order_id}`,
        shipping_method: shippers.get(row.ship_via) ?? row.ship_via,
        shipping_amount: decimal(Math.round(Number(row.freight) * 100)),
        // Every unit must then come from cold storage, so only where all products need it.
        requires_cold_storage: rows.every(({ product_id }) => kinds.get(product_id)?.zone === "refrigerated"),
        metadata: { order_date: row.order_date, required_date: row.required_date, shipped_date: row.shipped_date },
      },
    };
  });
}

function planLine(row: DetailRow): LinePlan {
  const { product_id, quantity, unit_price } = row;
  const discount_amount = decimal(costOf(row).discount_cents);
  return { sku: skuOf(product_id), quantity: Number(quantity), unit_price, discount_amount };
}
