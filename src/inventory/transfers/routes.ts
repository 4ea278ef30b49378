import { Elysia } from "elysia";
import type { RouteNeed } from "../../access/need.ts";
import type { Tx } from "../../database/store.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { documented, type RouteNotes } from "../../http/route.ts";
import { readId } from "../../kit/ids.ts";
import { bodyOf, queryOf } from "../../kit/schema.ts";
import { showsBins } from "../bin_codes.ts";
import { cancelTransfer, closeTransfer, createTransfer, receiveTransfer, shipTransfer } from "./commands.ts";
import { CloseTransfer, CreateTransfer, ListTransfers, NoBody, ReceiveTransfer, TransferView } from "./schemas.ts";
import { countTransfers, getTransfer, listTransfers, lockTransfer, longTransfers, wholeTransfers } from "./store.ts";
import { type Transfer, transferView } from "./transfer.ts";

const found = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
  documented({ id, needs, chapter: "Transfers", summary, answers: { 200: EnvelopedView(TransferView) }, ...more });

/** Transfers of units from one warehouse to another. */
export const transferRoutes = new Elysia({ prefix: "/inventory/transfers" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, async (tx) => transferView(await createTransfer(tx, body))), {
    body: bodyOf(CreateTransfer),
    detail: documented({
      id: "createTransfer",
      needs: "stock.write",
      chapter: "Transfers",
      summary: "Create a transfer between two warehouses",
      refuses: ["resource_missing"],
      answers: { 201: EnvelopedView(TransferView) },
    }),
  })
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListTransfers),
    detail: documented({
      id: "listTransfers",
      needs: "stock.read",
      chapter: "Transfers",
      summary: "List transfers",
      answers: { 200: ListView(TransferView) },
    }),
  })
  .get(
    "/:id",
    ({ call, params }) =>
      answerRead(call, async (db) => transferView(await getTransfer(db, params.id), showsBins(call))),
    {
      detail: found("getTransfer", "stock.read", "Get a transfer"),
    },
  )
  .post("/:id/ship", ({ call, params }) => step(call, params.id, (tx) => shipTransfer(tx, params.id, call.actor)), {
    body: bodyOf(NoBody),
    detail: found("shipTransfer", "stock.floor", "Ship a transfer", {
      matches: true,
      refuses: ["insufficient_inventory", "invalid_state_transition"],
    }),
  })
  .post(
    "/:id/receive",
    ({ call, params, body }) => step(call, params.id, (tx) => receiveTransfer(tx, params.id, body, call.actor)),
    {
      body: bodyOf(ReceiveTransfer),
      detail: found("receiveTransfer", "stock.floor", "Receive a transfer", {
        matches: true,
        refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
      }),
    },
  )
  .post(
    "/:id/close",
    ({ call, params, body }) => step(call, params.id, (tx) => closeTransfer(tx, params.id, body, call.actor)),
    {
      body: bodyOf(CloseTransfer),
      detail: found("closeTransfer", "stock.write", "Close a transfer", {
        matches: true,
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post("/:id/cancel", ({ call, params }) => step(call, params.id, (tx) => cancelTransfer(tx, params.id)), {
    body: bodyOf(NoBody),
    detail: found("cancelTransfer", "stock.write", "Cancel a transfer", {
      matches: true,
      refuses: ["invalid_state_transition"],
    }),
  });

function step(call: Call, id: string, work: (tx: Tx) => Promise<Transfer>): Promise<Response> {
  return answerWrite(call, 200, async (tx) => {
    await requireMatch(call, () => lockTransfer(tx, id));
    return transferView(await work(tx));
  });
}

function list(call: Call, query: ListTransfers): Promise<Response> {
  const { status, from_location, to_location, sku, q } = query;
  // A warehouse that does not exist has no transfers.
  const warehouse = (location: string | number | undefined) =>
    location === undefined ? undefined : (readId("warehouse", location) ?? 0);
  const filter = {
    status,
    sku,
    q,
    from_warehouse_id: warehouse(from_location),
    to_warehouse_id: warehouse(to_location),
  };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listTransfers(db, filter, window),
      count: (db) => countTransfers(db, filter),
      position: ({ created_at, id }) => [created_at, id],
      long: longTransfers,
    },
    async (rows, db) => (await wholeTransfers(db, rows)).map((transfer) => transferView(transfer, showsBins(call))),
  );
}
