import { Elysia } from "elysia";
import type { Db } from "../../database/store.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/paging.ts";
import { documented } from "../../http/route.ts";
import { readId } from "../../kit/ids.ts";
import { queryOf } from "../../kit/schema.ts";
import { dayAsked } from "../warehouses/store.ts";
import { binView, placedView } from "./bin.ts";
import { BinView, ListBins, ListItems, PlacedView } from "./schemas.ts";
import { countBins, countItems, itemPosition, listBins, listItems } from "./store.ts";

/** Bins and their contents. */
export const binRoutes = new Elysia({ prefix: "/inventory" })
  .use(conventions)
  .get("/bins", ({ call, query }) => bins(call, query), {
    query: queryOf(ListBins),
    detail: documented({
      id: "listBins",
      needs: "stock.read",
      chapter: "Inventory",
      summary: "List bins by code",
      answers: { 200: ListView(BinView) },
    }),
  })
  .get("/items", ({ call, query }) => items(call, query), {
    query: queryOf(ListItems),
    detail: documented({
      id: "listStockItems",
      needs: "stock.read",
      chapter: "Inventory",
      summary: "List stock items by SKU, bin and lot",
      answers: { 200: ListView(PlacedView) },
    }),
  });

// A warehouse that does not exist has no bins.
const warehouseOf = (location: string | number | undefined) =>
  location === undefined ? undefined : (readId("warehouse", location) ?? 0);

function bins(call: Call, query: ListBins): Promise<Response> {
  const { location, zone, bin, q, kind, fill, sku, lot_number } = query;
  const filter = { warehouse_id: warehouseOf(location), zone, bin, q, kind, fill, sku, lot_number };
  return answerList(
    call,
    query,
    {
      rows: (db, window) => listBins(db, filter, window),
      count: (db) => countBins(db, filter),
      position: ({ code, id }) => [code, id],
    },
    (rows) => rows.map(binView),
  );
}

function items(call: Call, query: ListItems): Promise<Response> {
  const { location, zone, bin, kind, sku, q, lot_number, sort = "sku" } = query;
  const warehouse_id = warehouseOf(location);
  const filterIn = async (db: Db) => ({
    ...{ warehouse_id, zone, bin, kind, sku, q, lot_number },
    expiring_before: await dayAsked(db, query.expiring_before, warehouse_id),
  });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listItems(db, await filterIn(db), window, sort),
      count: async (db) => countItems(db, await filterIn(db)),
      position: (item) => itemPosition(item, sort),
    },
    (rows, db) => rows.map((item) => placedView(item, db.now)),
  );
}
