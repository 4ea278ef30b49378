import { Elysia } from "elysia";
import type { Service } from "../http/service.ts";
import { labelRoutes } from "./labels/routes.ts";
import { quoteRoutes } from "./quotes/routes.ts";

/** What parcels cost, the labels that are bought for them, and the labels' documents. */
export const shippingRoutes = (service: Service) => new Elysia().use(quoteRoutes).use(labelRoutes(service));
