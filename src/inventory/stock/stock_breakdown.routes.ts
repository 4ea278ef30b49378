import { parseMoment } from "../../core/clock.ts";
import { invalid, missing } from "../../core/faults.ts";
import { read, routes } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { listAwaited } from "../receiving/receipts.sql.ts";
import { listInTransit } from "../receiving/transfers.sql.ts";
import { showsBins } from "../warehouses/bin_visibility.ts";
import { findStockedId, listStockedParts, loadStockWithSets } from "./stock.sql.ts";
import { StockBreakdownQuery, StockBreakdownView } from "./stock_breakdown.schema.ts";
import { listBackorders, listHeldUnits, listPlaces, sumMovements } from "./stock_breakdown.sql.ts";
import { demandView, incomingView, ledgerView, named_max, noDemand, partsView } from "./stock_breakdown.ts";

/** Explains why the stock of a SKU is what it is, or was. */
export const stockBreakdownRoutes = routes("Inventory", [
  read("/inventory/:sku/explain", "stock.read", {
    id: "explainInventory",
    summary: "Explain the inventory of a SKU from the ledger",
    description:
      "Derives the units on hand from the ledger, by type and reason and for each bin and lot. For the present, it" +
      " also lists who holds, waits for and will bring units. Use it to find out why a number is what it is.",
    query: StockBreakdownQuery,
    view: StockBreakdownView,
    data: (db, { call, params, query }) => explain(db, params.sku, query, showsBins(call)),
  }),
]);

async function explain(db: Db, sku: string, query: StockBreakdownQuery, shows_bins: boolean) {
  const id = await findStockedId(db, sku);
  const [stock] = id === null ? [] : await loadStockWithSets(db, [id]);
  if (id === null || stock === undefined) throw missing("SKU", sku);
  const as_of = query.as_of === undefined ? null : parseMoment(query.as_of);
  if (as_of !== null && as_of > db.now) throw invalid("as_of", "must not be in the future");
  const sums = await sumMovements(db, id, as_of);
  const ledger = ledgerView(stock.product, sums, await listPlaces(db, id, as_of), as_of, shows_bins);
  if (as_of !== null) return { ...ledger, ...noDemand };
  const held = await listHeldUnits(db, id, named_max + 1);
  const waiting = await listBackorders(db, id, named_max + 1);
  const awaited = await listAwaited(db, id, named_max + 1);
  const incoming = incomingView(stock, awaited, await listInTransit(db, id, named_max + 1));
  const components =
    stock.sets === undefined ? {} : { components: partsView((await listStockedParts(db, [id])).get(id) ?? []) };
  return { ...ledger, ...demandView(stock, held, waiting, db.now, shows_bins), incoming, ...components };
}
