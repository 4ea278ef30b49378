import { Elysia } from "elysia";
import type { Service } from "../http/service.ts";
import { deliveryRoutes } from "./deliveries/routes.ts";
import { logRoutes } from "./logs/routes.ts";
import { noticeRoutes } from "./notices/routes.ts";
import { recoveryRoutes } from "./recoveries/routes.ts";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { testEventRoutes } from "./test_events/routes.ts";

/** Subscriptions, test events, deliveries and their recovery, the log of attempts, and notices. */
export const webhookRoutes = (service: Service) =>
  new Elysia()
    .use(subscriptionRoutes(service))
    .use(testEventRoutes(service))
    .use(deliveryRoutes)
    .use(recoveryRoutes)
    .use(logRoutes)
    .use(noticeRoutes);
