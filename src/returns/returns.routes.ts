import { Elysia } from "elysia";
import { momentOf } from "../core/clock.ts";
import { bodyOf, DryRunQuery, queryOf } from "../core/schema.ts";
import type { RouteNeed } from "../http/auth/permissions.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { EnvelopedView, ListView } from "../http/envelope.ts";
import { answerList } from "../http/pagination.ts";
import { requireMatch, tagged } from "../http/preconditions.ts";
import { answerAct, RehearsableView, type RehearsalRequest } from "../http/rehearsals.ts";
import { answerRead, answerWrite } from "../http/response.ts";
import { documented, type RouteNotes } from "../http/route.ts";
import { restockTaskView } from "../inventory/receiving/restock_task.ts";
import { listHomeBins, listRestockTasks } from "../inventory/receiving/restock_tasks.sql.ts";
import { findOrderId } from "../orders/lifecycle/order_lookup.sql.ts";
import type { Db, Tx } from "../storage/database.ts";
import { refundReturn, reportRefund } from "./refund_return.ts";
import { type Return, refundView, returnView } from "./return.ts";
import {
  CreateReturn,
  InspectedView,
  InspectReturn,
  items_max,
  ListReturns,
  NoBody,
  ReceiveReturn,
  RefundReturn,
  RefundView,
  ReportRefund,
  ReturnView,
  UpdateReturn,
} from "./returns.schema.ts";
import { countReturns, getReturn, listReturns, longReturns, withItemsAndRefunds } from "./returns.sql.ts";
import { begin, closeReturn, createReturn, inspectReturn, receiveReturn, updateReturn } from "./returns.ts";

const returnNotes = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({ id, needs, chapter: "Returns", summary, answers: { 200: EnvelopedView(ReturnView) }, ...more });

/** Routes of returns and their refunds. */
export const returnRoutes = new Elysia({ prefix: "/returns" })
  .use(conventions)
  .post(
    "",
    ({ call, body, query: { dry_run } }) =>
      answerAct(call, { status: 201, dry_run }, async (tx) => returnView(await createReturn(tx, body, call.actor))),
    {
      body: bodyOf(CreateReturn),
      query: queryOf(DryRunQuery),
      detail: documented({
        id: "createReturn",
        needs: "returns.write",
        chapter: "Returns",
        summary: "Create a return",
        refuses: ["ambiguous_identifier", "nothing_to_return", "resource_missing"],
        answers: { 200: RehearsableView(ReturnView), 201: EnvelopedView(ReturnView) },
      }),
    },
  )
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListReturns),
    detail: documented({
      id: "listReturns",
      needs: "returns.read",
      chapter: "Returns",
      summary: "List returns",
      refuses: ["ambiguous_identifier"],
      answers: { 200: ListView(ReturnView) },
    }),
  })
  .get("/:id", ({ call, params }) => answerRead(call, async (db) => shown(await getReturn(db, params.id))), {
    detail: returnNotes("getReturn", "returns.read", "Get a return", { tagged: true }),
  })
  .patch("/:id", ({ call, params, body }) => step(call, params.id, {}, (tx) => updateReturn(tx, params.id, body)), {
    body: bodyOf(UpdateReturn),
    detail: returnNotes("updateReturn", "returns.write", "Update a return", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  })
  .post(
    "/:id/receive",
    ({ call, params, body, query }) =>
      step(call, params.id, query, (tx) => receiveReturn(tx, params.id, body, call.actor)),
    {
      body: bodyOf(ReceiveReturn),
      query: queryOf(DryRunQuery),
      detail: returnNotes("receiveReturn", "returns.receive", "Receive a return", {
        answers: { 200: RehearsableView(ReturnView) },
        matches: true,
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post(
    "/:id/inspect",
    ({ call, params, body, query }) =>
      answerAct(call, query, async (tx) => {
        await requireVersion(tx, call, params.id);
        const inspected = await inspectReturn(tx, params.id, body, call.actor);
        return { ...returnView(inspected), putbacks: await putBacksOf(tx, inspected.id) };
      }),
    {
      body: bodyOf(InspectReturn),
      query: queryOf(DryRunQuery),
      detail: returnNotes("inspectReturn", "returns.receive", "Inspect a return", {
        matches: true,
        refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
        answers: { 200: RehearsableView(InspectedView) },
        description:
          "Units to restock without a `bin` go to the returns bin and cannot be sold. `putbacks` lists" +
          " them with a suggested bin for each. `POST /inventory/putbacks` restocks them.",
      }),
    },
  )
  .post(
    "/:id/close",
    ({ call, params, query }) => step(call, params.id, query, (tx) => closeReturn(tx, params.id, call.actor)),
    {
      body: bodyOf(NoBody),
      query: queryOf(DryRunQuery),
      detail: returnNotes("closeReturn", "returns.write", "Close a return without a refund", {
        answers: { 200: RehearsableView(ReturnView) },
        matches: true,
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post(
    "/:id/refund",
    ({ call, params, body, query: { dry_run } }) =>
      answerAct(call, { status: 201, dry_run }, async (tx) => {
        await requireVersion(tx, call, params.id);
        return refundView(await refundReturn(tx, params.id, body, call.actor));
      }),
    {
      body: bodyOf(RefundReturn),
      query: queryOf(DryRunQuery),
      detail: documented({
        id: "refundReturn",
        needs: "returns.refund",
        chapter: "Returns",
        matches: true,
        summary: "Refund a return",
        refuses: ["invalid_state_transition", "refund_exceeds_amount", "return_not_inspected"],
        answers: { 200: RehearsableView(RefundView), 201: EnvelopedView(RefundView) },
      }),
    },
  )
  .post(
    "/:id/refunds/:refund_id",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        await requireVersion(tx, call, params.id);
        return refundView(await reportRefund(tx, params.id, params.refund_id, body));
      }),
    {
      body: bodyOf(ReportRefund),
      detail: documented({
        id: "reportRefund",
        needs: "returns.refund",
        chapter: "Returns",
        matches: true,
        summary: "Update the status of a refund",
        refuses: ["invalid_state_transition"],
        answers: { 200: EnvelopedView(RefundView) },
      }),
    },
  );

/** The restock tasks of a return. */
async function putBacksOf(db: Db, return_id: number) {
  const tasks = await listRestockTasks(db, { return_id }, { limit: items_max, offset: 0, after: null });
  const homes = await listHomeBins(
    db,
    tasks.map(({ product_id }) => product_id),
  );
  return tasks.map((task) => restockTaskView(task, homes));
}

function step(call: Call, id: string, request: RehearsalRequest, work: (tx: Tx) => Promise<Return>): Promise<Response> {
  return answerAct(call, request, async (tx) => {
    await requireVersion(tx, call, id);
    return shown(await work(tx));
  });
}

/**
 * Returns a return as its GET shows it. Tracking does not change its version, so the ETag includes the tracking
 * status.
 */
export function shown(record: Return) {
  const { status, tracking_url } = record.return_shipping;
  return tagged(returnView(record), record.version, [status, tracking_url, record.arrived_at]);
}

/** Checks `If-Match` against the locked return. Refuses: resource_missing, precondition_failed, malformed_header. */
export function requireVersion(tx: Tx, call: Call, id: string): Promise<void> {
  return requireMatch(call, async () => shown((await begin(tx, id)).before));
}

async function list(call: Call, query: ListReturns): Promise<Response> {
  const { status, order_id, arrived, created_after, created_before } = query;
  const filter = {
    status,
    arrived,
    order_id: await orderOf(call, order_id),
    created_after: momentOf(created_after),
    created_before: momentOf(created_before),
  };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listReturns(db, filter, window),
      count: (db) => countReturns(db, filter),
      position: ({ created_at, id }) => [created_at, id],
      long: longReturns,
    },
    async (rows, db) => (await withItemsAndRefunds(db, rows)).map(returnView),
  );
}

/** The order of a filter. An unknown order is 0, which no order has, so that the list is empty. */
async function orderOf(call: Call, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined;
  return (await call.store.read((db) => findOrderId(db, name, "order_id"))) ?? 0;
}
