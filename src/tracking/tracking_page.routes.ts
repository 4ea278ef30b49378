import { networkOf } from "../core/ip_addresses.ts";
import { type RateLimit, rateCounter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { respond, routes } from "../http/routes.ts";
import { clientOf, type Service } from "../http/service.ts";
import { readTrackingToken } from "../orders/fulfillment/tracking_url.ts";
import { findParcelPage } from "./tracking_page.sql.ts";
import { endedHtml, hasEnded, messagePage, parcelHtml } from "./tracking_page.ts";

/** The rate limit of one client address. It allows reloading, and makes guessing tokens impossible. */
const page_rate: RateLimit = { per_minute: 60, burst: 60 };

/** The route of the page behind a label's QR code. It needs no key. */
export const trackingPageRoutes = (service: Service) => {
  const count = rateCounter(page_rate);
  return routes("Tracking", [
    respond("GET", "/t/:token", "none", {
      id: "getTrackingPage",
      summary: "Get the buyer's tracking page",
      description:
        "The page behind `tracking_url` and the QR code of a label, if the carrier has none of its own. It has no" +
        " scripts, and shows the status, the items, the recipient's city and the merchant's branding. It ends with" +
        " 410 when the label is voided and 90 days after delivery. A client can load it 60 times a minute.",
      documents: ["text/html"],
      answers: { 200: null, 404: null, 410: null, 429: null },
      answer: async ({ call, params }) => {
        const wait = count(networkOf(clientOf(service, call.request) ?? "unknown"), call.store.clock.now());
        if (wait > 0) {
          const words = "There were too many requests from your network. Wait a minute, then try again.";
          return answer(call, 429, messagePage("One moment, please", words), { "retry-after": String(wait) });
        }
        const target = readTrackingToken(service, params.token);
        const page = target && (await service.stores[target.mode].read((db) => findParcelPage(db, target.shown)));
        if (!page) {
          const words = "Check that you copied the whole link.";
          return answer(call, 404, messagePage("Tracking link not found", words));
        }
        if (!hasEnded(page)) return answer(call, 200, parcelHtml(page));
        return answer(call, 410, endedHtml(page));
      },
    }),
  ]);
};

function answer(
  call: Call,
  status: number,
  { html, headers }: ReturnType<typeof parcelHtml>,
  more: Readonly<Record<string, string>> = {},
): Response {
  return new Response(html, {
    status,
    headers: { ...headers, "x-request-id": call.request_id, ...call.headers, ...more },
  });
}
