import type { Actor } from "../../core/actor.ts";
import { systemActor } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { assert } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import { createCustomer } from "../../customers/customers.ts";
import { lotsShipped } from "../../inventory/ledger/ledger.sql.ts";
import { addStock } from "../../inventory/receiving/receive_units.ts";
import { isExampleAddress } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { updateWarehouse } from "../../inventory/warehouses/warehouses.ts";
import { cancelOrder } from "../../orders/changes/cancel_order.ts";
import { holdOrder, releaseOrder } from "../../orders/changes/holds.ts";
import { packOrder, pickOrder, processOrder } from "../../orders/fulfillment/pick_and_pack.ts";
import { shipOrder } from "../../orders/fulfillment/ship_order.ts";
import { createOrder } from "../../orders/lifecycle/create_order.ts";
import { checkDigitOf } from "../../products/product.ts";
import { findProducts } from "../../products/products.sql.ts";
import { createProduct } from "../../products/products.ts";
import { refundReturn } from "../../returns/refund_return.ts";
import { createReturn, inspectReturn, receiveReturn } from "../../returns/returns.ts";
import { builtInCarrier } from "../../shipping/rates/built_in_carrier.ts";
import { createRateCard } from "../../shipping/rates/rate_cards.ts";
import type { Tx } from "../../storage/database.ts";
import { followNumber } from "../../tracking/follow_number.ts";
import { recordScan } from "../../tracking/record_scan.ts";
import { buyTrackedLabel } from "../../tracking/track_label.ts";
import { trackOrderActs } from "../../tracking/track_order_acts.ts";
import type { DemoAct, DemoActKind, DemoActOf } from "./acts.ts";
import { ground } from "./tariff.ts";

/** The records that earlier acts created, by the names that later acts use. */
export interface DemoStory {
  readonly customers: Map<string, { readonly id: string; readonly addresses: readonly string[] }>;
  /** The API's order ids by order number. */
  readonly orders: Map<string, string>;
  readonly tracking_numbers: Map<string, string>;
  readonly returns: Map<string, string>;
}

/** An empty story. */
export function newStory(): DemoStory {
  return { customers: new Map(), orders: new Map(), tracking_numbers: new Map(), returns: new Map() };
}

/** The GTIN-14 of a case of units with a GTIN-12 or GTIN-13. */
function caseCodeOf(barcode: string): string {
  const body = `1${barcode.padStart(13, "0").slice(0, -1)}`;
  return body + checkDigitOf(body);
}

/** Adds the created records to the story. To be called after the commit. */
type RememberAct = () => void;
type PerformActs = {
  [Kind in DemoActKind]: (tx: Tx, act: DemoActOf<Kind>, story: DemoStory) => Promise<RememberAct | null>;
};

const actor: Actor = systemActor("demo");

/**
 * Performs one act of the sample business with the function that the API uses. Returns a function to call after the
 * commit.
 */
export async function performAct(tx: Tx, act: DemoAct, story: DemoStory): Promise<RememberAct | null> {
  const perform = acts[act.kind] as (tx: Tx, act: DemoAct, story: DemoStory) => Promise<RememberAct | null>;
  return perform(tx, act, story);
}

const acts: PerformActs = {
  warehouse: async (tx, { address }) => {
    const [first] = await listPlainWarehouses(tx);
    if (first !== undefined && isExampleAddress(first.address)) {
      await updateWarehouse(tx, wireId("warehouse", first.id), { address });
    }
    return null;
  },
  zone: async (tx, { zone, kept_for }) => {
    const { bins, ...facts } = zone;
    const keeping = kept_for === null ? {} : { dedicated_merchant_id: kept_for };
    const location_zones = [{ ...facts, bins: bins.map((code) => ({ code, ...keeping })) }];
    await updateWarehouse(tx, await warehouse(tx), { location_zones });
    return null;
  },
  tariff: async (tx) => {
    await createRateCard(tx, ground, actor);
    return null;
  },
  product: async (tx, { article }) => {
    const { weight_grams, dimensions_cm, price_cents, barcode, case_units, ...same } = article;
    const { bin: _bin, shelf_life_days: _days, ...fields } = same;
    await createProduct(tx, {
      ...fields,
      weight: weight_grams,
      weight_unit: "g",
      dimensions: { ...dimensions_cm, unit: "cm" },
      price: money(price_cents, "USD"),
      barcodes: [{ value: barcode, type: barcode.length === 13 ? "ean" : "upc" }],
      packs: case_units > 1 ? [{ level: "case", quantity: case_units, barcode: caseCodeOf(barcode) }] : [],
    });
    return null;
  },
  customer: async (tx, { buyer }, { customers }) => {
    const { addresses, ...fields } = buyer;
    const made = await createCustomer(tx, { ...fields, shipping_addresses: [...addresses] });
    const known = {
      id: wireId("customer", made.id),
      addresses: made.shipping_addresses.map(({ id }) => wireId("address", id)),
    };
    return () => customers.set(buyer.email, known);
  },
  receipt: async (tx, { sku, quantity, bin, lot_number, expiration_at, unit_cost_cents, reference }) => {
    const lot = lot_number === null ? {} : { lot_number };
    const expiry = expiration_at === null ? {} : { expiration_date: iso(expiration_at) };
    const location = await warehouse(tx);
    const stock = {
      sku,
      quantity,
      location,
      bin,
      reference,
      unit_cost: money(unit_cost_cents, "USD"),
      ...lot,
      ...expiry,
    };
    await addStock(tx, stock, actor);
    return null;
  },
  order: async (tx, act, { customers, orders }) => {
    const { order_number, customer_email, address_index, lines, shipping_amount_cents, order_notes, ...rest } = act;
    const { at: _at, kind: _kind, ...same } = rest;
    const customer = customers.get(customer_email);
    const order = await createOrder(
      tx,
      {
        ...same,
        order_number,
        customer_id: customer?.id ?? "",
        shipping_address_id: customer?.addresses[address_index] ?? "",
        shipping_amount: money(shipping_amount_cents, "USD"),
        line_items: lines.map(({ unit_price_cents, ...line }) => ({
          ...line,
          unit_price: money(unit_price_cents, "USD"),
        })),
        ...(order_notes === null ? {} : { order_notes }),
      },
      actor,
    );
    return () => orders.set(order_number, wireId("order", order.id));
  },
  hold: async (tx, { order_number, reason, note }, { orders }) => {
    await holdOrder(tx, named(orders, order_number), { reason: reason as "manual", note }, actor);
    return null;
  },
  release: async (tx, { order_number }, { orders }) => {
    await releaseOrder(tx, named(orders, order_number), {}, actor);
    return null;
  },
  cancel: async (tx, { order_number, reason, note }, { orders }) => {
    await cancelOrder(tx, named(orders, order_number), { reason, note }, actor);
    return null;
  },
  process: async (tx, { order_number }, { orders }) => {
    await processOrder(tx, named(orders, order_number), actor);
    return null;
  },
  pick: async (tx, { order_number }, { orders }) => {
    await pickOrder(tx, named(orders, order_number), {}, actor);
    return null;
  },
  pack: async (tx, { order_number }, { orders }) => {
    await packOrder(tx, named(orders, order_number), {}, actor);
    return null;
  },
  ship: async (tx, { order_number, parcel }, { orders, tracking_numbers }) => {
    const order_id = named(orders, order_number);
    await trackOrderActs(tx, [{ order: await shipOrder(tx, order_id, parcel ?? {}, actor), actor }]);
    if (parcel === null) return null;
    const { carrier, tracking_number } = parcel;
    await followNumber(tx, { carrier, tracking_number, order_id }, [], actor);
    return () => tracking_numbers.set(order_number, tracking_number);
  },
  label: async (tx, { order_number, service, weight_grams }, { orders, tracking_numbers }) => {
    const parcel = { weight: weight_grams, weight_unit: "g" };
    const carrier = builtInCarrier(tx.mode).code;
    const input = { order_id: named(orders, order_number), carrier, service, package: parcel };
    const label = await buyTrackedLabel(tx, input, { actor, additional: false, quote: null, scans: "by_buyer" });
    return () => tracking_numbers.set(order_number, label.tracking_number ?? "");
  },
  scan: async (tx, { order_number, status, message, city, state, country }, { tracking_numbers }) => {
    const scan = { status, message, location: { city, country, ...(state === null ? {} : { state }) } };
    await recordScan(tx, named(tracking_numbers, order_number), scan, actor);
    return null;
  },
  return: async (tx, { order_number, reason, notes, items }, { orders, returns }) => {
    const stated = items.map((item) => ({ ...item, ...(notes === null ? {} : { notes }) }));
    const made = await createReturn(tx, { order_id: named(orders, order_number), reason, items: stated }, actor);
    return () => returns.set(order_number, wireId("return", made.id));
  },
  receive_return: async (tx, { order_number }, { returns }) => {
    await receiveReturn(tx, named(returns, order_number), {}, actor);
    return null;
  },
  inspect_return: async (tx, { order_number, items }, { orders, returns }) => {
    const lotOf = await shippedLots(tx, named(orders, order_number));
    const found = items.map((item) => ({ ...item, ...lotOf(item.sku) }));
    await inspectReturn(tx, named(returns, order_number), { items: found }, actor);
    return null;
  },
  refund_return: async (tx, { order_number }, { returns }) => {
    await refundReturn(tx, named(returns, order_number), {}, actor);
    return null;
  },
};

function named(things: ReadonlyMap<string, string>, name: string): string {
  const found = things.get(name);
  assert(found, `the sample business refers to ${name} before it exists`);
  return found;
}

/** The lot of most shipped units of a SKU; none without lot tracking. */
async function shippedLots(tx: Tx, order_id: string): Promise<(sku: string) => { lot_number?: string }> {
  const shipped = await lotsShipped(tx, readId("order", order_id) ?? 0);
  const products = await findProducts(tx, [...new Set(shipped.map(({ product_id }) => product_id))]);
  const skus = new Map(products.map(({ id, sku }) => [id, sku]));
  return (sku) => {
    const lot_number = shipped.find(({ product_id }) => skus.get(product_id) === sku)?.lot_number ?? null;
    return lot_number === null ? {} : { lot_number };
  };
}

async function warehouse(tx: Tx): Promise<string> {
  const [first] = await listPlainWarehouses(tx);
  assert(first, "a store has a warehouse after its first start");
  return wireId("warehouse", first.id);
}
