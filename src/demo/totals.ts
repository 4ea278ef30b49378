// What a plan comes to.
import type { PublicOrderStatus } from "../orders/status.ts";
import type { Act } from "./acts.ts";

/** The figures of the business once every act is done. */
interface PlanTotals {
  readonly acts: number;
  readonly products: number;
  readonly customers: number;
  readonly receipts: number;
  readonly units_received: number;
  readonly orders: number;
  readonly units_ordered: number;
  readonly returns: number;
  /** Orders that wait for goods; they are among the pending ones. */
  readonly backordered_orders: number;
  /** Orders by status, as the API shows it. */
  readonly orders_by_status: Readonly<Record<PublicOrderStatus, number>>;
}

/** A business as a list of acts in order of time, and its figures afterwards. */
export interface Plan {
  readonly acts: readonly Act[];
  readonly totals: PlanTotals;
}

/** An order's status after the last act of these kinds; other acts leave it as it is. */
const statusAfter: Partial<Record<Act["kind"], PublicOrderStatus>> = {
  order: "pending",
  hold: "on_hold",
  release: "pending",
  cancel: "cancelled",
  process: "processing",
  pack: "fulfilled",
  ship: "shipped",
};

/** Works out the figures of a business from its acts; `backordered_orders` of its orders wait for goods. */
export function addUp(acts: readonly Act[], backordered_orders: number): PlanTotals {
  const status = new Map<string, PublicOrderStatus>();
  let units_received = 0;
  let units_ordered = 0;
  for (const act of acts) {
    if (act.kind === "receipt") units_received += act.quantity;
    if (act.kind === "order") units_ordered += act.lines.reduce((sum, { quantity }) => sum + quantity, 0);
    const after = act.kind === "scan" && act.status === "delivered" ? "delivered" : statusAfter[act.kind];
    if (after !== undefined && "order_number" in act) status.set(act.order_number, after);
  }
  const orders_by_status = {
    pending: 0,
    processing: 0,
    fulfilled: 0,
    shipped: 0,
    delivered: 0,
    cancelled: 0,
    on_hold: 0,
  };
  for (const value of status.values()) orders_by_status[value]++;
  const count = (kind: Act["kind"]) => acts.filter((act) => act.kind === kind).length;
  return {
    acts: acts.length,
    products: count("product"),
    customers: count("customer"),
    receipts: count("receipt"),
    units_received,
    orders: count("order"),
    units_ordered,
    returns: count("return"),
    backordered_orders,
    orders_by_status,
  };
}
