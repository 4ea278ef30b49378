import { isDeepStrictEqual } from "node:util";
import { addressProblems } from "../addresses/offline_verification.ts";
import { Fault, type FieldProblem, invalid, invalidFields, ofFields } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { centsOf, money, moneyText, readCents } from "../core/money.ts";
import { line_amount_max } from "../core/schema.ts";
import { actionsIn } from "../core/transitions.ts";
import type { AllocationLine, OrderAllocation } from "../inventory/reservations/reservation.ts";
import { orderable } from "../products/product.ts";
import { isPickup, type OrderAction, orderTransitions } from "./order.transitions.ts";
import {
  actionsOf,
  costOf,
  hinderedBy,
  hindrance,
  type LineAmounts,
  type LinePart,
  type Order,
  type OrderLine,
  partsOf,
  publicStatus,
  uncancelledUnits,
} from "./order.ts";

/**
 * Refuses: invalid_state_transition (an action that the order does not allow now; the refusal lists those it does).
 */
export function refuseForbidden(order: Order, action: OrderAction): void {
  if (!actionsOf(order).includes(action)) throw refusal(order, action, hindrance(order, action));
}

/** Refuses: pickup_order (an order that is not shipped, since its buyer collects it). */
export function refusePickup(order: Order): void {
  if (!isPickup(order)) return;
  const message = `The buyer collects order ${order.order_number}, so it is not shipped. Pack it, then deliver it.`;
  throw new Fault("pickup_order", message);
}

/** An `invalid_state_transition`: the attempted action, the current status, and the reason. */
export function refusal(order: Order, action: string, why: string | null = null): Fault {
  const reasons = hinderedBy(order);
  const from = publicStatus({ ...order, held: order.held || reasons.length > 0 });
  const state = reasons.length > 0 ? `on hold (${reasons.join(", ")})` : from;
  return new Fault("invalid_state_transition", `Cannot ${action} while ${state}${why === null ? "" : `: ${why}`}.`, {
    from,
    action,
    allowed_actions: actionsOf(order),
  });
}

/** The order with its current allocation. */
export function withAllocations(order: Order, claims: readonly AllocationLine[]): Order {
  const of = Map.groupBy(claims, (claim) => claim.order_line_id);
  return { ...order, lines: order.lines.map((line) => allocatedLine(line, of.get(line.id) ?? [])) };
}

const nothing = { wanted: 0, reserved: 0, picked: 0 };

type AllocationCounts = "wanted" | "reserved" | "picked";
interface UnallocatedLine extends Omit<OrderLine, AllocationCounts | "components"> {
  readonly components: readonly Omit<LinePart, AllocationCounts>[] | null;
}

/** The line with its allocation; for a bundle, only whole sets count. */
export function allocatedLine(line: UnallocatedLine, claims: readonly AllocationLine[]): OrderLine {
  if (line.components === null) {
    const { wanted, reserved, picked } = claims[0] ?? nothing;
    return { ...line, components: null, wanted, reserved, picked };
  }
  const components = line.components.map((part) => {
    const { wanted, reserved, picked } = claims.find(({ product_id }) => product_id === part.product_id) ?? nothing;
    return { ...part, wanted, reserved, picked };
  });
  const sets = (count: AllocationCounts) =>
    Math.min(...components.map((part) => Math.floor(part[count] / part.quantity)));
  return { ...line, components, wanted: sets("wanted"), reserved: sets("reserved"), picked: sets("picked") };
}

/** What an order wants of the stock before any unit of it has shipped. */
export function allocationOf(order: Order): OrderAllocation {
  const { id, order_number, priority, warehouse_id, requires_cold_storage, allow_backorder, lines } = order;
  return {
    merchant_id: order.merchant_id,
    order_id: id,
    order_number,
    source: order.source_platform,
    priority,
    warehouse_id,
    requires_cold_storage,
    allow_backorder,
    reservation_id: null,
    lines: lines.flatMap((line) =>
      partsOf(line).map(({ product_id, quantity }) => {
        return { order_line_id: line.id, product_id, quantity: uncancelledUnits(line) * quantity };
      }),
    ),
  };
}

/** The problem of a field that names something that does not exist. */
export function noSuch(field: string, message: string): FieldProblem {
  return { field, code: "resource_missing", message };
}

/** Refuses: validation_failed (an address that is incomplete or in no known country). */
export function refuseIncomplete(address: Parameters<typeof addressProblems>[0]): void {
  const problems = addressProblems(address);
  if (problems.length === 0) return;
  throw invalid("shipping_address_id", `names an address that cannot be delivered to: ${problemsText(problems)}`);
}

/** Problems of fields as one text: `city is required, postal_code is not a postal code of US`. */
export function problemsText(problems: readonly FieldProblem[]): string {
  return problems.map(({ field, message }) => `${field} ${message}`).join(", ");
}

/** The amounts of a line in a request. */
interface AmountsInput {
  readonly quantity: number;
  readonly unit_price?: string | number | undefined;
  readonly discount_amount?: string | number | undefined;
  readonly line_total?: string | number | undefined;
}

/** A line in a request. */
export interface LineInput extends AmountsInput {
  readonly product_id?: string | number | undefined;
  readonly sku?: string | undefined;
}

/** The fields of a product that an order needs. */
export interface OrderedProduct {
  readonly id: number;
  readonly merchant_id: number;
  readonly sku: string;
  readonly name: string;
  readonly status: string;
  /** The components of a bundle; empty for a simple product. */
  readonly parts: readonly OrderedPart[];
}

/** A component of a bundle that is ordered. */
interface OrderedPart {
  readonly product_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly status: string;
}

/** The problems of lines whose products do not exist. Refuses: validation_failed (lines that name no product). */
export function missingProducts(items: readonly LineInput[], products: readonly OrderedProduct[]): FieldProblem[] {
  const unnamed = items.flatMap((item, at) => {
    if (item.product_id !== undefined || item.sku !== undefined) return [];
    return [{ field: `line_items[${at}].product_id`, code: "required", message: "is required unless sku is given" }];
  });
  if (unnamed.length > 0) throw invalidFields(unnamed);
  return items.flatMap((item, at) => {
    if (productOf(item, products) !== undefined) return [];
    const { sku, product_id } = item;
    const [name, value] = product_id === undefined ? ["sku", sku] : ["product_id", product_id];
    return [noSuch(`line_items[${at}].${name}`, `names no product: ${value}`)];
  });
}

function productOf({ product_id, sku }: LineInput, products: readonly OrderedProduct[]) {
  if (product_id === undefined) return products.find((product) => product.sku === sku);
  const id = readId("product", product_id);
  return products.find((product) => product.id === id);
}

/** The product as if it and its components were active. */
export function asActive<Known extends OrderedProduct>(product: Known): Known {
  return { ...product, status: orderable, parts: product.parts.map((part) => ({ ...part, status: orderable })) };
}

/** The order lines of a request. All products exist. Refuses: validation_failed. */
export function orderedLines(items: readonly LineInput[], products: readonly OrderedProduct[], currency: string) {
  return items.map((item, at) => {
    const product = productOf(item, products) as OrderedProduct;
    const field = `line_items[${at}]`;
    if (item.sku !== undefined && item.sku !== product.sku) {
      throw invalid(`${field}.sku`, `is not the SKU of ${wireId("product", product.id)}`);
    }
    if (product.status !== orderable) {
      throw invalid(`${field}.${item.product_id === undefined ? "sku" : "product_id"}`, "is inactive", "inactive");
    }
    const ended = product.parts.find(({ status }) => status !== orderable);
    if (ended !== undefined) throw invalid(`${field}.sku`, `contains ${ended.sku}, which is inactive`, "inactive");
    const parts = product.parts.map(({ product_id, sku, quantity }) => ({ product_id, sku, quantity, ...nothing }));
    return {
      product_id: product.id,
      sku: product.sku,
      name: product.name,
      components: parts.length === 0 ? null : parts,
      ...amountsOf(item, currency, `${field}.`),
    };
  });
}

// All lines together can be added up exactly in any currency.
const subtotal_cents_max = line_amount_max * 1000;

/**
 * The amounts of a line. A request gives a unit price, a discount, a total, or some of these, which must agree. For a
 * total alone, the unit price is the lowest that covers it. Fields with problems are named after `prefix`.
 * Refuses: validation_failed.
 */
export function amountsOf(input: AmountsInput, currency: string, prefix = ""): LineAmounts {
  const { quantity, unit_price, discount_amount, line_total } = input;
  const cents = (amount: string | number | undefined, field: string) =>
    amount === undefined ? null : centsOf(amount, currency, prefix + field);
  const total = cents(line_total, "line_total");
  if (unit_price === undefined && (total === null || discount_amount !== undefined)) {
    throw invalid(`${prefix}unit_price`, "is required unless only line_total is sent", "required");
  }
  const price = cents(unit_price, "unit_price");
  const unit_price_cents = price ?? Math.ceil((total ?? 0) / quantity);
  const full = quantity * unit_price_cents;
  const text = (cents: number) => moneyText(cents, currency);
  if (money(full, currency) > line_amount_max)
    throw invalid(`${prefix}unit_price`, "exceeds the maximum of an order", "too_large");
  const discount = cents(discount_amount, "discount_amount");
  if ((discount ?? 0) > full) {
    throw invalid(`${prefix}discount_amount`, `is more than unit_price × quantity (${text(full)})`, "too_large");
  }
  if ((total ?? 0) > full) {
    const message = `is more than unit_price × quantity (${text(full)}): round the unit price up or omit it`;
    throw invalid(`${prefix}line_total`, message, "too_large");
  }
  const discount_cents = discount ?? (total === null ? 0 : full - total);
  if (total !== null && total !== full - discount_cents) {
    const message = `is not unit_price × quantity minus discount_amount, which is ${text(full - discount_cents)}`;
    throw invalid(`${prefix}line_total`, message, "conflict");
  }
  return { quantity, unit_price_cents, discount_cents };
}

/**
 * The cost of the lines in cents, without cancelled units.
 * Refuses: validation_failed (more than can be added up exactly).
 */
export function subtotalOf(lines: readonly PricedOrderLine[]): number {
  let sum = 0;
  for (const { quantity_cancelled = 0, ...amounts } of lines) {
    sum += costOf(amounts, uncancelledUnits({ quantity: amounts.quantity, quantity_cancelled }));
    if (sum > subtotal_cents_max) throw invalid("line_items", "exceed the maximum of an order", "too_large");
  }
  return sum;
}

type PricedOrderLine = LineAmounts & { readonly quantity_cancelled?: number };

/** Whether two lists of lines have the same products, quantities and amounts. */
export function sameLines(some: readonly OrderLine[], others: readonly OrderedAmounts[]): boolean {
  const key = ({ product_id, quantity, unit_price_cents, discount_cents }: OrderedAmounts) =>
    [product_id, quantity, unit_price_cents, discount_cents].join(":");
  return some.map(key).sort().join() === others.map(key).sort().join();
}

type OrderedAmounts = LineAmounts & Pick<OrderLine, "product_id">;

/** The fields of an order that a client may send back but not change. */
interface FixedInput {
  readonly order_number?: string | undefined;
  readonly customer_id?: string | number | undefined;
  readonly status?: string | undefined;
  readonly currency?: string | undefined;
  readonly shipping_amount?: string | number | undefined;
  readonly allow_backorder?: boolean | undefined;
  readonly fulfillment_type?: string | undefined;
  readonly warehouse_id?: string | number | null | undefined;
}

/** Refuses: immutable_field (another value for a fixed field), validation_failed (another `status`). */
export function refuseImmutable(order: Order, input: FixedInput): void {
  const { warehouse_id } = input;
  const fixed: Record<string, readonly [unknown, unknown]> = {
    order_number: [input.order_number, order.order_number],
    customer_id: [
      input.customer_id === undefined ? undefined : readId("customer", input.customer_id),
      order.customer_id,
    ],
    currency: [input.currency, order.currency],
    shipping_amount: [
      input.shipping_amount === undefined ? undefined : readCents(input.shipping_amount, order.currency),
      order.shipping_amount_cents,
    ],
    allow_backorder: [input.allow_backorder, order.allow_backorder],
    fulfillment_type: [input.fulfillment_type, order.fulfillment_type],
    warehouse_id: [warehouse_id == null ? warehouse_id : readId("warehouse", warehouse_id), order.warehouse_id],
  };
  const fields = Object.entries(fixed)
    .filter(([, [value, own]]) => value !== undefined && value !== own)
    .map(([field]) => ({ field, code: "immutable_field", message: "cannot change" }));
  if (fields.length > 0) throw ofFields("immutable_field", fields);
  if (input.status !== undefined && input.status !== publicStatus(order)) {
    const actions = actionsIn(orderTransitions).filter((action) => action !== "cancel");
    throw invalid(
      "status",
      `can only be changed by POST /orders/:id/{${actions.join(",")}} and DELETE /orders/:id`,
      "immutable_field",
    );
  }
}

const changeable = [
  "shipping_method",
  "shipping_method_code",
  "order_notes",
  "packing_note",
  "tags",
  "requires_cold_storage",
  "priority",
  "metadata",
] as const;

type ChangeableField = (typeof changeable)[number];

/** The fields of an order that a client may change. */
type ChangeableInput = { readonly [Name in ChangeableField]?: Order[Name] | undefined };

/** The fields that would get another value; null when none would. */
export function changedFields(order: Order, input: ChangeableInput): Partial<Pick<Order, ChangeableField>> | null {
  const changed = changeable.filter(
    (name) => input[name] !== undefined && JSON.stringify(input[name]) !== JSON.stringify(order[name]),
  );
  return changed.length === 0 ? null : Object.fromEntries(changed.map((name) => [name, input[name]]));
}

const word_max = 40;

/** The changes of an order as text: `priority: 0 > 5, shipping_address_id: adr_1 > adr_2, line_items`. */
export function changesText(before: Order, after: Order): string {
  const shortened = (value: unknown) => {
    const text = value === null || String(value) === "" ? "none" : [value].flat().join(", ");
    return text.length > word_max ? `${text.slice(0, word_max)}…` : text;
  };
  const fields = changeable.flatMap((name) => {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) return [];
    return name === "metadata" ? name : `${name}: ${shortened(before[name])} > ${shortened(after[name])}`;
  });
  const address = [before, after].map((order) => wireId("address", order.shipping_address_id));
  const corrected = before.shipping_address === after.shipping_address ? [] : ["shipping_address"];
  const changes = [
    ...fields,
    ...(isDeepStrictEqual(before.shipping_choice, after.shipping_choice) ? [] : ["shipping_choice"]),
    ...(address[0] === address[1] ? corrected : [`shipping_address_id: ${address.join(" > ")}`]),
    ...(before.lines === after.lines ? [] : ["line_items"]),
  ];
  const decided = isDeepStrictEqual(before.decided_by, after.decided_by) ? [] : ["decided_by"];
  return (changes.length === 0 ? decided : changes).join(", ");
}
