// Stands alone because it joins the routes of all rooms of inventory.
import { Elysia } from "elysia";
import { countRoutes } from "./counts/counts.routes.ts";
import { movementRoutes } from "./ledger/movements.routes.ts";
import { receiptRoutes } from "./receiving/receipts.routes.ts";
import { moveRoutes, transferRoutes } from "./receiving/transfers.routes.ts";
import { clientReservationRoutes } from "./reservations/client_reservations.routes.ts";
import { lotRoutes } from "./stock/lots.routes.ts";
import { ownershipRoutes, stockRoutes } from "./stock/stock.routes.ts";
import { stockBreakdownRoutes } from "./stock/stock_breakdown.routes.ts";
import { stockCsvRoutes } from "./stock/stock_csv.routes.ts";
import { binRoutes, warehouseRoutes } from "./warehouses/warehouses.routes.ts";

/** All of `/inventory`. */
export const inventoryRoutes = new Elysia()
  .use(warehouseRoutes)
  .use(binRoutes)
  .use(moveRoutes)
  .use(movementRoutes)
  .use(clientReservationRoutes)
  .use(lotRoutes)
  .use(countRoutes)
  .use(receiptRoutes)
  .use(transferRoutes)
  .use(ownershipRoutes)
  .use(stockCsvRoutes)
  .use(stockBreakdownRoutes)
  .use(stockRoutes);
