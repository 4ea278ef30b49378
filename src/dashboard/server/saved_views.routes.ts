// Saved views of lists, and the counts on their tabs. Only the dashboard uses them, with its session.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Fault, invalid } from "../../core/faults.ts";
import { bodyOf, checkOf, checkQuery, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { conventions } from "../../http/request_pipeline.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { unlisted } from "../../http/route.ts";
import { filterOf } from "../../orders/search/order_list.routes.ts";
import { FilterOrders } from "../../orders/search/order_list.schema.ts";
import { countMatching, type OrderFilter } from "../../orders/search/order_list.sql.ts";
import type { Tx } from "../../storage/database.ts";
import {
  ChangeView,
  CountedViews,
  CountViews,
  ListSavedViews,
  SavedViewView,
  SaveView,
  ViewCountsView,
} from "./saved_view.schema.ts";
import { listSavedViews, type SavedView } from "./saved_views.sql.ts";
import { changeView, lockView, removeView, savedViewView, saveView, viewCallerOf } from "./saved_views.ts";

const of_view = { detail: unlisted({ needs: "user", answers: { 200: EnvelopedView(SavedViewView) } }) };

/** The routes of saved views. */
export function savedViewRoutes() {
  return new Elysia({ prefix: "/dashboard/api" })
    .use(conventions)
    .get("/views", ({ call, query }) => list(call, query), {
      query: queryOf(ListSavedViews),
      detail: unlisted({ needs: "user", answers: { 200: EnvelopedView(Type.Array(SavedViewView)) } }),
    })
    .post("/views", ({ call, body }) => answerChange(call, 201, (tx) => saveView(tx, viewCallerOf(call), body)), {
      body: bodyOf(SaveView),
      detail: unlisted({ needs: "user", answers: { 201: EnvelopedView(SavedViewView) } }),
    })
    .patch("/views/:id", ({ call, params, body }) => change(call, params.id, body), {
      body: bodyOf(ChangeView),
      ...of_view,
    })
    .delete("/views/:id", ({ call, params }) => remove(call, params.id), of_view)
    .get("/view_counts", ({ call, query }) => countViews(call, query.views), {
      query: queryOf(CountViews),
      detail: unlisted({ needs: "orders.read", answers: { 200: EnvelopedView(ViewCountsView) } }),
    });
}

function list(call: Call, query: ListSavedViews): Promise<Response> {
  const caller = viewCallerOf(call);
  return answerRead(call, async (db) =>
    (await listSavedViews(db, caller, query.list)).map((view) => savedViewView(view, caller)),
  );
}

function change(call: Call, id: string, body: ChangeView): Promise<Response> {
  return answerChange(call, 200, async (tx) => {
    await matchView(tx, call, id);
    return changeView(tx, viewCallerOf(call), id, body);
  });
}

function remove(call: Call, id: string): Promise<Response> {
  return answerChange(call, 200, async (tx) => {
    await matchView(tx, call, id);
    return removeView(tx, viewCallerOf(call), id);
  });
}

/** Refuses: precondition_failed, and what `lockView` refuses. */
function matchView(tx: Tx, call: Call, id: string): Promise<void> {
  const caller = viewCallerOf(call);
  return requireMatch(call, async () => savedViewView(await lockView(tx, caller, id), caller));
}

function answerChange(call: Call, status: number, act: (tx: Tx) => Promise<SavedView>): Promise<Response> {
  // Views are preferences of users, which the audit trail does not record.
  const unaudited = { ...call, recording: null };
  return answerWrite(unaudited, status, async (tx) => savedViewView(await act(tx), viewCallerOf(call)));
}

/** Counts several views of the list of orders, as the list itself counts. */
async function countViews(call: Call, views: string): Promise<Response> {
  const filters = paramsIn(views).map((params) => filterIn(params, call));
  const counts: (number | null)[] = [];
  for (const filter of filters) {
    // Each in a read of its own: other requests are served between two of them.
    counts.push(filter && (await call.store.read((db) => countMatching(db, filter))));
  }
  return answerRead(call, async () => counts);
}

const checkViews = checkOf(CountedViews);

function paramsIn(text: string) {
  let views: unknown;
  try {
    views = JSON.parse(text);
  } catch {
    throw invalid("views", "must be a JSON list of the parameters of views");
  }
  return checkViews({ views }).views;
}

const checkFilter = checkQuery(FilterOrders);

/** The filter of a view's parameters; null if they are not the list's, as those of a later version. */
function filterIn(params: Readonly<Record<string, string>>, call: Call): OrderFilter | null {
  try {
    return filterOf(checkFilter(params), call);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}
