import { momentOf } from "../../core/clock.ts";
import { missing } from "../../core/faults.ts";
import { readIds } from "../../core/ids.ts";
import { answerBatched, type BatchableCommand } from "../../http/batching.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { requireMatch, tagged } from "../../http/preconditions.ts";
import { list, read, respond, routes, write } from "../../http/routes.ts";
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
export const ownershipRoutes = routes("Inventory", [
  write("POST", "/inventory/ownership_transfers", "stock.write", {
    id: "transferOwnership",
    summary: "Transfer stock from one merchant to another",
    description:
      "Changes the owner of units that stay in the warehouse: they leave one merchant's stock and enter another's," +
      " by two movements with the same reference. They keep their lot and received date, and the new owner's" +
      " backordered orders get them. Reserved units cannot be transferred. Emits `inventory.updated` for both SKUs.",
    refuses: [
      "ambiguous_stock",
      "bin_full",
      "bin_of_other_merchant",
      "insufficient_inventory",
      "merchant_closed",
      "resource_missing",
    ],
    body: TransferOwnership,
    view: OwnershipTransferView,
    status: 201,
    act: (tx, { call, body }) => transferOwnership(tx, body, call.actor),
  }),
]);

const adjusting: BatchableCommand<{ readonly sku: string; readonly input: AdjustStock }, object> = {
  name: "adjustInventory",
  status: 200,
  weight: () => 1,
  runOne: async (tx, { input: { sku, input }, call }) => {
    await requireMatch(call, () => locked(call, tx, sku));
    return adjustStock(tx, sku, input, call.actor);
  },
  runBatch: (tx, parts) =>
    adjustBatch(
      tx,
      parts.map(({ input, call }) => ({ ...input, actor: call.actor })),
    ),
  view: (adjusted) => adjusted,
};

/** Stock: list, detail, add and adjust. */
export const stockRoutes = routes("Inventory", [
  list("/inventory", "stock.read", {
    id: "listInventory",
    summary: "List inventory levels",
    description:
      "The stock of each SKU, by SKU: available, reserved, incoming and backordered units, and where they are." +
      " Bundles show the sets that their components make. Poll with `updated_after`, or subscribe to" +
      " `inventory.updated`.",
    of: {
      query: ListStockSummary,
      listing: ({ call, query }) => {
        const {
          location,
          sort = "sku",
          expiring_before,
          updated_after,
          updated_before,
          page: _page,
          limit: _limit,
          cursor: _cursor,
          ...named
        } = query;
        // A warehouse that does not exist holds nothing.
        refuseBins(call, { bin: named.bin, zone: named.zone });
        const warehouse_ids = location && readIds("warehouse", location);
        const filterIn = async (db: Db) => ({
          ...named,
          warehouse_ids,
          updated_after: momentOf(updated_after),
          updated_before: momentOf(updated_before),
          expiring_before:
            expiring_before === undefined ? undefined : await dayInRequest(db, expiring_before, warehouse_ids),
        });
        return {
          rows: async (db, window) => listStocked(db, await filterIn(db), window, sort),
          count: async (db) => countStocked(db, await filterIn(db)),
          position: ({ key, place }) => [key, place],
          long: { bytes: (db, stocked) => stockSummarySizes(db, idsOf(stocked)) },
        };
      },
    },
    view: StockSummaryView,
    views: (stocked, db, { call }) => levels(db, idsOf(stocked), showsBins(call)),
  }),
  write("POST", "/inventory", "stock.write", {
    id: "addInventory",
    summary: "Add inventory",
    description:
      "Adds units that came in without a receipt, and creates their lot if it is new. Backordered orders get them" +
      " at once. Returns the stock afterwards. Emits `inventory.received` and `inventory.updated` and creates a" +
      " billable event.",
    refuses: ["bin_full", "bin_of_other_merchant", "resource_missing"],
    body: AddStock,
    view: ReceivedView,
    status: 201,
    act: (tx, { call, body }) => addStock(tx, body, call.actor),
  }),
  read("/inventory/:sku", "stock.read", {
    id: "getInventory",
    summary: "Get the inventory of a SKU",
    description:
      "The stock of one SKU in all warehouses, with its bins and lots. `GET /inventory/:sku/explain` shows why it" +
      " is so.",
    tagged: true,
    view: ItemView,
    data: (db, { call, params }) => detail(call, db, params.sku),
  }),
  respond("PATCH", "/inventory/:sku", "stock.write", {
    id: "adjustInventory",
    summary: "Adjust the inventory of a SKU",
    description:
      "Adds or removes units in one bin and lot, such as after damage or loss. Send `expected_quantity` to be" +
      " refused if the stock has changed since you read it. Reserved units that vanish are reserved from other" +
      " stock. Added units go to backordered orders. Emits `inventory.updated`.",
    refuses: [
      "ambiguous_stock",
      "bin_of_other_merchant",
      "insufficient_inventory",
      "quantity_conflict",
      "would_break_reservations",
    ],
    matches: true,
    body: AdjustStock,
    answers: { 200: EnvelopedView(AdjustmentView) },
    answer: ({ call, params, body }) => answerBatched(call, adjusting, { sku: params.sku, input: body }),
  }),
]);

const idsOf = (stocked: readonly { readonly id: number }[]) => stocked.map(({ id }) => id);

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

/** Stock summaries of products, computed once for all requests that share a view and ask for the same products. */
function levels(db: Db, ids: readonly number[], bins: boolean) {
  return db.memo(`inventory.levels:${bins}:${ids}`, async () => {
    const stocks = await loadStockWithSets(db, ids);
    return stocks.map((stock) => stockSummaryView(stock, db.now, stock.updated_at, bins));
  });
}
