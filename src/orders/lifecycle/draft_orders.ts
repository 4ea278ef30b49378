import { verifyOffline } from "../../addresses/verify_address.ts";
import type { Actor } from "../../core/actor.ts";
import { Fault, orFault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import type { CustomerAddress } from "../../customers/customer.ts";
import { findRecipients } from "../../customers/customers.sql.ts";
import { allocateForOrder } from "../../inventory/reservations/order_allocations.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { findAllBySku, findProducts, listBundleParts } from "../../products/products.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { dispatchOf } from "../fulfillment/ship_dates.sql.ts";
import type { CreateOrder } from "../order.schema.ts";
import type { Order, OrderLine } from "../order.ts";
import { allocationOf, type LineInput, withAllocations } from "../order_lines.ts";
import { insertLines } from "../orders.sql.ts";
import { insertFirstHistory } from "../search/order_history.sql.ts";
import { draftOrder, type OrderDraft, type OrderReferences, type OrderSource } from "./order_draft.ts";

/** The source of orders that clients send to the API. */
export const fromApi: OrderSource = { platform: "api", external_id: null, stock: "api" };

/** Stores the lines of an order whose row is stored, allocates stock to them, and begins its history. */
export async function storeDraft(
  tx: Tx,
  id: number,
  draft: OrderDraft,
  how: { readonly stock: string; readonly reservation_id: number | null; readonly actor: Actor },
): Promise<Order> {
  const { fields, lines } = draft;
  const plain = newOrder(tx, id, draft, await insertLines(tx, { id, merchant_id: fields.merchant_id }, lines));
  const claim = { ...allocationOf(plain), reservation_id: how.reservation_id, source: how.stock };
  const claims = await allocateForOrder(tx, claim);
  const [dispatch] = await dispatchOf(tx, [plain]);
  await insertFirstHistory(tx, [{ id, status: fields.status, event: "create", actor: how.actor }]);
  return withAllocations({ ...plain, ...dispatch }, claims);
}

/** An order that has just been stored, before stock is allocated to it. */
export function newOrder(
  tx: Tx,
  id: number,
  { fields, suspended }: Pick<OrderDraft, "fields" | "suspended">,
  lines: readonly OrderLine[],
): Order {
  const stored = { version: 1, created_at: tx.now, updated_at: tx.now, suspended };
  return { id, ...fields, ...stored, lines, holds: [], shipments: [], returns: [], calendars: [], promised_by: null };
}

/**
 * Drafts of the orders that these inputs describe, or what is wrong with each, in a few queries for all. `imported`
 * orders may have inactive products and an incomplete address. For an input with an entry in `owners`, only that
 * merchant's records exist.
 */
export async function draftOrders(
  tx: Tx,
  inputs: readonly CreateOrder[],
  source: OrderSource,
  imported = false,
  owners: readonly (number | null)[] = [],
): Promise<(OrderDraft | Fault)[]> {
  const named_recipients = await findRecipients(
    tx,
    inputs.map((input) => ({
      customer_id: readId("customer", input.customer_id) ?? 0,
      address_id: readId("address", input.shipping_address_id) ?? 0,
    })),
  );
  const recipients = await checkedRecipients(tx, named_recipients);
  const products = await productsOf(
    tx,
    inputs.flatMap(({ line_items }) => line_items),
  );
  const warehouses = inputs.some(({ warehouse_id }) => warehouse_id != null) ? await listPlainWarehouses(tx) : [];
  return inputs.map((input, at) => {
    const id = input.warehouse_id == null ? null : readId("warehouse", input.warehouse_id);
    const requested_warehouse = warehouses.find((warehouse) => warehouse.id === id) ?? null;
    const named = { recipient: recipients[at] ?? null, products, requested_warehouse };
    return orFault(() => draftOrder(input, ofOwner(named, owners[at] ?? null), source, imported));
  });
}

/** The records that an order refers to, limited to those of a merchant unless it is null. */
function ofOwner({ recipient, products, requested_warehouse }: OrderReferences, owner: number | null): OrderReferences {
  if (owner === null) return { recipient, products, requested_warehouse };
  return {
    recipient: recipient?.buyer.merchant_id === owner ? recipient : null,
    products: products.filter(({ merchant_id }) => merchant_id === owner),
    requested_warehouse,
  };
}

/** The products of all merchants that lines name, with the components of bundles. Unknown ones are left out. */
export async function productsOf(tx: Tx, items: readonly LineInput[]) {
  const ids = items.flatMap(({ product_id }) => (product_id === undefined ? [] : [readId("product", product_id) ?? 0]));
  const skus = items.flatMap(({ product_id, sku }) => (product_id === undefined && sku !== undefined ? [sku] : []));
  const products = [
    ...(ids.length === 0 ? [] : await findProducts(tx, ids)),
    ...(skus.length === 0 ? [] : await findAllBySku(tx, skus)),
  ];
  const bundles = products.filter(({ type }) => type === "bundle").map(({ id }) => id);
  const parts = Map.groupBy(await listBundleParts(tx, bundles), (part) => part.bundle_id);
  return products.map((product) => ({ ...product, parts: parts.get(product.id) ?? [] }));
}

/** The refusal of an order number that is taken. */
export function takenNumber(order_number: string, existing: number | null): Fault {
  return new Fault("duplicate_order_number", `An order with the number ${order_number} already exists.`, {
    existing_id: existing === null ? null : wireId("order", existing),
  });
}

type DraftRecipient = OrderReferences["recipient"];

/** Recipients with checked addresses: those never checked before are checked now, in one query for all. */
export async function checkedRecipients(tx: Tx, recipients: readonly DraftRecipient[]): Promise<DraftRecipient[]> {
  const old = recipients.flatMap((recipient) => {
    const address = recipient?.address ?? null;
    return address !== null && address.verification === null ? address : [];
  });
  if (old.length === 0) return [...recipients];
  const verifications = await verifyOffline(tx, old);
  const checked = new Map(old.map((address, at) => [address, { ...address, verification: verifications[at] ?? null }]));
  return recipients.map((recipient) => {
    return (
      recipient && { ...recipient, address: checked.get(recipient.address as CustomerAddress) ?? recipient.address }
    );
  });
}
