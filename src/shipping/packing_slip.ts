import { recipientView } from "../addresses/address.ts";
import { isoOrNull } from "../core/clock.ts";
import { missing } from "../core/faults.ts";
import { readId, wireId } from "../core/ids.ts";
import { money, moneyText } from "../core/money.ts";
import { completeAddress } from "../core/postal_address.ts";
import { addressLines } from "../documents/address_lines.ts";
import {
  type DocumentBlock,
  type DocumentCell,
  type DocumentColumn,
  type DocumentFact,
  type DocumentTable,
  footOf,
  linesOf,
  localMoment,
  type PrintContext,
  type PrintDocument,
  reprintMark,
  textPiece,
} from "../documents/document.ts";
import type { PlainWarehouse } from "../inventory/warehouses/warehouse.ts";
import type { Branding } from "../merchants/branding/branding.ts";
import { parcelPlace, placeText } from "../orders/fulfillment/order_units.ts";
import type { Shipment } from "../orders/fulfillment/shipment.ts";
import { costOf, lineTotal, type Order, type OrderLine, publicStatus, uncancelledUnits } from "../orders/order.ts";
import { refusal } from "../orders/order_lines.ts";
import { carrierName } from "./rates/built_in_carrier.ts";

/** The contents of one parcel, or of all parcels of an order. */
interface PackingSlip {
  readonly order: Order;
  /** Null for the whole order. */
  readonly shipment: Shipment | null;
  /** The warehouse that packs it, under the merchant's name. */
  readonly warehouse: PlainWarehouse;
  readonly items: readonly SlipItem[];
}

/** An order line on the packing slip, in units (for a bundle, whole sets). */
interface SlipItem {
  readonly line: OrderLine;
  readonly ordered: number;
  /** Units in the parcel. On the slip of a whole order: units packed so far. */
  readonly packed: number;
  readonly backordered: number;
  /** The price of the units in the parcel, or of all ordered units. */
  readonly amount_cents: number;
}

/**
 * Returns the packing slip of an order or of one of its parcels. A cancelled order and a voided parcel have none.
 * Refuses: resource_missing, invalid_state_transition.
 */
export function packingSlipOf(order: Order, warehouse: PlainWarehouse, shipment_id: string | undefined): PackingSlip {
  if (order.status === "cancelled") throw refusal(order, "print a packing slip");
  const id = shipment_id === undefined ? null : readId("shipment", shipment_id);
  const shipment = order.shipments.find((parcel) => parcel.id === id) ?? null;
  if (shipment_id !== undefined && shipment === null) throw missing("shipment", shipment_id);
  if (shipment?.status === "voided") throw refusal(order, "print a packing slip", "this parcel is voided");
  const valid = order.shipments.filter(({ status }) => status !== "voided");
  const counts = unitsIn(shipment === null ? [] : [shipment]);
  // The amount of all earlier parcels is rounded once, so that the parcels add up to the whole.
  const earlier = unitsIn(shipment === null ? [] : valid.slice(0, valid.indexOf(shipment)));
  const items = order.lines.map((line) => {
    const ordered = uncancelledUnits(line);
    const packed = shipment === null ? line.quantity_packed : (counts.get(line.id) ?? 0);
    const amount_cents = costOf(line, shipment === null ? ordered : packed, earlier.get(line.id) ?? 0);
    return { line, ordered, packed, backordered: line.wanted - line.reserved, amount_cents };
  });
  // The slip of a parcel lists its contents and what is still backordered.
  const shown = items.filter((item) => item.ordered > 0 && (shipment === null || item.packed + item.backordered > 0));
  return { order, shipment, warehouse, items: shown };
}

/** Sums the units in some parcels, by order line id. */
function unitsIn(parcels: readonly Shipment[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { order_line_id, quantity } of parcels.flatMap(({ lines }) => lines)) {
    counts.set(order_line_id, (counts.get(order_line_id) ?? 0) + quantity);
  }
  return counts;
}

/** Optional content. By default the recipient sees neither prices nor internal notes. */
interface SlipChoices {
  readonly prices: boolean;
  readonly notes: boolean;
  /** How often it was printed before; 0 or absent leaves it unmarked. */
  readonly prints?: number;
}

const title = "Packing slip";

/**
 * Returns the slip as a printable document, with the merchant's name and words to buyers. The logo is added later: its
 * content is read outside of transactions.
 */
export function packingSlipDocument(
  slip: PackingSlip,
  choices: SlipChoices,
  print: PrintContext,
  branding: Branding,
): PrintDocument {
  const { order, warehouse } = slip;
  const { order_number, order_notes } = order;
  const { name, ...place } = completeAddress(warehouse.address);
  const from = { ...place, name: branding.display_name ?? name };
  const to = completeAddress(order.shipping_address);
  return {
    title,
    name: order_number,
    mark: reprintMark(choices.prints ?? 0),
    symbol: order_number,
    facts: slipFacts(slip, print),
    blocks: [
      { caption: "Ship to", lines: addressLines(to, from.country), strong: to.name || to.company },
      { caption: "From", lines: addressLines(from, from.country), strong: from.name },
    ],
    notes: [
      ...(choices.notes && order_notes !== null
        ? [{ caption: "Notes", lines: linesOf(order_notes), strong: null }]
        : []),
      ...wordsToBuyer(branding),
    ],
    tables: [itemTable(slip, choices.prices)],
    foot: footOf(title, order_number, print),
    sheet: print.sheet,
  };
}

/** What the merchant tells buyers, and how they reach it. */
function wordsToBuyer({ message, support_email, support_phone, website }: Branding): DocumentBlock[] {
  const site = website?.replace(/^https?:\/\//, "").replace(/\/$/, "") ?? null;
  const ways = [support_email, support_phone, site].filter((way) => way !== null);
  return [
    ...(message === null ? [] : [{ caption: "For you", lines: linesOf(message), strong: null }]),
    ...(ways.length === 0 ? [] : [{ caption: "Questions?", lines: [ways.join(" · ")], strong: null }]),
  ];
}

function slipFacts({ order, shipment }: PackingSlip, { timezone }: PrintContext): DocumentFact[] {
  const { created_at, shipping_method, shipments } = order;
  const day = (at: number) => localMoment(at, timezone).slice(0, 10);
  const place = shipment === null ? null : parcelPlace(order, shipment.id);
  const shown = shipment === null ? shipments.filter(({ status }) => status !== "voided") : [shipment];
  const carriers = new Set(shown.map(carrierInWords).filter((words) => words !== ""));
  const left_at = shipment === null ? order.shipped_at : shipment.shipped_at;
  return [
    { label: "Ordered", value: day(created_at) },
    ...(left_at === null ? [] : [{ label: "Shipped", value: day(left_at) }]),
    ...(shipment === null || place === null ? [] : [{ label: "Parcel", value: placeText(place) }]),
    ...(carriers.size === 0 ? [] : [{ label: "Carrier", value: [...carriers].join(", ") }]),
    ...(shipment?.tracking_number == null ? [] : [{ label: "Tracking number", value: shipment.tracking_number }]),
    ...(carriers.size > 0 || shipping_method === null ? [] : [{ label: "Shipping method", value: shipping_method }]),
  ];
}

/** Returns the carrier of a parcel and its service as words, such as `UPS ground`; empty without a carrier. */
export function carrierInWords({ carrier, service }: Pick<Shipment, "carrier" | "service">): string {
  const name = carrier === null ? null : carrierName(carrier);
  return [name, service?.replaceAll("_", " ")].filter((word) => word != null).join(" ");
}

function itemTable({ order, shipment, items }: PackingSlip, prices: boolean): DocumentTable {
  const { currency } = order;
  const count = (caption: string, width: number): DocumentColumn => ({ caption, width, align: "right" });
  const packed = shipment === null ? "Packed" : "In parcel";
  // A column of zeros means nothing to the buyer.
  const counts_packed = shipment !== null || items.some((item) => item.packed > 0);
  const sum = (of: (item: SlipItem) => number) => String(items.reduce((total, item) => total + of(item), 0));
  const blank: DocumentCell = [];
  const amount = items.reduce((total, { amount_cents }) => total + amount_cents, 0);
  // The column is omitted if nothing is backordered.
  const waits = items.some(({ backordered }) => backordered > 0);
  return {
    caption: null,
    columns: [
      { caption: "Item", width: null, align: "left" },
      ...(prices ? [] : [{ caption: "SKU", width: 142, align: "left" as const }]),
      count("Ordered", 50),
      ...(counts_packed ? [count(packed, 56)] : []),
      ...(waits ? [count("Backordered", 72)] : []),
      ...(prices ? [count(`Price ${currency}`, 60), count(`Amount ${currency}`, 66)] : []),
    ],
    rows: items.map((item) => itemRow(item, { prices: prices ? currency : null, waits, counts_packed })),
    total: [
      [textPiece("Total", "strong")],
      ...(prices ? [] : [blank]),
      [
        textPiece(
          sum((item) => item.ordered),
          "plain",
        ),
      ],
      ...(counts_packed
        ? [
            [
              textPiece(
                sum((item) => item.packed),
                "strong",
              ),
            ],
          ]
        : []),
      ...(waits
        ? [
            [
              textPiece(
                sum((item) => item.backordered),
                "plain",
              ),
            ],
          ]
        : []),
      ...(prices ? [blank, [textPiece(moneyText(amount, currency), "strong")]] : []),
    ],
  };
}

/** The optional columns of the table. */
interface SlipColumns {
  /** The currency of the prices; null without prices. */
  readonly prices: string | null;
  readonly waits: boolean;
  readonly counts_packed: boolean;
}

function itemRow(item: SlipItem, { prices, waits, counts_packed }: SlipColumns): DocumentCell[] {
  const { line, ordered, packed, backordered, amount_cents } = item;
  const { sku, name, components } = line;
  const parts = (components ?? []).map((part) => textPiece(`${part.quantity} × ${part.sku}`, "quiet"));
  return [
    [textPiece(name, "strong"), ...(prices === null ? [] : [textPiece(sku, "plain")]), ...parts],
    ...(prices === null ? [[{ kind: "symbol", text: sku } as const, textPiece(sku, "plain")]] : []),
    [textPiece(String(ordered), "plain")],
    ...(counts_packed ? [[textPiece(String(packed), "strong")]] : []),
    ...(waits ? [[textPiece(String(backordered), "plain")]] : []),
    ...(prices === null ? [] : [priceCell(line, prices), [textPiece(moneyText(amount_cents, prices), "plain")]]),
  ];
}

/** The price of a unit, and the discount of the line. */
function priceCell({ unit_price_cents, discount_cents }: OrderLine, currency: string): DocumentCell {
  const price = textPiece(moneyText(unit_price_cents, currency), "plain");
  return discount_cents === 0 ? [price] : [price, textPiece(`less ${moneyText(discount_cents, currency)}`, "quiet")];
}

/** Returns the slip as the API shows it. */
export function packingSlipView({ order, shipment, warehouse, items }: PackingSlip, { prices, notes }: SlipChoices) {
  return {
    order_id: wireId("order", order.id),
    order_number: order.order_number,
    status: publicStatus(order),
    shipment_id: shipment === null ? null : wireId("shipment", shipment.id),
    tracking_number: shipment?.tracking_number ?? null,
    shipped_at: isoOrNull(shipment?.shipped_at ?? null),
    ship_to: recipientView(order.shipping_address),
    ship_from: warehouse.address,
    ...(notes ? { order_notes: order.order_notes } : {}),
    items: items.map(({ line, ordered, packed, backordered, amount_cents }) => ({
      line_id: wireId("order_line", line.id),
      sku: line.sku,
      name: line.name,
      quantity_ordered: ordered,
      quantity_packed: packed,
      quantity_backordered: backordered,
      ...(prices ? pricesView(line, amount_cents, order.currency) : {}),
    })),
  };
}

function pricesView(line: OrderLine, amount_cents: number, currency: string) {
  return {
    unit_price: money(line.unit_price_cents, currency),
    discount_amount: money(line.discount_cents, currency),
    line_total: money(lineTotal(line), currency),
    amount: money(amount_cents, currency),
  };
}
