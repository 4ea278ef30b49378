// The public tracking page, which shows a buyer where a parcel is and when it arrives. Of addresses only the city.
import { escapeHtml, htmlPage, plainPolicy } from "../core/html.ts";
import { day_ms } from "../core/time.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import type { TrackingEventStatus, TrackingStatus } from "../shipping/carriers/tracking.transitions.ts";
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
  /** The merchant that sends the parcel; null to show the warehouse. */
  readonly sender: string | null;
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
export function parcelHtml(page: ParcelPage): string {
  const status = statusOf(page);
  const { record, events } = page.tracked;
  const late = status === "exception" || status === "returned";
  const title = `${headlines[status]} · ${escapeHtml(record.tracking_number)}`;
  const origin_name = page.sender ?? page.warehouse;
  const facts = [
    ["From", page.comes_back ? page.place : origin_name],
    ["To", page.comes_back ? origin_name : page.place],
  ].map(([term = "", value = ""]) => `<dt>${term}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd>`);
  const scans = events.map(({ status: kind, occurred_at, location }) => {
    const place = location?.city ? `, <bdi>${escapeHtml(location.city)}</bdi>` : "";
    return `<li><span>${scanned[kind]}${place}</span>${timeHtml(occurred_at, page.zone)}</li>`;
  });
  return document(title, [
    page.test ? '<p class="test">Test shipment</p>' : "",
    late ? '<header class="alert">' : "<header>",
    page.sender === null ? "" : `<p class="sender"><bdi>${escapeHtml(page.sender)}</bdi></p>`,
    `<h1>${headlines[status]}</h1>\n<p class="number">${escapeHtml(record.tracking_number)}</p>`,
    dueHtml(page, status),
    "</header>",
    late ? "" : stepsHtml(status),
    `<dl>${facts.join("")}</dl>`,
    scans.length === 0 ? "" : `<h2>Tracking history</h2>\n<ol class="scans">\n${scans.join("\n")}\n</ol>`,
  ]);
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
export function endedHtml({ sender }: ParcelPage): string {
  const contact = sender === null ? "the sender" : `<bdi>${escapeHtml(sender)}</bdi>`;
  return messagePage("This page has ended", `This parcel is no longer shown. For details, contact ${contact}.`);
}

/** Returns a page with one message. */
export function messagePage(headline: string, words: string): string {
  return document(headline, [`<h1>${headline}</h1>\n<p>${words}</p>`]);
}

function document(title: string, body: readonly string[]): string {
  const head = `\n<meta name="robots" content="noindex, nofollow">\n<meta name="referrer" content="no-referrer">`;
  const parts = body.filter((part) => part !== "").join("\n");
  return htmlPage(title, `${head}\n<style>${css}</style>`, `<main>\n${parts}\n</main>`);
}

/** Headers of all these pages: no caching, no indexing, no third-party content. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": plainPolicy(css),
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
};
