import { type AnyElysia, Elysia } from "elysia";
import { addressRoutes } from "../addresses/addresses.routes.ts";
import { billingRoutes } from "../billing/billable_events.routes.ts";
import { customerCsvRoutes } from "../customers/customer_csv.routes.ts";
import { customerRoutes } from "../customers/customers.routes.ts";
import { liveRoutes } from "../dashboard/server/hints.routes.ts";
import { dashboardPageRoutes } from "../dashboard/server/pages.routes.ts";
import { savedViewRoutes } from "../dashboard/server/saved_views.routes.ts";
import { eventRoutes } from "../events/events.routes.ts";
import { fileRoutes } from "../files/files.routes.ts";
import { packingRoutes } from "../floor/packing/packing.routes.ts";
import { toteLabelRoutes, toteRoutes } from "../floor/picking/totes.routes.ts";
import { waveRoutes } from "../floor/picking/waves.routes.ts";
import { floorPrintingRoutes } from "../floor/printing/printing.routes.ts";
import { lookupRoutes } from "../floor/scanning/lookup.routes.ts";
import { exceptionRoutes } from "../floor/work/exceptions.routes.ts";
import { workRoutes } from "../floor/work/work.routes.ts";
import { errorRoutes } from "../http/errors.routes.ts";
import { requestRoutes } from "../http/request_log/request_log.routes.ts";
import { type AppRoute, routesOf } from "../http/route.ts";
import { RouteTable } from "../http/routes.ts";
import type { Service } from "../http/service.ts";
import { keyRoutes } from "../identity/api_keys/api_keys.routes.ts";
import { auditRoutes } from "../identity/audit_log/audit_log.routes.ts";
import { badgeSignInRoutes } from "../identity/badges/badge_sign_in.routes.ts";
import { badgeRoutes } from "../identity/badges/badges.routes.ts";
import { floorDeviceRoutes } from "../identity/badges/floor_devices.routes.ts";
import { secondFactorRoutes } from "../identity/sessions/second_factor.routes.ts";
import { sessionRoutes } from "../identity/sessions/sessions.routes.ts";
import { secondFactors } from "../identity/sessions/set_up_second_factor.ts";
import { signInRoutes } from "../identity/sessions/sign_in.routes.ts";
import { invitationRoutes } from "../identity/users/invitations.routes.ts";
import { userRoutes } from "../identity/users/users.routes.ts";
import { fileImportRoutes } from "../imports/file_imports.routes.ts";
import { inventoryRoutes } from "../inventory/inventory.routes.ts";
import { noteProductChange } from "../inventory/reservations/backorders.ts";
import { brandingRoutes } from "../merchants/branding/branding.routes.ts";
import { merchantRoutes } from "../merchants/merchants.routes.ts";
import { backupRoutes, restorationRoutes } from "../operations/backups/backups.routes.ts";
import { trustRoutes } from "../operations/certificate_trust.routes.ts";
import { historyRoutes, serverRoutes } from "../operations/health/servers.routes.ts";
import { mailRoutes } from "../operations/mail.routes.ts";
import { printingRoutes } from "../orders/fulfillment/printing.routes.ts";
import { orderRoutes } from "../orders/orders.routes.ts";
import { platformRoutes } from "../platforms/platforms.routes.ts";
import { privacyRoutes, retentionRoutes } from "../privacy/privacy.routes.ts";
import { productCsvRoutes } from "../products/product_csv.routes.ts";
import { productRoutes } from "../products/products.routes.ts";
import { reportRoutes } from "../reports/reports.routes.ts";
import { searchRoutes } from "../reports/search/search.routes.ts";
import { putBackRoutes } from "../returns/restock_tasks.routes.ts";
import { returnCancellationRoutes } from "../returns/return_cancellations.routes.ts";
import { returnLabelRoutes } from "../returns/return_labels.routes.ts";
import { returnRoutes } from "../returns/returns.routes.ts";
import { carrierAsker } from "../shipping/carriers/address_verifier.ts";
import { documentRoutes } from "../shipping/printing/printed_documents.routes.ts";
import { shippingRoutes } from "../shipping/shipping.routes.ts";
import { callbackRoutes } from "../tracking/carrier_callbacks.routes.ts";
import { parcelRoutes } from "../tracking/parcels.routes.ts";
import { trackingRoutes } from "../tracking/tracking.routes.ts";
import { trackingPageRoutes } from "../tracking/tracking_page.routes.ts";
import { webhookRoutes } from "../webhooks/webhooks.routes.ts";
import { createBaseApp } from "./base_app.ts";
import { homeRoutes, pageRoutes, referenceRoutes } from "./openapi/reference.routes.ts";

/** Every feature's routes, below `/v1`. */
const features = (service: Service): AnyElysia =>
  new Elysia({ prefix: "/v1" })
    .use(errorRoutes)
    .use(eventRoutes)
    .use(requestRoutes(service))
    .use(historyRoutes)
    .use(restorationRoutes)
    .use(mailRoutes(service))
    .use(serverRoutes(service))
    .use(backupRoutes(service))
    .use(auditRoutes)
    .use(keyRoutes(service))
    .use(fileRoutes(service))
    .use(merchantRoutes(service))
    .use(brandingRoutes(service))
    .use(userRoutes(service))
    .use(sessionRoutes(service))
    .use(secondFactorRoutes(service))
    .use(invitationRoutes(service))
    .use(badgeRoutes(service))
    .use(floorDeviceRoutes(service))
    .use(productRoutes(noteProductChange))
    .use(productCsvRoutes(noteProductChange))
    .use(addressRoutes(carrierAsker(service)))
    .use(fileImportRoutes)
    .use(customerCsvRoutes)
    .use(customerRoutes)
    .use(inventoryRoutes)
    .use(orderRoutes(service))
    .use(shippingRoutes(service))
    .use(printingRoutes(service))
    .use(documentRoutes(service))
    .use(floorPrintingRoutes(service))
    .use(parcelRoutes)
    .use(trackingRoutes(service))
    .use(callbackRoutes(service))
    .use(returnRoutes)
    .use(returnCancellationRoutes(service))
    .use(returnLabelRoutes(service))
    .use(putBackRoutes)
    .use(platformRoutes(service))
    .use(lookupRoutes)
    .use(toteRoutes)
    .use(toteLabelRoutes(service))
    .use(waveRoutes)
    .use(workRoutes)
    .use(exceptionRoutes)
    .use(packingRoutes(service))
    .use(webhookRoutes(service))
    .use(reportRoutes)
    .use(billingRoutes)
    .use(privacyRoutes(service))
    .use(retentionRoutes(service))
    .use(searchRoutes);

/** The whole service without a listener, so that tests and `serve` run the same app. */
export function createApp(service: Service): AnyElysia {
  const documented: AppRoute[] = [];
  const table = new RouteTable();
  const reference = referenceRoutes(service, documented);
  const routes = features(service).use(reference);
  const app = createBaseApp(service, table)
    .use(signInRoutes(service, secondFactors(service)))
    .use(badgeSignInRoutes(service, secondFactors(service)))
    .use(reference)
    .use(homeRoutes())
    .use(pageRoutes())
    .use(trackingPageRoutes(service))
    .use(trustRoutes(service))
    .use(liveRoutes(service, table))
    .use(savedViewRoutes())
    .use(dashboardPageRoutes())
    .use(routes);
  mountAlias(app, "/v1/", "/api/v1/");
  documented.push(...app.routes);
  table.fill(routesOf(app.routes));
  return app;
}

/**
 * Also serves the routes below one prefix below another one. Mounting them twice would double the startup time, and
 * compile routes that are called both ways twice.
 */
function mountAlias(app: AnyElysia, prefix: string, other: string): void {
  const { history, http, static: fixed } = app.router;
  for (const [at, route] of history.entries()) {
    if (!route.path.startsWith(prefix)) continue;
    const { method } = route;
    const path = other + route.path.slice(prefix.length);
    if (/[:*]/.test(path)) http.add(method, path, { compile: () => route.compile() });
    else fixed[path] = { ...fixed[path], [method]: at };
  }
}
