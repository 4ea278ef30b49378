import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { answerRead, answerWrite } from "../../http/answer.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { documented } from "../../http/route.ts";
import { bodyOf } from "../../kit/schema.ts";
import { createWarehouse, updateWarehouse } from "./commands.ts";
import { CreateWarehouse, UpdateWarehouse, WarehouseView } from "./schemas.ts";
import { listWarehouses } from "./store.ts";
import { warehouseView } from "./warehouse.ts";

/** Warehouses with their zones and bins. */
export const warehouseRoutes = new Elysia({ prefix: "/inventory/locations" })
  .use(conventions)
  .get("", ({ call }) => answerRead(call, async (db) => (await listWarehouses(db)).map(warehouseView)), {
    detail: documented({
      id: "listLocations",
      summary: "List warehouse locations",
      answers: { 200: EnvelopedView(Type.Array(WarehouseView)) },
    }),
  })
  .post("", ({ call, body }) => answerWrite(call, 201, async (tx) => warehouseView(await createWarehouse(tx, body))), {
    body: bodyOf(CreateWarehouse),
    detail: documented({
      id: "createLocation",
      summary: "Create a warehouse",
      answers: { 201: EnvelopedView(WarehouseView) },
    }),
  })
  .patch(
    "/:id",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => warehouseView(await updateWarehouse(tx, params.id, body))),
    {
      body: bodyOf(UpdateWarehouse),
      detail: documented({
        id: "updateLocation",
        summary: "Change a warehouse, its zones and bins",
        answers: { 200: EnvelopedView(WarehouseView) },
      }),
    },
  );
