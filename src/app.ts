import { Elysia } from "elysia";
import { addressRoutes } from "./addresses/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { restorationRoutes } from "./backups/restoring/routes.ts";
import { backupRoutes } from "./backups/schedule/routes.ts";
import { billingRoutes } from "./billing/routes.ts";
import { customerRoutes } from "./customers/routes.ts";
import { liveRoutes } from "./dashboard/live/routes.ts";
import { dashboardPageRoutes } from "./dashboard/pages/routes.ts";
import { beginApp } from "./front.ts";
import { errorRoutes } from "./http/error_routes.ts";
import { RouteTable } from "./http/guard/route_table.ts";
import { alsoBelow } from "./http/other_prefix.ts";
import { type AppRoute, routesOf } from "./http/route.ts";
import type { Service } from "./http/service.ts";
import { noteProductChange } from "./inventory/product_changes/commands.ts";
import { inventoryRoutes } from "./inventory/routes.ts";
import { keyRoutes } from "./keys/routes.ts";
import { merchantRoutes } from "./merchants/routes.ts";
import { historyRoutes } from "./operations/history/routes.ts";
import { mailRoutes } from "./operations/mail/routes.ts";
import { requestRoutes } from "./operations/requests/routes.ts";
import { serverRoutes } from "./operations/servers/routes.ts";
import { trustRoutes } from "./operations/trust/routes.ts";
import { orderRoutes } from "./orders/routes.ts";
import { eventRoutes } from "./outbox/routes.ts";
import { paperRoutes } from "./papers/routes.ts";
import { platformRoutes } from "./platforms/routes.ts";
import { privacyRoutes } from "./privacy/routes.ts";
import { productRoutes } from "./products/routes.ts";
import { productSheetRoutes } from "./products/sheets/routes.ts";
import { homeRoutes, pageRoutes, referenceRoutes } from "./reference/routes.ts";
import { reportRoutes } from "./reports/routes.ts";
import { retentionRoutes } from "./retention/routes.ts";
import { returnCancellationRoutes } from "./returns/cancellations/routes.ts";
import { returnLabelRoutes } from "./returns/labels/routes.ts";
import { putBackRoutes } from "./returns/putbacks/routes.ts";
import { returnRoutes } from "./returns/routes.ts";
import { searchRoutes } from "./search/routes.ts";
import { carrierAsker } from "./shipping/carriers/verifier.ts";
import { shippingRoutes } from "./shipping/routes.ts";
import { callbackRoutes } from "./tracking/callbacks/routes.ts";
import { trackingPageRoutes } from "./tracking/pages/routes.ts";
import { parcelRoutes } from "./tracking/parcels/routes.ts";
import { trackingRoutes } from "./tracking/routes.ts";
import { invitationRoutes } from "./users/invitations/routes.ts";
import { userRoutes } from "./users/routes.ts";
import { secondFactors } from "./users/second_factor/commands.ts";
import { secondFactorRoutes } from "./users/second_factor/routes.ts";
import { sessionRoutes } from "./users/sessions/routes.ts";
import { signInRoutes } from "./users/sign_in/routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** The routes about who may ask, and for whom; by themselves, since the compiler does not follow longer chains. */
const askerRoutes = (service: Service) =>
  new Elysia()
    .use(keyRoutes(service))
    .use(merchantRoutes(service))
    .use(userRoutes(service))
    .use(sessionRoutes(service))
    .use(secondFactorRoutes(service))
    .use(invitationRoutes(service));

/** The routes about what is kept, and for how long; by themselves for the same reason. */
const keptRoutes = (service: Service) => new Elysia().use(privacyRoutes(service)).use(retentionRoutes(service));

/** The routes about how the service itself runs; by themselves for the same reason. */
const runningRoutes = (service: Service) =>
  new Elysia().use(restorationRoutes).use(mailRoutes(service)).use(serverRoutes(service)).use(backupRoutes(service));

/** Every feature's routes, below the version. */
const features = (service: Service) =>
  new Elysia({ prefix: "/v1" })
    .use(errorRoutes)
    .use(eventRoutes)
    .use(requestRoutes(service))
    .use(historyRoutes)
    .use(runningRoutes(service))
    .use(auditRoutes)
    .use(askerRoutes(service))
    .use(productRoutes(noteProductChange))
    .use(productSheetRoutes(noteProductChange))
    .use(addressRoutes(carrierAsker(service)))
    .use(customerRoutes)
    .use(inventoryRoutes)
    .use(orderRoutes(service))
    .use(shippingRoutes(service))
    .use(paperRoutes(service))
    .use(parcelRoutes)
    .use(trackingRoutes(service))
    .use(callbackRoutes(service))
    .use(returnRoutes)
    .use(returnCancellationRoutes(service))
    .use(returnLabelRoutes(service))
    .use(putBackRoutes)
    .use(platformRoutes(service))
    .use(webhookRoutes(service))
    .use(reportRoutes)
    .use(billingRoutes)
    .use(keptRoutes(service))
    .use(searchRoutes);

/** The whole service without a port, so that tests and `serve` run the same thing. */
export function createApp(service: Service) {
  const documented: AppRoute[] = [];
  const table = new RouteTable();
  const reference = referenceRoutes(service, documented);
  const routes = features(service).use(reference);
  const app = beginApp(service, table)
    .use(signInRoutes(service, secondFactors(service)))
    .use(reference)
    .use(homeRoutes())
    .use(pageRoutes())
    .use(trackingPageRoutes(service))
    .use(trustRoutes(service))
    .use(liveRoutes(service, table))
    .use(dashboardPageRoutes())
    .use(routes);
  alsoBelow(app, "/v1/", "/api/v1/");
  documented.push(...app.routes);
  table.fill(routesOf(app.routes));
  return app;
}
