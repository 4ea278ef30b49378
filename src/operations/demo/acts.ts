// The acts of the sample business, as data. Times are milliseconds since 1970; each act happens at its `at`.
import type { ContactAddress } from "../../core/postal_address.ts";
import type { CancelReason, HoldReason, PublicOrderStatus } from "../../orders/order.transitions.ts";
import type { Disposition, ReturnCondition, ReturnReason } from "../../returns/return.transitions.ts";
import type { TrackingEventStatus } from "../../shipping/carriers/tracking.transitions.ts";
import type { SampleCode } from "../../shipping/rates/sample_rate_cards.ts";
import type { ColdZone, SampleArticle } from "./catalogue.ts";

/** The services of the sample business: those of the sample rate cards, and one of its own. */
export type ServiceCode = SampleCode | "ground";

/** An address of the sample business: one line and no separate company. */
export type DemoAddress = Pick<ContactAddress, "name" | "address_line1" | "city" | "state" | "postal_code" | "country">;

/** A business customer, or a private one without a company. The first address is the default. */
export interface DemoBuyer {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly company: string | null;
  readonly phone: string;
  readonly addresses: readonly DemoAddress[];
}

/** A parcel with another carrier's label. */
export interface CarrierParcel {
  readonly carrier: string;
  readonly service: string;
  readonly tracking_number: string;
}

/** A line of an order, at the price agreed for one unit. */
export interface OrderedLine {
  readonly sku: string;
  readonly quantity: number;
  readonly unit_price_cents: number;
}

/** Returned units, and their condition. */
export interface ReturnedItem {
  readonly sku: string;
  readonly quantity: number;
  readonly condition: ReturnCondition;
}

/** The fields of each kind of act besides its time. Acts after `order` name the order by its number. */
interface DemoActFacts {
  /** Sets the warehouse's address and printed name, if it still has the example address. */
  warehouse: { readonly address: DemoAddress };
  /** `kept_for` is the code of the merchant that the bins are reserved for; null for any merchant. */
  zone: { readonly zone: ColdZone; readonly kept_for: string | null };
  /** The warehouse's own prices by zone, in addition to the sample cards. */
  tariff: object;
  product: { readonly article: SampleArticle };
  customer: { readonly buyer: DemoBuyer };
  /** Units from a supplier. Lot and expiry are null if the product does not expire. */
  receipt: {
    readonly sku: string;
    readonly quantity: number;
    readonly bin: string;
    readonly lot_number: string | null;
    readonly expiration_at: number | null;
    readonly unit_cost_cents: number;
    readonly reference: string;
  };
  order: {
    readonly order_number: string;
    readonly customer_email: string;
    /** The index in the buyer's addresses. */
    readonly address_index: number;
    readonly lines: readonly OrderedLine[];
    readonly shipping_method: ServiceCode;
    readonly shipping_amount_cents: number;
    /** Whether all products need cold storage, so that every unit must come from a cold zone. */
    readonly requires_cold_storage: boolean;
    readonly priority: number;
    readonly order_notes: string | null;
  };
  hold: { readonly order_number: string; readonly reason: HoldReason; readonly note: string };
  release: { readonly order_number: string };
  cancel: { readonly order_number: string; readonly reason: CancelReason; readonly note: string };
  process: { readonly order_number: string };
  pick: { readonly order_number: string };
  label: { readonly order_number: string; readonly service: ServiceCode; readonly weight_grams: number };
  pack: { readonly order_number: string };
  /** `parcel` describes an external carrier's label; null for a label bought through Packhouse. */
  ship: { readonly order_number: string; readonly parcel: CarrierParcel | null };
  /** A tracking scan of the order's parcel. */
  scan: {
    readonly order_number: string;
    readonly status: TrackingEventStatus;
    readonly message: string;
    readonly city: string;
    readonly state: string | null;
    readonly country: string;
  };
  return: {
    readonly order_number: string;
    readonly reason: ReturnReason;
    readonly notes: string | null;
    readonly items: readonly ReturnedItem[];
  };
  receive_return: { readonly order_number: string };
  inspect_return: {
    readonly order_number: string;
    readonly items: readonly (ReturnedItem & { readonly disposition: Disposition })[];
  };
  refund_return: { readonly order_number: string };
}

export type DemoActKind = keyof DemoActFacts;

/** One act of one kind. */
export type DemoActOf<Kind extends DemoActKind> = { readonly at: number; readonly kind: Kind } & DemoActFacts[Kind];

/** Any act of the sample business. */
export type DemoAct = { [Kind in DemoActKind]: DemoActOf<Kind> }[DemoActKind];

/** The figures of the business after all acts. */
interface PlanTotals {
  readonly acts: number;
  readonly products: number;
  readonly customers: number;
  readonly receipts: number;
  readonly units_received: number;
  readonly orders: number;
  readonly units_ordered: number;
  readonly returns: number;
  /** Orders that wait for stock. They are also counted as pending. */
  readonly backordered_orders: number;
  /** Orders by status, as the API shows it. */
  readonly orders_by_status: Readonly<Record<PublicOrderStatus, number>>;
}

/** A business as a list of acts in chronological order, and its final figures. */
export interface DemoPlan {
  readonly acts: readonly DemoAct[];
  readonly totals: PlanTotals;
}

/** The status of an order after an act of each kind. Other acts do not change it. */
const statusAfter: Partial<Record<DemoAct["kind"], PublicOrderStatus>> = {
  order: "pending",
  hold: "on_hold",
  release: "pending",
  cancel: "cancelled",
  process: "processing",
  pack: "fulfilled",
  ship: "shipped",
};

/** Calculates the figures of a business from its acts and its number of backordered orders. */
export function addUp(acts: readonly DemoAct[], backordered_orders: number): PlanTotals {
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
  const count = (kind: DemoAct["kind"]) => acts.filter((act) => act.kind === kind).length;
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
