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
import type { Tx } from "../../storage/database.ts";
import { CloseReceipt, CreateReceipt, ListReceipts, NoBody, ReceiptView, ScanReceipt } from "./receipt.schema.ts";
import { type Receipt, receiptView } from "./receipt.ts";
import {
  countReceipts,
  getReceipt,
  listReceipts,
  lockReceipt,
  longReceipts,
  receiptPosition,
  wholeReceipts,
} from "./receipts.sql.ts";
import { cancelReceipt, closeReceipt, createReceipt, scanReceipt } from "./receipts.ts";

const receiptRoute = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({ id, needs, chapter: "Receipts", summary, answers: { 200: EnvelopedView(ReceiptView) }, ...more });

/** Receipts: expected deliveries, and what has arrived. */
export const receiptRoutes = new Elysia({ prefix: "/inventory/receipts" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, async (tx) => receiptView(await createReceipt(tx, body))), {
    body: bodyOf(CreateReceipt),
    detail: documented({
      id: "createReceipt",
      needs: "stock.write",
      chapter: "Receipts",
      summary: "Create a receipt for an expected delivery",
      refuses: ["resource_missing"],
      answers: { 201: EnvelopedView(ReceiptView) },
    }),
  })
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListReceipts),
    detail: documented({
      id: "listReceipts",
      needs: "stock.read",
      chapter: "Receipts",
      summary: "List receipts",
      answers: { 200: ListView(ReceiptView) },
    }),
  })
  .get("/:id", ({ call, params }) => answerRead(call, async (db) => receiptView(await getReceipt(db, params.id))), {
    detail: receiptRoute("getReceipt", "stock.read", "Get a receipt"),
  })
  .post(
    "/:id/lines",
    ({ call, params, body }) => step(call, params.id, (tx) => scanReceipt(tx, params.id, body, call.actor)),
    {
      body: bodyOf(ScanReceipt),
      detail: receiptRoute("scanReceipt", "stock.floor", "Receive a delivery", {
        matches: true,
        refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
      }),
    },
  )
  .post("/:id/close", ({ call, params, body }) => step(call, params.id, (tx) => closeReceipt(tx, params.id, body)), {
    body: bodyOf(CloseReceipt),
    detail: receiptRoute("closeReceipt", "stock.floor", "Close a receipt", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  })
  .post("/:id/cancel", ({ call, params }) => step(call, params.id, (tx) => cancelReceipt(tx, params.id)), {
    body: bodyOf(NoBody),
    detail: receiptRoute("cancelReceipt", "stock.write", "Cancel a receipt", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  });

function step(call: Call, id: string, work: (tx: Tx) => Promise<Receipt>): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await requireMatch(call, () => lockReceipt(tx, id));
    return receiptView(await work(tx));
  });
}

function list(call: Call, query: ListReceipts): Promise<Response> {
  const { status, location, reference, sku, q, sort = "-created_at" } = query;
  // A warehouse that does not exist expects nothing.
  const warehouse_id = location === undefined ? undefined : (readId("warehouse", location) ?? 0);
  const filter = { status, warehouse_id, reference, sku, q };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listReceipts(db, filter, window, sort),
      count: (db) => countReceipts(db, filter),
      position: (receipt) => receiptPosition(receipt, sort),
      long: longReceipts,
    },
    async (rows, db) => (await wholeReceipts(db, rows)).map(receiptView),
  );
}
