import { Elysia } from "elysia";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { adjustBatch, adjustStock } from "../counts/adjust_stock.ts";
import { addStock } from "../receiving/receive_units.ts";
import { lockStock } from "../reservations/locked_stock.ts";
import { refuseBins, showsBins } from "../warehouses/bin_visibility.ts";
import { dayInRequest } from "../warehouses/warehouses.sql.ts";
import { itemView, stockSummaryView } from "./product_stock.ts";
import {
  AddStock,
  AdjustmentView,
  AdjustStock,
  ItemView,
  ListStockSummary,
  OwnershipTransferView,
  ReceivedView,
  StockSummaryView,
  TransferOwnership,
} from "./stock.schema.ts";
import { findStockedId, loadStockWithSets } from "./stock.sql.ts";
import { countStocked, listStocked, stockSummarySizes } from "./stock_summary.sql.ts";
import { transferOwnership } from "./transfer_ownership.ts";

/** Transfers of stock from one merchant to another. */
export const ownershipRoutes = new Elysia({ prefix: "/inventory/ownership_transfers" })
  .use(conventions)
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => transferOwnership(tx, body, call.actor)), {
    body: bodyOf(TransferOwnership),
    detail: documented({
      id: "transferOwnership",
      needs: "stock.write",
      chapter: "Inventory",
      summary: "Transfer stock from one merchant to another",
      description:
        "Units move from one merchant's stock to another's and keep their lot and received date, by two movements" +
        " with the same reference. Reserved units stay.",
      refuses: [
        "ambiguous_stock",
        "bin_full",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "merchant_closed",
        "resource_missing",
      ],
      answers: { 201: EnvelopedView(OwnershipTransferView) },
    }),
  });

const adjusting: BatchableCommand<{ readonly sku: string; readonly input: AdjustStock }, object> = {
  name: "adjustInventory",
  status: 200,
  weight: () => 1,
  runOne: async (tx, { input: { sku, input }, call }) => {
    await requireMatch(call, () => locked(call, tx, sku));
    return adjustStock(tx, sku, input, call.actor);
  },
  runBatch: (tx, parts) => {
    return adjustBatch(
      tx,
      parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
    );
  },
  view: (adjusted) => adjusted,
};

/** Stock: list, detail, add and adjust. */
export const stockRoutes = new Elysia({ prefix: "/inventory" })
  .use(conventions)
  .get("", ({ call, query }) => list(call, query), {
    query: queryOf(ListStockSummary),
    detail: documented({
      id: "listInventory",
      needs: "stock.read",
      chapter: "Inventory",
      summary: "List inventory levels",
      answers: { 200: ListView(StockSummaryView) },
    }),
  })
  .post("", ({ call, body }) => answerWrite(call, 201, (tx) => addStock(tx, body, call.actor)), {
    body: bodyOf(AddStock),
    detail: documented({
      id: "addInventory",
      needs: "stock.write",
      chapter: "Inventory",
      summary: "Add inventory",
      refuses: ["bin_full", "bin_of_other_merchant", "resource_missing"],
      answers: { 201: EnvelopedView(ReceivedView) },
    }),
  })
  .get("/:sku", ({ call, params }) => answerRead(call, (db) => detail(call, db, params.sku)), {
    detail: documented({
      id: "getInventory",
      needs: "stock.read",
      chapter: "Inventory",
      tagged: true,
      summary: "Get the inventory of a SKU",
      answers: { 200: EnvelopedView(ItemView) },
    }),
  })
  .patch("/:sku", ({ call, params, body }) => answerBatched(call, adjusting, { sku: params.sku, input: body }), {
    body: bodyOf(AdjustStock),
    detail: documented({
      id: "adjustInventory",
      needs: "stock.write",
      chapter: "Inventory",
      matches: true,
      summary: "Adjust the inventory of a SKU",
      refuses: [
        "ambiguous_stock",
        "bin_of_other_merchant",
        "insufficient_inventory",
        "quantity_conflict",
        "would_break_reservations",
      ],
      answers: { 200: EnvelopedView(AdjustmentView) },
    }),
  });

async function detail(call: Call, db: Db, sku: string) {
  const id = await findStockedId(db, sku);
  const [stock] = id === null ? [] : await loadStockWithSets(db, [id]);
  if (stock === undefined) throw missing("SKU", sku);
  return tagged(itemView(stock, db.now, stock.updated_at, showsBins(call)), null);
}

/** As `detail`, with the stock locked until the transaction ends. */
async function locked(call: Call, tx: Tx, sku: string) {
  const id = await findStockedId(tx, sku);
  await lockStock(tx, id === null ? [] : [id]);
  return detail(call, tx, sku);
}

function list(call: Call, query: ListStockSummary): Promise<Response> {
  const { location, sort = "sku", expiring_before, page: _page, limit: _limit, cursor: _cursor, ...named } = query;
  // A warehouse that does not exist holds nothing.
  refuseBins(call, { bin: named.bin, zone: named.zone });
  const warehouse_id = location === undefined ? undefined : (readId("warehouse", location) ?? 0);
  const filterIn = async (db: Db) => ({
    ...named,
    warehouse_id,
    expiring_before: await dayInRequest(db, expiring_before, warehouse_id),
  });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listStocked(db, await filterIn(db), window, sort),
      count: async (db) => countStocked(db, await filterIn(db)),
      position: ({ key, place }) => [key, place],
      long: {
        bytes: (db, rows) =>
          stockSummarySizes(
            db,
            rows.map(({ id }) => id),
          ),
      },
    },
    (rows, db) =>
      levels(
        db,
        rows.map(({ id }) => id),
        showsBins(call),
      ),
  );
}

/** Stock summaries of products, computed once for all requests that share a view and ask for the same products. */
function levels(db: Db, ids: readonly number[], bins: boolean): Promise<object[]> {
  return db.memo(`inventory.levels:${bins}:${ids}`, async () => {
    const stocks = await loadStockWithSets(db, ids);
    return stocks.map((stock) => stockSummaryView(stock, db.now, stock.updated_at, bins));
  });
}
