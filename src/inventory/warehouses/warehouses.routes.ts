import { Type } from "@sinclair/typebox";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Db } from "../../storage/database.ts";
import { unscoped } from "../../storage/scope.ts";
import { BinView, StoredItemView } from "./bin.schema.ts";
import { binView, storedItemView } from "./bin.ts";
import { showsBins } from "./bin_visibility.ts";
import { binList, storedItemList } from "./bins.sql.ts";
import { CreateWarehouse, UpdateWarehouse, WarehouseView } from "./warehouse.schema.ts";
import { type Warehouse, warehouseView } from "./warehouse.ts";
import { listUsed, listWarehouses, lockWarehouse } from "./warehouses.sql.ts";
import { createWarehouse, updateWarehouse } from "./warehouses.ts";

/** Bins and their contents. */
export const binRoutes = routes("Inventory", [
  list("/inventory/bins", "stock.read", {
    id: "listBins",
    summary: "List bins by code",
    of: binList,
    view: BinView,
    views: (bins) => bins.map(binView),
  }),
  list("/inventory/items", "stock.read", {
    id: "listStockItems",
    summary: "List stock items by SKU, bin and lot",
    of: storedItemList,
    view: StoredItemView,
    views: (items, db) => items.map((item) => storedItemView(item, db.now)),
  }),
]);

/** Warehouses with their zones and bins. */
export const warehouseRoutes = routes("Warehouses", [
  read("/inventory/locations", "stock.read", {
    id: "listLocations",
    summary: "List warehouse locations",
    view: Type.Array(WarehouseView),
    data: (db, { call }) => listed(db, showsBins(call)),
  }),
  write("POST", "/inventory/locations", "house.manage", {
    id: "createLocation",
    summary: "Create a warehouse",
    body: CreateWarehouse,
    view: WarehouseView,
    status: 201,
    act: async (tx, { body }) => view(tx, await createWarehouse(tx, body)),
  }),
  write("PATCH", "/inventory/locations/:id", "house.manage", {
    id: "updateLocation",
    summary: "Update a warehouse, its zones and bins",
    body: UpdateWarehouse,
    view: WarehouseView,
    matches: (tx, { params }) => lockWarehouse(tx, params.id),
    act: async (tx, { params, body }) => view(tx, await updateWarehouse(tx, params.id, body)),
  }),
]);

async function listed(db: Db, shows_bins: boolean) {
  const used = await listUsed(shows_bins ? db.scoped(unscoped) : db, null);
  return (await listWarehouses(db)).map((warehouse) => warehouseView(warehouse, used, shows_bins));
}

async function view(db: Db, warehouse: Warehouse) {
  return warehouseView(warehouse, await listUsed(db.scoped(unscoped), warehouse.id), true);
}
