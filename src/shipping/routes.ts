import { Elysia } from "elysia";
import type { Service } from "../http/service.ts";
import { accountRoutes, connectorRoutes } from "./accounts/routes.ts";
import { holidayRoutes } from "./delivery/routes.ts";
import { labelRoutes } from "./labels/routes.ts";
import { manifestRoutes } from "./manifests/routes.ts";
import { orderActionRoutes } from "./order_actions/routes.ts";
import { quoteRoutes } from "./quotes/routes.ts";
import { rateCardRoutes } from "./rates/routes.ts";
import { zoneRoutes } from "./zones/routes.ts";

/** Rates, carriers, labels and manifests. */
export const shippingRoutes = (service: Service) =>
  new Elysia()
    .use(quoteRoutes(service))
    .use(rateCardRoutes)
    .use(zoneRoutes)
    .use(holidayRoutes)
    .use(accountRoutes(service))
    .use(connectorRoutes(service))
    .use(labelRoutes(service))
    .use(manifestRoutes(service))
    .use(orderActionRoutes(service));
