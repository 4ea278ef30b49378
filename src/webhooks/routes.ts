import { Elysia } from "elysia";
import type { Service } from "../http/service.ts";
import { logRoutes } from "./logs/routes.ts";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { testEventRoutes } from "./test_events/routes.ts";

/** Subscriptions of receivers, test events, and the log of what was sent. */
export const webhookRoutes = (service: Service) =>
  new Elysia().use(subscriptionRoutes(service)).use(testEventRoutes(service)).use(logRoutes);
