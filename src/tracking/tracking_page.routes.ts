import { Elysia } from "elysia";
import { networkOf } from "../core/ip_addresses.ts";
import { type RateLimit, rateCounter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { conventions } from "../http/conventions.ts";
import { documented } from "../http/route.ts";
import { clientOf, type Service } from "../http/service.ts";
import { readTrackingToken } from "../orders/fulfillment/tracking_url.ts";
import { findParcelPage } from "./tracking_page.sql.ts";
import { endedHtml, hasEnded, pageHeaders, parcelHtml, wordsHtml } from "./tracking_page.ts";

/** How often one address may look. A household reloads pages; nobody guesses tokens at this rate. */
const looks: RateLimit = { per_minute: 60, burst: 60 };

/** The page behind a label's QR code. Its address is enough; it needs no key. */
export const trackingPageRoutes = (service: Service) => {
  const count = rateCounter(looks);
  return new Elysia({ prefix: "/t" }).use(conventions).get(
    "/:token",
    async ({ call, params }) => {
      const wait = count(networkOf(clientOf(service, call.request) ?? "unknown"), call.store.clock.now());
      if (wait > 0) {
        const words = "Too many requests from your address. Wait a minute, then try again.";
        return answer(call, 429, wordsHtml("One moment, please", words), { "retry-after": String(wait) });
      }
      const named = readTrackingToken(service, params.token);
      const found = named && (await service.stores[named.mode].read((db) => findParcelPage(db, named.shown)));
      if (!found) {
        const words = "There is no parcel at this address. It may have been copied incompletely.";
        return answer(call, 404, wordsHtml("No such parcel", words));
      }
      if (!hasEnded(found)) return answer(call, 200, parcelHtml(found));
      return answer(call, 410, endedHtml(found));
    },
    {
      detail: documented({
        id: "getTrackingPage",
        needs: "none",
        chapter: "Tracking",
        summary: "Get the tracking page for a buyer",
        description:
          "The `tracking_url` of a parcel and the QR code on its label lead here, if the carrier has no page of its" +
          " own or the number is tracked for an order." +
          " It is a plain page without scripts that shows the name of the merchant who sends it (the warehouse's," +
          " while nobody has named the only merchant) and the city only. It ends (410) 90 days after delivery, and" +
          " when the label is voided. One address may load it 60 times a minute (else 429).",
        documents: ["text/html"],
        answers: { 200: null, 404: null, 410: null, 429: null },
      }),
    },
  );
};

function answer(call: Call, status: number, html: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = { ...pageHeaders, "x-request-id": call.request_id, ...call.headers, ...more };
  return new Response(html, { status, headers });
}
