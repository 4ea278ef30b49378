import { Elysia } from "elysia";
import { type Rate, rateCounter } from "../../access/limits.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { documented } from "../../http/route.ts";
import { clientOf, type Service } from "../../http/service.ts";
import { networkOf } from "../../kit/address.ts";
import { readTrackingToken } from "../../orders/shipments/tracking_page.ts";
import { hasEnded, pageHeaders, parcelHtml, wordsHtml } from "./page.ts";
import { findParcelPage } from "./store.ts";

/** How often one address may look. A household looks again and again; nobody tries tokens so. */
const looks: Rate = { per_minute: 60, burst: 60 };

/** The page to which a label's QR code leads. Whoever has its address needs no key. */
export const trackingPageRoutes = (service: Service) => {
  const count = rateCounter(looks);
  return new Elysia({ prefix: "/t" }).use(conventions).get(
    "/:token",
    async ({ call, params }) => {
      const wait = count(networkOf(clientOf(service, call.request) ?? "unknown"), call.store.clock.now());
      if (wait > 0) {
        const words = "Too many looks from your address. Wait a minute, then look again.";
        return answer(call, 429, wordsHtml("One moment, please", words), { "retry-after": String(wait) });
      }
      const named = readTrackingToken(service, params.token);
      const found = named && (await service.stores[named.mode].read((db) => findParcelPage(db, named.shown)));
      if (!found) {
        const words = "This address leads to no parcel. It may have been copied incompletely.";
        return answer(call, 404, wordsHtml("No such parcel", words));
      }
      if (!hasEnded(found)) return answer(call, 200, parcelHtml(found));
      const words = "This parcel is no longer shown. Whoever sent it can tell you more.";
      return answer(call, 410, wordsHtml("This page has ended", words));
    },
    {
      detail: documented({
        id: "getTrackingPage",
        needs: "none",
        chapter: "Tracking",
        summary: "Get the tracking page that shows a buyer where a parcel is",
        description:
          "A parcel's `tracking_url` and the QR code on its label lead here, for parcels of carriers without a page" +
          " of their own, and for numbers that are followed for an order." +
          " A plain page without scripts, which tells the warehouse's name and the city alone. It ends (410) 90 days" +
          " after the parcel was delivered, and when its label is voided. An address may look 60 times a minute (429).",
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
