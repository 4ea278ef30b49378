import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { unscoped } from "../../database/scope.ts";
import type { Db } from "../../database/store.ts";
import { answerRead, answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { showsBins } from "../bin_codes.ts";
import { createWarehouse, updateWarehouse } from "./commands.ts";
import { CreateWarehouse, UpdateWarehouse, WarehouseView } from "./schemas.ts";
import { listUsed, listWarehouses, lockWarehouse } from "./store.ts";
import { type Warehouse, warehouseView } from "./warehouse.ts";

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
