import { NoBody } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { list, read, rehearsable, routes, write } from "../http/routes.ts";
import { restockTaskView } from "../inventory/receiving/restock_task.ts";
import { listHomeBins, listRestockTasks } from "../inventory/receiving/restock_tasks.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { refundReturn, reportRefund, updateReturn } from "./refund_return.ts";
import { type Return, refundView, returnView } from "./return.ts";
import {
  CreateReturn,
  InspectedView,
  InspectReturn,
  items_max,
  ReceiveReturn,
  RefundPreview,
  RefundReturn,
  RefundView,
  ReportRefund,
  ReturnPreview,
  ReturnView,
  UpdateReturn,
} from "./returns.schema.ts";
import { getReturn, returnList, withItemsAndRefunds } from "./returns.sql.ts";
import { begin, closeReturn, createReturn, inspectReturn, receiveReturn } from "./returns.ts";

/** Routes of returns and their refunds. */
export const returnRoutes = routes("Returns", [
  rehearsable("POST", "/returns", "returns.write", {
    id: "createReturn",
    summary: "Create a return",
    description:
      "Announces that a buyer sends back units of an order; stock changes only once they are received. Shipped units" +
      " can be in one return at a time. The terms set the default of later refunds. Emits `return.created`.",
    refuses: ["ambiguous_identifier", "nothing_to_return", "resource_missing"],
    body: CreateReturn,
    view: ReturnView,
    preview: ReturnPreview,
    status: 201,
    act: async (tx, { call, body }) => returnView(await createReturn(tx, body, call.actor)),
  }),
  list("/returns", "returns.read", {
    id: "listReturns",
    summary: "List returns",
    description:
      "Lists returns with their items and refunds, newest first. `status=initiated&arrived=true` lists those whose" +
      " parcel has been delivered and has not been received yet.",
    refuses: ["ambiguous_identifier"],
    of: returnList,
    included: { as: "return", rows: returnList.ofIds },
    view: ReturnView,
    views: async (rows, db) => (await withItemsAndRefunds(db, rows)).map(returnView),
  }),
  read("/returns/:id", "returns.read", {
    id: "getReturn",
    summary: "Get a return",
    description:
      "Returns the return with its items, inspections and refunds. New scans of its parcel change the `ETag`," +
      " although not the `revision`.",
    tagged: true,
    view: ReturnView,
    data: async (db, { params }) => shown(await getReturn(db, params.id)),
  }),
  write("PATCH", "/returns/:id", "returns.write", {
    id: "updateReturn",
    summary: "Update a return",
    description:
      "Changes the return shipping, the terms of the refund or the buyer's email address, until the return is" +
      " cancelled. Items and reason are fixed: cancel the return and create another one. Recorded refunds stay as" +
      " they are; `refund_status` follows the new terms.",
    refuses: ["invalid_state_transition"],
    body: UpdateReturn,
    view: ReturnView,
    matches: current,
    act: async (tx, { params, body }) => shown(await updateReturn(tx, params.id, body)),
  }),
  rehearsable("POST", "/returns/:id/receive", "returns.receive", {
    id: "receiveReturn",
    summary: "Receive a return",
    description:
      "Adds the units to stock, in the returns bin of the warehouse that shipped them. They count as on hand and" +
      " `unavailable.returns`, and cannot be sold until they are inspected. May be repeated as parts arrive; once all" +
      " have, it changes nothing without `items`. Emits `return.received` and `inventory.updated`, and is billable.",
    refuses: ["invalid_state_transition"],
    body: ReceiveReturn,
    view: ReturnView,
    matches: current,
    act: async (tx, { call, params, body }) => shown(await receiveReturn(tx, params.id, body, call.actor)),
  }),
  rehearsable("POST", "/returns/:id/inspect", "returns.receive", {
    id: "inspectReturn",
    summary: "Inspect a return",
    description:
      "Records the findings for all received units, once, and moves them: `restock` to the `bin`, where they can be" +
      " sold, `quarantine` to the quarantine bin; `dispose` and `return_to_sender` take them out of stock. Units to" +
      " restock without a `bin` stay in the returns bin as `putbacks`. Emits `inventory.updated`; billable.",
    refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
    body: InspectReturn,
    view: InspectedView,
    matches: current,
    act: async (tx, { call, params, body }) => {
      const inspected = await inspectReturn(tx, params.id, body, call.actor);
      return { ...returnView(inspected), putbacks: await putBacksOf(tx, inspected.id) };
    },
  }),
  rehearsable("POST", "/returns/:id/close", "returns.write", {
    id: "closeReturn",
    summary: "Close a return without a refund",
    description:
      "Completes an inspected return for which nothing is paid, such as an exchange. Emits `return.processed`. A" +
      " closed return can still be refunded later.",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: ReturnView,
    matches: current,
    act: async (tx, { call, params }) => shown(await closeReturn(tx, params.id, call.actor)),
  }),
  rehearsable("POST", "/returns/:id/refund", "returns.refund", {
    id: "refundReturn",
    summary: "Refund a return",
    description:
      "Records a refund, which your system pays and reports with `POST /returns/{id}/refunds/{refund_id}`. The first" +
      " one completes the return and emits `return.processed`. Partial refunds may follow until the accepted units," +
      " and the shipping if requested, are refunded.",
    refuses: ["invalid_state_transition", "refund_exceeds_amount", "return_not_inspected"],
    body: RefundReturn,
    view: RefundView,
    preview: RefundPreview,
    status: 201,
    matches: current,
    act: async (tx, { call, params, body }) => refundView(await refundReturn(tx, params.id, body, call.actor)),
  }),
  write("POST", "/returns/:id/refunds/:refund_id", "returns.refund", {
    id: "reportRefund",
    summary: "Update the status of a refund",
    description:
      "Reports what became of the payment, and updates the `refund_status` of the return. `refunded` and `failed` are" +
      " final; repeating one changes nothing. No event is emitted.",
    refuses: ["invalid_state_transition"],
    body: ReportRefund,
    view: RefundView,
    matches: current,
    act: async (tx, { params, body }) => refundView(await reportRefund(tx, params.id, params.refund_id, body)),
  }),
]);

/** The restock tasks of a return. */
async function putBacksOf(db: Db, return_id: number) {
  const tasks = await listRestockTasks(db, { return_ids: [return_id] }, { limit: items_max, offset: 0, after: null });
  const homes = await listHomeBins(
    db,
    tasks.map(({ product_id }) => product_id),
  );
  return tasks.map((task) => restockTaskView(task, homes));
}

/**
 * Returns a return as its GET shows it. Tracking does not change its revision, so the ETag includes the tracking
 * status.
 */
export function shown(record: Return) {
  const { status, tracking_url } = record.return_shipping;
  return tagged(returnView(record), record.revision, [status, tracking_url, record.arrived_at]);
}

/** The return as its GET shows it, locked. */
async function current(tx: Tx, { params }: { readonly params: { readonly id: string } }) {
  return shown((await begin(tx, params.id)).before);
}

/** Checks `If-Match` against the locked return. Refuses: resource_missing, precondition_failed, malformed_header. */
export function requireRevision(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, () => current(tx, { params: { id } }));
}
