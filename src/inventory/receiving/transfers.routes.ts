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
import { showsBins } from "../warehouses/bin_visibility.ts";
import { MovedView, MoveStock } from "./move_stock.schema.ts";
import { moveStock } from "./move_stock.ts";
import {
  CloseTransfer,
  CreateTransfer,
  ListTransfers,
  NoBody,
  ReceiveTransfer,
  TransferView,
} from "./transfer.schema.ts";
import { type Transfer, transferView } from "./transfer.ts";
import {
  countTransfers,
  getTransfer,
  listTransfers,
  lockTransfer,
  longTransfers,
  wholeTransfers,
} from "./transfers.sql.ts";
import { cancelTransfer, closeTransfer, createTransfer, receiveTransfer, shipTransfer } from "./transfers.ts";

/** Moves of units between the bins of a warehouse. */
export const moveRoutes = new Elysia({ prefix: "/inventory/moves" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => moveStock(tx, body, call.actor)), {
    body: bodyOf(MoveStock),
    detail: documented({
      id: "moveInventory",
      needs: "stock.floor",
      chapter: "Inventory",
      summary: "Move stock to another bin",
      description:
        "Moves units within a warehouse: to a better bin, off sale or back on sale. For another warehouse," +
        " create a transfer. Reserved units stay reserved, from other stock or in their new bin.",
      refuses: [
        "ambiguous_stock",
        "bin_full",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "resource_missing",
        "would_break_reservations",
      ],
      answers: { 201: EnvelopedView(MovedView) },
    }),
  });

const transferRoute = (id: string, needs: RouteNeed, summary: string, more: Partial<RouteNotes> = {}) =>
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
      detail: transferRoute("getTransfer", "stock.read", "Get a transfer"),
    },
  )
  .post("/:id/ship", ({ call, params }) => step(call, params.id, (tx) => shipTransfer(tx, params.id, call.actor)), {
    body: bodyOf(NoBody),
    detail: transferRoute("shipTransfer", "stock.floor", "Ship a transfer", {
      matches: true,
      refuses: ["insufficient_inventory", "invalid_state_transition"],
    }),
  })
  .post(
    "/:id/receive",
    ({ call, params, body }) => step(call, params.id, (tx) => receiveTransfer(tx, params.id, body, call.actor)),
    {
      body: bodyOf(ReceiveTransfer),
      detail: transferRoute("receiveTransfer", "stock.floor", "Receive a transfer", {
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
      detail: transferRoute("closeTransfer", "stock.write", "Close a transfer", {
        matches: true,
        refuses: ["invalid_state_transition"],
      }),
    },
  )
  .post("/:id/cancel", ({ call, params }) => step(call, params.id, (tx) => cancelTransfer(tx, params.id)), {
    body: bodyOf(NoBody),
    detail: transferRoute("cancelTransfer", "stock.write", "Cancel a transfer", {
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
