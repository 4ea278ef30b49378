import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { readId } from "../../core/ids.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView, ListView } from "../../http/envelope.ts";
import { answerList } from "../../http/pagination.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Db } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { BinView, ListBins, ListStoredItems, StoredItemView } from "./bin.schema.ts";
import { binView, storedItemView } from "./bin.ts";
import { showsBins } from "./bin_visibility.ts";
import { countBins, countStoredItems, itemPosition, listBins, listStoredItems } from "./bins.sql.ts";
import { CreateWarehouse, UpdateWarehouse, WarehouseView } from "./warehouse.schema.ts";
import { type Warehouse, warehouseView } from "./warehouse.ts";
import { dayInRequest, listUsed, listWarehouses, lockWarehouse } from "./warehouses.sql.ts";
import { createWarehouse, updateWarehouse } from "./warehouses.ts";

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
    query: queryOf(ListStoredItems),
    detail: documented({
      id: "listStockItems",
      needs: "stock.read",
      chapter: "Inventory",
      summary: "List stock items by SKU, bin and lot",
      answers: { 200: ListView(StoredItemView) },
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

function items(call: Call, query: ListStoredItems): Promise<Response> {
  const { location, zone, bin, kind, sku, q, lot_number, sort = "sku" } = query;
  const warehouse_id = warehouseOf(location);
  const filterIn = async (db: Db) => ({
    ...{ warehouse_id, zone, bin, kind, sku, q, lot_number },
    expiring_before: await dayInRequest(db, query.expiring_before, warehouse_id),
  });
  return answerList(
    call,
    query,
    {
      rows: async (db, window) => listStoredItems(db, await filterIn(db), window, sort),
      count: async (db) => countStoredItems(db, await filterIn(db)),
      position: (item) => itemPosition(item, sort),
    },
    (rows, db) => rows.map((item) => storedItemView(item, db.now)),
  );
}

/** Warehouses with their zones and bins. */
export const warehouseRoutes = new Elysia({ prefix: "/inventory/locations" })
  .use(conventions)
  .get("", ({ call }) => answerRead(call, (db) => listed(db, showsBins(call))), {
    detail: documented({
      id: "listLocations",
      needs: "stock.read",
      chapter: "Warehouses",
      summary: "List warehouse locations",
      answers: { 200: EnvelopedView(Type.Array(WarehouseView)) },
    }),
  })
  .post("", ({ call, body }) => answerWrite(call, 201, async (tx) => view(tx, await createWarehouse(tx, body))), {
    body: bodyOf(CreateWarehouse),
    detail: documented({
      id: "createLocation",
      needs: "house.manage",
      chapter: "Warehouses",
      summary: "Create a warehouse",
      answers: { 201: EnvelopedView(WarehouseView) },
    }),
  })
  .patch(
    "/:id",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        await requireMatch(call, () => lockWarehouse(tx, params.id));
        return view(tx, await updateWarehouse(tx, params.id, body));
      }),
    {
      body: bodyOf(UpdateWarehouse),
      detail: documented({
        id: "updateLocation",
        needs: "house.manage",
        chapter: "Warehouses",
        matches: true,
        summary: "Update a warehouse, its zones and bins",
        answers: { 200: EnvelopedView(WarehouseView) },
      }),
    },
  );

async function listed(db: Db, shows_bins: boolean) {
  const used = await listUsed(shows_bins ? db.scoped(unscoped) : db, null);
  return (await listWarehouses(db)).map((warehouse) => warehouseView(warehouse, used, shows_bins));
}

async function view(db: Db, warehouse: Warehouse) {
  return warehouseView(warehouse, await listUsed(db.scoped(unscoped), warehouse.id), true);
}
