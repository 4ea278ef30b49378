import { Elysia } from "elysia";
import { readId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import type { RouteNeed } from "../../http/auth/permissions.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented, type RouteNotes } from "../../http/route.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { shortfallsView } from "../reservations/reservation.ts";
import {
  CountView,
  ListCounts,
  NoFields,
  OpenCount,
  PlainCountView,
  PostCount,
  PostedView,
  RecordLines,
} from "./count.schema.ts";
import { countView, type InventoryCount, plainCountView } from "./count.ts";
import { countCounts, getCount, listCounts, listProgress, lockCount } from "./counts.sql.ts";
import { cancelCount, openCount, postCount, recordLines, reviewCount } from "./counts.ts";

const countRoute = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({ id, needs, chapter: "Cycle counts", summary, answers: { 200: EnvelopedView(CountView) }, ...more });

/** Cycle counts: open, count, review, post. */
export const countRoutes = new Elysia({ prefix: "/inventory/counts" })
  .use(conventions)
  .post(
    "",
    ({ call, body }) => answerWrite(call, 201, async (tx) => countView(await openCount(tx, body, call.actor))),
    {
      body: bodyOf(OpenCount),
      detail: documented({
        id: "openCount",
        needs: "stock.write",
        chapter: "Cycle counts",
        summary: "Open a cycle count",
        refuses: ["resource_missing"],
        answers: { 201: EnvelopedView(CountView) },
      }),
    },
  )
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListCounts),
    detail: documented({
      id: "listCounts",
      needs: "stock.read",
      chapter: "Cycle counts",
      summary: "List cycle counts",
      answers: { 200: ListView(PlainCountView) },
    }),
  })
  .get("/:id", ({ call, params }) => answerRead(call, async (db) => countView(await getCount(ofAll(db), params.id))), {
    detail: countRoute("getCount", "stock.read", "Get a cycle count"),
  })
  .post(
    "/:id/lines",
    ({ call, params, body }) => step(call, params.id, (tx) => recordLines(tx, params.id, body, call.actor)),
    {
      body: bodyOf(RecordLines),
      detail: countRoute("recordCount", "stock.floor", "Record counted units", {
        matches: true,
        refuses: ["ambiguous_stock", "invalid_state_transition", "merchant_closed", "resource_missing"],
      }),
    },
  )
  .post("/:id/review", ({ call, params }) => step(call, params.id, (tx) => reviewCount(tx, params.id)), {
    body: bodyOf(NoFields),
    detail: countRoute("reviewCount", "stock.write", "Review a cycle count", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  })
  .post(
    "/:id/post",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (own) => {
        const tx = ofAll(own);
        await requireMatch(call, () => lockCount(tx, params.id));
        const { count, shortfalls } = await postCount(tx, params.id, body, call.actor);
        return { ...countView(count), backordered_orders: shortfallsView(shortfalls) };
      }),
    {
      body: bodyOf(PostCount),
      detail: documented({
        id: "postCount",
        needs: "stock.write",
        chapter: "Cycle counts",
        matches: true,
        summary: "Post a cycle count",
        refuses: ["invalid_state_transition", "merchant_closed", "quantity_conflict", "would_break_reservations"],
        answers: { 200: EnvelopedView(PostedView) },
      }),
    },
  )
  .post("/:id/cancel", ({ call, params }) => step(call, params.id, (tx) => cancelCount(tx, params.id)), {
    body: bodyOf(NoFields),
    detail: countRoute("cancelCount", "stock.write", "Cancel a cycle count", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  });

/**
 * A count belongs to the operator: all of its lines are visible and posted, whichever merchant the request is about.
 */
const ofAll = <D extends Db | Tx>(db: D): D => db.scoped(unscoped) as D;

function step(call: Call, id: string, work: (tx: Tx) => Promise<InventoryCount>): Promise<Response> {
  return answerWrite(call, 200, async (own) => {
    const tx = ofAll(own);
    await requireMatch(call, () => lockCount(tx, id));
    return countView(await work(tx));
  });
}

function list(call: Call, query: ListCounts): Promise<Response> {
  const { status, location } = query;
  // A warehouse that does not exist has no counts.
  const warehouse_id = location === undefined ? undefined : (readId("warehouse", location) ?? 0);
  const filter = { status, warehouse_id };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listCounts(db, filter, window),
      count: (db) => countCounts(db, filter),
      position: ({ created_at, id }) => [created_at, id],
    },
    async (rows, db) => {
      const progress = await listProgress(
        db,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => plainCountView(row, progress.get(row.id) ?? { lines: 0, counted: 0 }));
    },
  );
}
