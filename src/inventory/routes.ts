import { Elysia } from "elysia";
import { binRoutes } from "./bins/routes.ts";
import { bookingRoutes } from "./bookings/routes.ts";
import { countRoutes } from "./counts/routes.ts";
import { explanationRoutes } from "./explanations/routes.ts";
import { movementRoutes } from "./ledger/routes.ts";
import { lotRoutes } from "./lots/routes.ts";
import { moveRoutes } from "./moves/routes.ts";
import { ownershipRoutes } from "./ownership/routes.ts";
import { receiptRoutes } from "./receipts/routes.ts";
import { stockSheetRoutes } from "./sheets/routes.ts";
import { stockRoutes } from "./stock/routes.ts";
import { transferRoutes } from "./transfers/routes.ts";
import { warehouseRoutes } from "./warehouses/routes.ts";

/** All of `/inventory`. */
export const inventoryRoutes = new Elysia()
  .use(warehouseRoutes)
  .use(binRoutes)
  .use(moveRoutes)
  .use(movementRoutes)
  .use(bookingRoutes)
  .use(lotRoutes)
  .use(countRoutes)
  .use(receiptRoutes)
  .use(transferRoutes)
  .use(ownershipRoutes)
  .use(stockSheetRoutes)
  .use(explanationRoutes)
  .use(stockRoutes);
