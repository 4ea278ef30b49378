import { equalInConstantTime, hmacHex } from "../../core/crypto.ts";
import { type Environment, environments } from "../../core/environment.ts";
import { invalid } from "../../core/faults.ts";
import type { Site } from "../../core/operator_settings.ts";

// What people and web pages put between the characters of a number: spaces, dashes and invisible characters.
const between = /[\s\p{Dash_Punctuation}\u2212\u00ad\u200b-\u200d\u2060]/gu;

/**
 * The form in which a tracking number is stored and looked up: A to Z in upper case, without spaces and dashes, which
 * no carrier's number has. Other characters are part of a number, as in `SHIPPO_TRANSIT`.
 */
export function plainTrackingNumber(text: string): string {
  // Only A to Z, as the databases do it. Other letters stay as they are.
  return text.replace(between, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The number in a field of a request, in its stored form; null when there is none. Refuses: validation_failed. */
export function givenTrackingNumber(field: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === "") return null;
  const number = plainTrackingNumber(text);
  if (number === "") throw invalid(field, "must contain a letter or a digit", "invalid_format");
  return number;
}

const plainCarrier = (carrier: string) => carrier.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Whether two texts name the same carrier: `dhl_express` equals `DHLExpress`. */
export function isSameCarrier(carrier: string, other: string): boolean {
  return plainCarrier(carrier) === plainCarrier(other);
}

// The page that shows a buyer where a parcel is. Its token names the parcel and proves that this server issued the
// link.

const proof_digits = 32;
// `N` marks the id of a followed number, which is no parcel's.
const written = new RegExp(`^(N?)([0-9a-z]{1,11})-([0-9a-f]{${proof_digits}})$`);

/** The subject of a tracking page: a parcel, or a followed number by the id of its record. */
export type TrackingPageTarget = { readonly shipment_id: number } | { readonly record_id: number };

/** The path of a parcel's page. It contains 128 bits of a signature, so that it cannot be guessed. */
export function trackingPagePath({ secret_key }: Site, mode: Environment, shown: TrackingPageTarget): string {
  const id = "shipment_id" in shown ? shown.shipment_id.toString(36) : `N${shown.record_id.toString(36)}`;
  return `/t/${id}-${proofOf(secret_key, mode, shown)}`;
}

/** The subject and the environment of a token, or null if this server did not issue it. */
export function readTrackingToken(
  { secret_key }: Site,
  token: string,
): { mode: Environment; shown: TrackingPageTarget } | null {
  const [, kind = "", digits = "", proof = ""] = written.exec(token) ?? [];
  const id = Number.parseInt(digits, 36);
  const shown = kind === "" ? { shipment_id: id } : { record_id: id };
  const mode = environments.find((one) => equalInConstantTime(proofOf(secret_key, one, shown), proof));
  return mode === undefined || !Number.isSafeInteger(id) ? null : { mode, shown };
}

function proofOf(secret_key: Uint8Array, mode: Environment, shown: TrackingPageTarget): string {
  const key = hmacHex(secret_key, "tracking pages");
  const name = "shipment_id" in shown ? `${shown.shipment_id}` : `number/${shown.record_id}`;
  return hmacHex(key, `${mode}/${name}`).slice(0, proof_digits);
}

/** The name of the built-in carrier in each environment. */
export const ownCarriers = { live: "local", test: "sim" } as const satisfies Record<Environment, string>;

// Carriers whose own site shows a parcel to anyone who has its number, by how their names begin. The number goes at the
// end of the address. The first row that fits counts.
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

/** The public page of a carrier that shows where a parcel is, or null. */
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

/** What the address of a parcel's page depends on, in addition to the parcel. */
interface TrackingPageContext {
  readonly site: Site;
  readonly mode: Environment;
}

/**
 * The URL of a parcel's tracking page: the carrier's public page, otherwise the one that the carrier reported
 * (`told_url`), otherwise ours, if the service has a public URL. Parcels of the built-in carrier use ours. Null if
 * there is none.
 */
export function trackingUrl(
  reach: TrackingPageContext,
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

/** As `trackingUrl`, for a number without a parcel. `told_url` is the page that its carrier reported. */
export function numberUrl(
  reach: TrackingPageContext,
  number: { readonly carrier: string; readonly tracking_number: string; readonly told_url: string | null },
  shown: TrackingPageTarget | null,
): string | null {
  const { carrier, tracking_number, told_url } = number;
  return carrierPage(carrier, tracking_number) ?? told_url ?? (shown === null ? null : ourPage(reach, shown));
}

function ourPage({ site, mode }: TrackingPageContext, shown: TrackingPageTarget): string | null {
  return site.base_url === "" ? null : site.base_url + trackingPagePath(site, mode, shown);
}
