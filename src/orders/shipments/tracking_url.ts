import type { Mode } from "../../kit/mode.ts";
import type { Site } from "../../kit/site.ts";
import { type Shown, trackingPagePath } from "./tracking_page.ts";

/** How the house's own carrier of each mode is called. */
export const ownCarriers = { live: "local", test: "sim" } as const satisfies Record<Mode, string>;

// The carriers whose own site shows a parcel to anyone who has its number, by how their names begin; the number stands
// at the end of the address. The first row that fits counts.
const carrierPages: readonly (readonly [carrier: string, page: string])[] = [
  ["ups", "https://www.ups.com/track?tracknum="],
  ["usps", "https://tools.usps.com/go/TrackConfirmAction?tLabels="],
  ["fedex", "https://www.fedex.com/fedextrack/?trknbr="],
  ["dhl ecommerce", "https://www.dhl.com/us-en/home/tracking.html?tracking-id="],
  ["dhl", "https://www.dhl.com/en/express/tracking.html?AWB="],
  ["ontrac", "https://www.ontrac.com/tracking/?number="],
  ["lasership", "https://www.ontrac.com/tracking/?number="],
  ["canada post", "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor="],
  ["purolator", "https://www.purolator.com/en/shipping/tracker?pin="],
  ["australia post", "https://auspost.com.au/mypost/track/#/details/"],
  ["old dominion", "https://www.odfl.com/Trace/standardResult.faces?pro="],
  ["canpar", "https://www.canpar.com/en/track/tracking.jsp?reference="],
  ["spee dee", "https://www.speedeedelivery.com/track/?tracking="],
  ["yodel", "https://www.yodel.co.uk/tracking/"],
  ["landmark", "https://track.landmarkglobal.com/?search="],
  ["amazon", "https://track.amazon.com/tracking/"],
  ["yunexpress", "https://www.yuntrack.com/parcelTracking?id="],
  ["gofo", "https://www.gofoexpress.com/tracking.html?searchID="],
  ["royal mail", "https://www.royalmail.com/track-your-item#/tracking-results/"],
];

const spaceless = (name: string) => name.replaceAll(" ", "");

/** The page on which a carrier with a public one shows where a parcel is, else null. */
export function carrierPage(carrier: string | null, tracking_number: string | null): string | null {
  if (carrier === null || !tracking_number) return null;
  const words = carrier
    .trim()
    .toLowerCase()
    .split(/[\s_-]+/);
  const called = [words.join(" "), words.join("")];
  const begins = (known: string) => called.some((name) => name === known || name.startsWith(`${known} `));
  const page = carrierPages.find(([known]) => begins(known) || begins(spaceless(known)))?.[1];
  return page === undefined ? null : page + encodeURIComponent(tracking_number);
}

/** What the address of a parcel's page depends on beside the parcel. */
interface Reach {
  readonly site: Site;
  readonly mode: Mode;
}

/**
 * The address at which a buyer sees where a parcel is: its carrier's own page, where there is one, or where its
 * carrier said to show it (`told_url`), else ours, once the service has an address. Parcels of the house's carrier have
 * ours. Null where there is none.
 */
export function trackingUrl(
  reach: Reach,
  parcel: {
    readonly id: number;
    readonly carrier: string | null;
    readonly tracking_number: string | null;
    readonly told_url: string | null;
  },
): string | null {
  const { carrier, tracking_number, told_url, id: shipment_id } = parcel;
  if (tracking_number === null) return null;
  const carriers = carrier === ownCarriers[reach.mode] ? null : carrierPage(carrier, tracking_number);
  return carriers ?? told_url ?? ourPage(reach, { shipment_id });
}

/** As `trackingUrl`, for what has no parcel of its own; `told_url` is where its carrier said to show it. */
export function numberUrl(
  reach: Reach,
  number: { readonly carrier: string; readonly tracking_number: string; readonly told_url: string | null },
  shown: Shown | null,
): string | null {
  const { carrier, tracking_number, told_url } = number;
  return carrierPage(carrier, tracking_number) ?? told_url ?? (shown === null ? null : ourPage(reach, shown));
}

function ourPage({ site, mode }: Reach, shown: Shown): string | null {
  return site.base_url === "" ? null : site.base_url + trackingPagePath(site, mode, shown);
}
