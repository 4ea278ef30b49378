// Chooses what is printed for an order, and states why the rest is not.
import { wireId } from "../../core/ids.ts";
import type { Shipment } from "../../orders/fulfillment/shipment.ts";
import { hasLeft, isCancelled, isGivenUp } from "../../orders/order.transitions.ts";
import { hinderedBy, type Order } from "../../orders/order.ts";
import { hasFailed, isBeingBought, isUsable, isVoided } from "../labels/label.transitions.ts";
import type { ShippingLabel } from "../labels/label.ts";
import { type ChosenDocument, chooseDocument, formatOf, listedDocuments } from "../labels/label_documents.ts";
import type { PrintFormat, PrintKind, PrintSection, SkipCode, SkippedRow } from "./printed_document.ts";

/** A page or several of an order: a label, or a packing slip. */
export type Printable =
  | {
      readonly kind: "label";
      readonly order: Order;
      readonly label: ShippingLabel;
      readonly chosen: ChosenDocument;
    }
  | {
      readonly kind: "packing_slip";
      readonly order: Order;
      /** Null for the whole order. */
      readonly shipment: Shipment | null;
    };

/** What is printed for an order, in order, and what is not. */
interface OrderPages {
  readonly pages: readonly Printable[];
  readonly skipped: readonly SkippedRow[];
}

/** An order to print: its labels, and the requested one if it was requested by a label. */
interface PrintRequest {
  readonly order: Order;
  readonly labels: readonly ShippingLabel[];
  readonly requested: ShippingLabel | null;
}

/** Chooses the pages of an order for a section of labels and slips. */
export function pagesOf(request: PrintRequest, section: PrintSection, format: PrintFormat): OrderPages {
  const { order, requested } = request;
  const skip = skipping(order, section);
  if (requested !== null && requested.return_id !== null) return returnPages(order, requested, section, format);
  const stop = stopOf(order);
  if (stop !== null) return { pages: [], skipped: skip(stop.code, stop.message, requested?.id) };
  if (requested !== null && !isUsable(requested.status)) {
    const { code, message } = whyUnusable(requested);
    return { pages: [], skipped: skip(code, message, requested.id) };
  }
  const pages: Printable[] = [];
  const skipped: SkippedRow[] = [];
  for (const { shipment, label } of parcelsOf(request)) {
    for (const kind of section) {
      if (kind === "packing_slip") pages.push({ kind, order, shipment });
      else if (kind === "label") {
        const chosen = label === null ? null : chosenFor(label, format);
        if (label !== null && chosen !== null) pages.push({ kind, order, label, chosen });
        else skipped.push(...skipping(order, [kind])(...whyNoLabel(request, shipment, label, format)));
      }
    }
  }
  return { pages, skipped };
}

/** The parcels of an order to print: those in the house, or all if all have left; the whole order if it has none. */
function parcelsOf({ order, labels, requested }: PrintRequest) {
  const valid = order.shipments.filter(({ status }) => !isGivenUp(status));
  const labelOf = ({ id }: Shipment) =>
    labels.findLast(({ shipment_id, status }) => shipment_id === id && isUsable(status)) ?? null;
  if (requested !== null) {
    const shipment = valid.find(({ id }) => id === requested.shipment_id) ?? null;
    return [{ shipment, label: requested }];
  }
  const in_house = valid.filter(({ status }) => !hasLeft(status));
  const shown = in_house.length > 0 ? in_house : valid;
  if (shown.length === 0) return [{ shipment: null, label: null }];
  return shown.map((shipment) => ({ shipment, label: labelOf(shipment) }));
}

/** Why nothing of an order may be printed; null if it may. */
function stopOf(order: Order): { readonly code: SkipCode; readonly message: string } | null {
  if (isCancelled(order.status)) return { code: "cancelled", message: "The order is cancelled." };
  const reasons = hinderedBy(order);
  if (reasons.length === 0) return null;
  return { code: "on_hold", message: `The order is on hold (${reasons.join(", ")}).` };
}

function returnPages(order: Order, label: ShippingLabel, section: PrintSection, format: PrintFormat): OrderPages {
  const of = (kind: PrintKind) => skipping(order, [kind]);
  const pages: Printable[] = [];
  const skipped: SkippedRow[] = [];
  for (const kind of section) {
    const chosen = isUsable(label.status) ? chosenFor(label, format) : null;
    if (kind !== "label") {
      skipped.push(...of(kind)("return_label", "This is the label of a return, which has no packing slip.", label.id));
    } else if (chosen !== null) pages.push({ kind, order, label, chosen });
    else {
      const { code, message } = isUsable(label.status) ? whyNoDocument(label, format) : whyUnusable(label);
      skipped.push(...of(kind)(code, message, label.id));
    }
  }
  return { pages, skipped };
}

/** The file of a label for a format: of a carrier's label, a PDF before an image; null if it has none. */
function chosenFor(label: ShippingLabel, format: PrintFormat): ChosenDocument | null {
  if (label.drawing !== null) return chooseDocument(label, { format });
  const formats = format === "zpl" ? (["zpl"] as const) : (["pdf", "png"] as const);
  const has = (wanted: string) =>
    label.documents.some(({ kind, content_type }) => kind === "label" && formatOf(content_type) === wanted);
  const found = formats.find(has);
  return found === undefined ? null : chooseDocument(label, { format: found });
}

/** Why an order has no label to print for a parcel. */
function whyNoLabel(
  { labels }: PrintRequest,
  shipment: Shipment | null,
  label: ShippingLabel | null,
  format: PrintFormat,
): [code: SkipCode, message: string, label_id?: number] {
  if (label !== null) {
    const { code, message } = whyNoDocument(label, format);
    return [code, message, label.id];
  }
  const last = labels.findLast(({ shipment_id }) => shipment === null || shipment_id === shipment.id);
  if (last !== undefined && !isVoided(last.status)) {
    const { code, message } = whyUnusable(last);
    return [code, message, last.id];
  }
  return ["no_label", shipment === null ? "The order has no label yet." : "A parcel of the order has no label yet."];
}

function whyNoDocument(label: ShippingLabel, format: PrintFormat): { code: SkipCode; message: string } {
  const formats = [...new Set(listedDocuments(label).map((document) => document.format))].join(", ");
  const has = formats === "" ? "no file" : `no ${format === "zpl" ? "ZPL" : "PDF or PNG"} file, only: ${formats}`;
  return { code: "no_document", message: `${wireId("label", label.id)} of ${label.carrier} has ${has}.` };
}

function whyUnusable({ id, status }: ShippingLabel): { code: SkipCode; message: string } {
  const label = wireId("label", id);
  if (isBeingBought(status)) return { code: "label_processing", message: `${label} is still being bought.` };
  if (hasFailed(status)) return { code: "label_failed", message: `The purchase of ${label} failed.` };
  return { code: "label_voided", message: `${label} was voided.` };
}

/** Returns the function that states why some kinds of an order were not printed. */
export function skipping(order: Pick<Order, "id" | "order_number">, kinds: readonly PrintKind[]) {
  const { id: order_id, order_number } = order;
  return (code: SkipCode, message: string, label_id: number | null = null): SkippedRow[] =>
    kinds.map((document) => ({ order_id, order_number, label_id, document, code, message }));
}
