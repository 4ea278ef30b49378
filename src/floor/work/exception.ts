// What needs a person: each kind with its cause, what to do about it, and where. Nothing is stored: an exception is
// over once its cause is gone.
import { iso } from "../../core/clock.ts";
import { type IdNoun, wireId, wireIdOrNull } from "../../core/ids.ts";
import { dayText } from "../../core/time_zone.ts";
import type { Permission } from "../../http/auth/permissions.ts";
import type { HoldReason } from "../../orders/order.transitions.ts";

export const exceptionKinds = [
  "hold",
  "short_pick",
  "carrier_discrepancy",
  "putback",
  "failed_label",
  "failed_print",
  "failed_import",
  "failed_report",
  "failed_stock_push",
  "failing_webhook",
  "expiring_lot",
  "return_inspection",
  "count_review",
] as const;
export type ExceptionKind = (typeof exceptionKinds)[number];

/** A record that needs a person. */
export interface Exception {
  readonly id: number;
  /** When its cause began (ms). */
  readonly since: number;
  readonly merchant_id: number | null;
  readonly warehouse_id: number | null;
  readonly order_id: number | null;
  /** The record that it is shown on, if that is neither itself nor its order: the connection of an import. */
  readonly parent_id: number | null;
  /** What people call it. */
  readonly name: string;
  /** The number of units, or the last day on sale. */
  readonly number: number | null;
  /** Why it failed, or the reason of a hold. */
  readonly detail: string | null;
}

/** How exceptions of a kind are shown. */
interface ShownKind {
  readonly needs: Permission;
  /** The operation that lists such records, if merchants may not call it despite the permission. */
  readonly list?: string;
  readonly cause: (exception: Exception) => string;
  readonly action: (exception: Exception) => string;
  /** Paths of the record in the API and on the dashboard. */
  readonly paths: (exception: Exception, id: string) => readonly [api: string, dashboard: string];
}

/** Why an order is held, and what to do. */
const holds: Readonly<Record<HoldReason, readonly [cause: string, action: string]>> = {
  manual: ["Someone put it on hold.", "Resolve the reason, then release the order."],
  address: ["It is on hold because of its address.", "Correct the address, then release the order."],
  payment: ["It is on hold until it is paid.", "Check the payment, then release or cancel the order."],
  fraud: ["It is on hold for suspected fraud.", "Check the order, then release or cancel it."],
  inventory: ["It is on hold because of its stock.", "Check the stock, then release the order."],
  customer_request: ["The customer asked to wait.", "Ask the customer, then release or cancel the order."],
  compliance: ["It is on hold for compliance.", "Check the requirement, then release or cancel the order."],
  other: ["It is on hold for another reason.", "Read the note of the hold, then release the order."],
  bad_address: ["Nothing can be delivered to its address.", "Correct the address. The order then continues."],
  address_hidden: ["The shop hides the buyer's address.", "Enter the address. The order then continues."],
  carrier_discrepancy: [
    "The carrier has its parcel, although the order was held, short or cancelled.",
    "Check what the parcel contains, then correct the order.",
  ],
  merchant_suspended: ["Its merchant is suspended.", "Reactivate the merchant. The order then continues."],
  recalled_lot: ["It contains units of a recalled lot.", "Take the units out. Others are then reserved."],
  short_pick: ["Units were not found, and there are no others.", "Find or receive the missing units, or cancel them."],
  unknown_sku: ["It has a SKU that is not in the catalog.", "Complete the product. The order then continues."],
  platform_change: ["The shop changed it after work had begun.", "Decide about the change, then release the order."],
};

const holdOf = ({ detail }: Exception) => holds[detail as HoldReason];
const order = ({ order_id }: Exception): readonly [string, string] => {
  const path = `/orders/${wireIdOrNull("order", order_id)}`;
  return [path, path];
};
const failure = ({ detail }: Exception) => detail ?? "The reason is not known.";
const ofHold: ShownKind = {
  needs: "orders.read",
  cause: (exception) => holdOf(exception)[0],
  action: (exception) => holdOf(exception)[1],
  paths: order,
};
const connection = ({ parent_id }: Exception) => wireId("connection", parent_id ?? 0);
const units = (number: number | null) => (number === 1 ? "1 unit" : `${number ?? 0} units`);

export const shownKinds: Readonly<Record<ExceptionKind, ShownKind>> = {
  hold: ofHold,
  short_pick: ofHold,
  carrier_discrepancy: ofHold,
  putback: {
    needs: "stock.read",
    list: "listPutBacks",
    cause: ({ number, detail }) => `${units(number)} in ${detail} ${number === 1 ? "is" : "are"} not on sale.`,
    action: () => "Put the units back into a storage bin.",
    paths: (exception) => {
      const query = `?order_id=${wireIdOrNull("order", exception.order_id)}`;
      return [`/inventory/putbacks${query}`, `/putbacks${query}`];
    },
  },
  failed_label: {
    needs: "shipping.read",
    cause: failure,
    action: () => "Correct the reason, then buy the label again.",
    paths: order,
  },
  failed_print: {
    needs: "floor.read",
    cause: failure,
    action: () => "Check the printer, then print it again.",
    paths: (exception, id) => [`/print_jobs/${id}`, order(exception)[1]],
  },
  failed_import: {
    needs: "platforms.manage",
    cause: failure,
    action: () => "Correct the reason, then import the order again.",
    paths: (exception) => [
      `/platforms/${connection(exception)}/imports`,
      `/settings/platforms/${connection(exception)}`,
    ],
  },
  failed_report: {
    needs: "platforms.manage",
    cause: failure,
    action: () => "Correct the reason, then report the parcel again.",
    paths: (exception) => [
      `/platforms/${connection(exception)}/reports`,
      `/settings/platforms/${connection(exception)}`,
    ],
  },
  failed_stock_push: {
    needs: "platforms.manage",
    cause: failure,
    action: () => "Correct the listing in the shop, or pause it here.",
    paths: (exception) => [
      `/platforms/${connection(exception)}/listings`,
      `/settings/platforms/${connection(exception)}`,
    ],
  },
  failing_webhook: {
    needs: "webhooks.read",
    cause: ({ detail }) =>
      detail === "disabled" ? "It was disabled after its receiver had failed for long." : "Its receiver fails.",
    action: ({ detail }) =>
      detail === "disabled"
        ? "Repair the receiver, enable the webhook and recover its events."
        : "Repair the receiver.",
    paths: (_, id) => [`/webhooks/${id}`, `/settings/webhooks/${id}`],
  },
  expiring_lot: {
    needs: "stock.read",
    cause: ({ number }) => `Its last day on sale is ${dayText(number ?? 0)}.`,
    action: () => "Sell the units before that day, or take them off sale.",
    paths: (_, id) => [`/inventory/lots/${id}`, `/lots/${id}`],
  },
  return_inspection: {
    needs: "returns.read",
    cause: () => "It was received and is not inspected.",
    action: () => "Inspect its units.",
    paths: (_, id) => [`/returns/${id}`, `/returns/${id}`],
  },
  count_review: {
    needs: "stock.read",
    list: "listCounts",
    cause: () => "It is counted and has not been posted.",
    action: () => "Check the differences, then post the count.",
    paths: (_, id) => [`/inventory/counts/${id}`, `/counts/${id}`],
  },
};

/** An exception as the API shows it. */
export function exceptionView(kind: ExceptionKind, noun: IdNoun, exception: Exception) {
  const { cause, action, paths } = shownKinds[kind];
  const id = wireId(noun, exception.id);
  const [api_path, dashboard_path] = paths(exception, id);
  return {
    id,
    kind,
    name: exception.name === "" ? id : exception.name,
    cause: cause(exception),
    action: action(exception),
    since: iso(exception.since),
    order_id: wireIdOrNull("order", exception.order_id),
    merchant_id: wireIdOrNull("merchant", exception.merchant_id),
    warehouse_id: wireIdOrNull("warehouse", exception.warehouse_id),
    api_path: `/v1${api_path}`,
    dashboard_path: `/dashboard${dashboard_path}`,
  };
}
