import { NoBody } from "../core/schema.ts";
import type { Call } from "../http/call.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { list, read, rehearsable, routes, write } from "../http/routes.ts";
import { restockTaskView } from "../inventory/receiving/restock_task.ts";
import { listHomeBins, listRestockTasks } from "../inventory/receiving/restock_tasks.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { refundReturn, reportRefund } from "./refund_return.ts";
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
import { begin, closeReturn, createReturn, inspectReturn, receiveReturn, updateReturn } from "./returns.ts";

/** Routes of returns and their refunds. */
export const returnRoutes = routes("Returns", [
  rehearsable("POST", "/returns", "returns.write", {
    id: "createReturn",
    summary: "Create a return",
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
    refuses: ["ambiguous_identifier"],
    of: returnList,
    included: { as: "return", rows: returnList.ofIds },
    view: ReturnView,
    views: async (rows, db) => (await withItemsAndRefunds(db, rows)).map(returnView),
  }),
  read("/returns/:id", "returns.read", {
    id: "getReturn",
    summary: "Get a return",
    tagged: true,
    view: ReturnView,
    data: async (db, { params }) => shown(await getReturn(db, params.id)),
  }),
  write("PATCH", "/returns/:id", "returns.write", {
    id: "updateReturn",
    summary: "Update a return",
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
      " `unavailable.returns`, and cannot be sold. Parts may arrive one by one. Without `items`, all units that have" +
      " not arrived are received; if there are none, nothing changes.",
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
      "Moves the received units out of the returns bin: `restock` to the `bin`, where they can be sold, and" +
      " `quarantine` to the quarantine bin. `dispose` writes them off, and `return_to_sender` sends them back to the" +
      " customer. Units to restock without a `bin` stay in the returns bin and cannot be sold. `putbacks` lists" +
      " them with a suggested bin for each. `POST /inventory/putbacks` restocks them.",
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
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: ReturnView,
    matches: current,
    act: async (tx, { call, params }) => shown(await closeReturn(tx, params.id, call.actor)),
  }),
  rehearsable("POST", "/returns/:id/refund", "returns.refund", {
    id: "refundReturn",
    summary: "Refund a return",
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
