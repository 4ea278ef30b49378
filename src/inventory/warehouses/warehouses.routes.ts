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
    description:
      "The permanent bins of all warehouses by code, with their contents in units. Staging bins, which exist for" +
      " the picked units of an order, are left out.",
    of: binList,
    view: BinView,
    views: (bins) => bins.map(binView),
  }),
  list("/inventory/items", "stock.read", {
    id: "listStockItems",
    summary: "List stock items by SKU, bin and lot",
    description:
      "The units on hand by SKU, bin and lot, staging bins included: the finest view of the stock. `available` and" +
      " `cause` say what of it can be sold.",
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
    description:
      "All warehouses with their zones and bins, in one response. Merchants see the zones and their own units, and" +
      " neither bins nor capacities.",
    view: Type.Array(WarehouseView),
    data: (db, { call }) => listed(db, showsBins(call)),
    included: {
      name: "warehouse",
      view: WarehouseView,
      read: (db, ids, caller) => listed(db, showsBins(caller), ids),
    },
  }),
  write("POST", "/inventory/locations", "operator.manage", {
    id: "createLocation",
    summary: "Create a warehouse",
    description:
      "Creates a warehouse with its zones and bins. The bins `RETURNS`, `PUTBACK`, `QUARANTINE` and `DAMAGE` for" +
      " units that cannot be sold are added to the first zone.",
    body: CreateWarehouse,
    view: WarehouseView,
    status: 201,
    act: async (tx, { body }) => view(tx, await createWarehouse(tx, body)),
  }),
  write("PATCH", "/inventory/locations/:id", "operator.manage", {
    id: "updateLocation",
    summary: "Update a warehouse, its zones and bins",
    description:
      "Changes the fields sent. Zones and bins in `location_zones` are added or updated by their codes; others" +
      " stay, and none are deleted. A bin that holds units keeps its zone and kind. Sending the current values" +
      " changes nothing.",
    body: UpdateWarehouse,
    view: WarehouseView,
    matches: (tx, { params }) => lockWarehouse(tx, params.id),
    act: async (tx, { params, body }) => view(tx, await updateWarehouse(tx, params.id, body)),
  }),
]);

/** All warehouses, or those with these ids. Merchants see their own units only, and no bins. */
async function listed(db: Db, shows_bins: boolean, ids: readonly number[] | null = null) {
  const used = await listUsed(shows_bins ? db.scoped(unscoped) : db, ids);
  return (await listWarehouses(db, ids)).map((warehouse) => warehouseView(warehouse, used, shows_bins));
}

async function view(db: Db, warehouse: Warehouse) {
  return warehouseView(warehouse, await listUsed(db.scoped(unscoped), [warehouse.id]), true);
}
