import { Elysia } from "elysia";
import type { Service } from "../http/service.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { importRoutes } from "./imports/routes.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { reportRoutes } from "./reports/routes.ts";

/** Connected stores, their notifications, and the imports and reports that follow. */
export const platformRoutes = (service: Service) =>
  new Elysia().use(connectionRoutes(service)).use(importRoutes).use(reportRoutes).use(notificationRoutes(service));
