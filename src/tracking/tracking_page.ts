// The public tracking page, which shows a buyer where a parcel is and when it arrives. Of addresses only the city.
import { textColorOn } from "../core/colors.ts";
import { escapeHtml, htmlPage, plainPolicy } from "../core/html.ts";
import { day_ms } from "../core/time.ts";
import { linesOf } from "../documents/document.ts";
import type { Branding } from "../merchants/branding/branding.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import type { TrackingEventStatus, TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
import { carrierInWords } from "../shipping/packing_slip.ts";
import { deliveryEnd } from "../shipping/rates/delivery_date.ts";
import css from "./tracking_page.css" with { type: "text" };
import type { TrackingHistory } from "./tracking_record.ts";

/** How long the page is shown after the parcel was delivered or came back. */
const shown_after_ms = 90 * day_ms;

/** The content of a parcel's page. */
export interface ParcelPage {
  /** Null for a number that is tracked for an order but is none of its parcels. */
  readonly shipment: Shipment | null;
  readonly tracked: TrackingHistory;
  /** The name of the merchant that sends the parcel; null to show the warehouse. */
  readonly sender: string | null;
  readonly branding: Branding;
  /** A link to the merchant's logo; null if it has none. */
  readonly logo_url: string | null;
  /** What the buyer ordered, without prices; null once the buyer was erased, and for a return. */
  readonly contents: ParcelContents | null;
  /** The name of the warehouse that sends it. */
  readonly warehouse: string;
  /** The recipient's city, or the sender's for a return; in a city state, the country. */
  readonly place: string;
  readonly comes_back: boolean;
  /** The IANA time zone of the page. */
  readonly zone: string;
  readonly test: boolean;
  readonly now: number;
}

/** The order of a parcel, and the goods in it. */
interface ParcelContents {
  readonly order_number: string;
  readonly items: readonly { readonly name: string; readonly quantity: number }[];
}

/** Whether the page has ended: the parcel was given up, or it arrived or came back some time ago. */
export function hasEnded({ shipment, tracked, now }: ParcelPage): boolean {
  if (shipment?.status === "voided") return true;
  const { status, occurred_at } = tracked.record;
  const scanned = status === "delivered" || status === "returned" ? occurred_at : null;
  const ended_at = shipment?.delivered_at ?? scanned;
  return ended_at !== null && ended_at + shown_after_ms <= now;
}

// A person may have marked a parcel as shipped or delivered that was not scanned since.
function statusOf({ shipment, tracked }: ParcelPage): TrackingStatus {
  const { status } = tracked.record;
  if (status === "returned" || shipment === null) return status;
  if (shipment.status === "delivered") return "delivered";
  return status === "pending" && shipment.status !== "pending" ? "picked_up" : status;
}

const headlines: Readonly<Record<TrackingStatus, string>> = {
  pending: "Preparing shipment",
  picked_up: "Handed to the carrier",
  in_transit: "On its way",
  out_for_delivery: "Out for delivery",
  delivered: "Delivered",
  exception: "Held up",
  returned: "Going back to the sender",
};

const scanned: Readonly<Record<TrackingEventStatus, string>> = {
  ...headlines,
  pending: "Label printed",
  accepted: "Accepted by the carrier",
  picked_up: "Picked up by the carrier",
};

const steps: readonly TrackingStatus[] = ["pending", "picked_up", "in_transit", "out_for_delivery", "delivered"];

/** Returns the page of a parcel. Events show only kind, place and time: their messages may contain names. */
export function parcelHtml(page: ParcelPage): TrackingHtml {
  const status = statusOf(page);
  const { record, events } = page.tracked;
  const late = status === "exception" || status === "returned";
  const title = `${headlines[status]} · ${escapeHtml(record.tracking_number)}`;
  const origin_name = page.sender ?? page.warehouse;
  const carrier = page.shipment === null ? "" : carrierInWords(page.shipment);
  const facts = [
    ["From", page.comes_back ? page.place : origin_name],
    ["To", page.comes_back ? origin_name : page.place],
    ...(page.contents === null ? [] : [["Order", page.contents.order_number]]),
    ...(carrier === "" ? [] : [["Carrier", carrier]]),
  ].map(([term = "", value = ""]) => `<dt>${term}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd>`);
  const scans = events.map(({ status: kind, occurred_at, location }) => {
    const place = location?.city ? `, <bdi>${escapeHtml(location.city)}</bdi>` : "";
    return `<li><span>${scanned[kind]}${place}</span>${timeHtml(occurred_at, page.zone)}</li>`;
  });
  return document(title, styleOf(page.branding), [
    senderHtml(page),
    page.test ? '<p class="test">Test shipment</p>' : "",
    late ? '<header class="alert">' : "<header>",
    `<h1>${headlines[status]}</h1>\n<p class="number">${escapeHtml(record.tracking_number)}</p>`,
    dueHtml(page, status),
    "</header>",
    late ? "" : stepsHtml(status),
    `<dl>${facts.join("")}</dl>`,
    itemsHtml(page.contents),
    scans.length === 0 ? "" : `<h2>Tracking history</h2>\n<ol class="scans">\n${scans.join("\n")}\n</ol>`,
    contactHtml(page),
  ]);
}

/** The top of the page: the merchant's logo and name, on its color. */
function senderHtml({ sender, logo_url }: ParcelPage): string {
  if (sender === null && logo_url === null) return "";
  const logo = logo_url === null ? "" : `<span class="logo"><img src="${escapeHtml(logo_url)}" alt=""></span>`;
  const name = sender === null ? "" : `<bdi>${escapeHtml(sender)}</bdi>`;
  return `<p class="sender">${logo}${name}</p>`;
}

function itemsHtml(contents: ParcelContents | null): string {
  if (contents === null || contents.items.length === 0) return "";
  const items = contents.items.map(
    ({ name, quantity }) => `<li><bdi>${escapeHtml(name)}</bdi><span>${quantity}</span></li>`,
  );
  return `<h2>In this parcel</h2>\n<ol class="items">\n${items.join("\n")}\n</ol>`;
}

/** The merchant's words to buyers, and how to reach it. */
function contactHtml({ branding }: Pick<ParcelPage, "branding">): string {
  const { message, support_email, support_phone, website } = branding;
  const link = (href: string, text: string) => `<a href="${escapeHtml(href)}"><bdi>${escapeHtml(text)}</bdi></a>`;
  const ways = [
    ...(support_email === null ? [] : [link(`mailto:${support_email}`, support_email)]),
    ...(support_phone === null ? [] : [link(`tel:${support_phone.replaceAll(/[^+\d]/g, "")}`, support_phone)]),
    ...(website === null ? [] : [link(website, website.replace(/^https?:\/\//, "").replace(/\/$/, ""))]),
  ];
  const words = message === null ? [] : linesOf(message).map((line) => `<bdi>${escapeHtml(line)}</bdi>`);
  if (ways.length === 0 && words.length === 0) return "";
  return [
    "<footer>",
    words.length === 0 ? "" : `<p class="message">${words.join("<br>")}</p>`,
    ways.length === 0 ? "" : `<h2>Questions about your order?</h2>\n<p class="contact">${ways.join("<br>")}</p>`,
    "</footer>",
  ].join("\n");
}

/** The style of a page: the color of its top is the merchant's. */
function styleOf({ accent_color }: Branding): string {
  if (accent_color === null) return css;
  const text = textColorOn(accent_color);
  const box = "padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem";
  return `${css}.sender{background:${accent_color};color:${text};${box}}\n`;
}

function dueHtml({ tracked, zone, now }: ParcelPage, status: TrackingStatus): string {
  const { estimated_delivery, account_id } = tracked.record;
  if (estimated_delivery === null || status === "delivered" || status === "returned") return "";
  const due = deliveryEnd(estimated_delivery, zone, account_id !== null);
  if (due < now) return '<p class="due">Later than expected.</p>';
  return `<p class="due">Expected by <time datetime="${new Date(due).toISOString()}">${dayOf(due, zone)}</time></p>`;
}

function stepsHtml(status: TrackingStatus): string {
  const reached = steps.indexOf(status);
  const items = steps.map((step, at) => {
    const current = at === reached ? ' aria-current="step"' : "";
    return `<li${at <= reached ? ' class="done"' : ""}${current}>${headlines[step]}</li>`;
  });
  return `<ol class="steps">${items.join("")}</ol>`;
}

function timeHtml(at: number, zone: string): string {
  const shown = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  } as const).format(at);
  return `<time datetime="${new Date(at).toISOString()}">${escapeHtml(shown)}</time>`;
}

function dayOf(at: number, zone: string): string {
  const form = { timeZone: zone, weekday: "long", month: "long", day: "numeric", year: "numeric" } as const;
  return escapeHtml(new Intl.DateTimeFormat("en-US", form).format(at));
}

/** Returns the page of a parcel that is no longer shown, with the party to contact. */
export function endedHtml(page: ParcelPage): TrackingHtml {
  const { sender } = page;
  const contact = sender === null ? "the sender" : `<bdi>${escapeHtml(sender)}</bdi>`;
  const words = `This parcel is no longer shown. For details, contact ${contact}.`;
  const headline = "This page has ended";
  const parts = [senderHtml(page), `<h1>${headline}</h1>\n<p>${words}</p>`, contactHtml(page)];
  return document(headline, styleOf(page.branding), parts);
}

/** Returns a page with one message. */
export function messagePage(headline: string, words: string): TrackingHtml {
  return document(headline, css, [`<h1>${headline}</h1>\n<p>${words}</p>`]);
}

/** A page, and the headers it needs. */
interface TrackingHtml {
  readonly html: string;
  /** No caching, no indexing, no third-party content. */
  readonly headers: Readonly<Record<string, string>>;
}

function document(title: string, style: string, body: readonly string[]): TrackingHtml {
  const head = `\n<meta name="robots" content="noindex, nofollow">\n<meta name="referrer" content="no-referrer">`;
  const parts = body.filter((part) => part !== "").join("\n");
  const html = htmlPage(title, `${head}\n<style>${style}</style>`, `<main>\n${parts}\n</main>`);
  return { html, headers: { ...page_headers, "content-security-policy": plainPolicy(style, "'self' data:") } };
}

const page_headers = {
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
};
