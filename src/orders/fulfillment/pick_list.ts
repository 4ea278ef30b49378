import { dayText } from "../../core/time_zone.ts";
import {
  counted,
  type DocumentBlock,
  type DocumentCell,
  type DocumentColumn,
  type DocumentFact,
  type DocumentPiece,
  type DocumentTable,
  footOf,
  linesOf,
  listPiece,
  localMoment,
  type PrintContext,
  type PrintDocument,
  reprintMark,
  textPiece,
} from "../../documents/document.ts";
import type { DispatchCalendar } from "../../inventory/warehouses/dispatch_calendar.ts";
import { type MerchantCodes, numberWithMerchant } from "../../storage/tenant.ts";
import { estimatedShipDate, type Order } from "../order.ts";
import type { MissingPick, PickShare, PickStop, PickWalk, PickWalkLeg } from "./pick_walk.ts";

/** When an order must be ready: its ship date (`YYYY-MM-DD`), if known, and its warehouse's cut-off. */
function cutOff(ship_date: string | null, { cutoff_time }: DispatchCalendar): string {
  return ship_date === null ? cutoff_time : `${ship_date} ${cutoff_time}`;
}

const title = "Pick list";

/**
 * The pick list of one walk: for one order with everything its picker needs, for several with the share of each.
 * `marks_reprints` marks orders whose pick list was printed before, and the list if it has no others.
 */
export function pickListDocument(walk: PickWalk, print: PrintContext, marks_reprints = false): PrintDocument {
  const [first, ...others] = walk.orders;
  const only = others.length === 0 ? first : undefined;
  const name = only?.order_number ?? `${walk.orders.length} orders`;
  const several = walk.legs.length > 1;
  const shareText = only === undefined ? sharesText(walk) : null;
  return {
    title,
    name,
    mark: marks_reprints ? reprintMark(Math.min(...walk.orders.map((order) => order.pick_list_prints))) : null,
    symbol: only?.order_number ?? null,
    facts: [...(only === undefined ? [] : orderFacts(only, walk.legs[0]?.warehouse, print)), ...walkFacts(walk)],
    blocks: [],
    notes: only === undefined ? [] : notesOf(only),
    tables: [
      ...walk.legs.map((leg) => stopTable(leg, several ? leg.warehouse.name : null, shareText)),
      ...(walk.missing.length === 0 ? [] : [missingTable(walk.missing, shareText)]),
      ...(only === undefined ? [orderTable(walk, marks_reprints)] : []),
    ],
    foot: footOf(title, name, print),
    sheet: print.sheet,
  };
}

function orderFacts(
  order: Order,
  warehouse: DispatchCalendar | undefined,
  { now, timezone }: PrintContext,
): DocumentFact[] {
  const { customer_name, created_at, shipping_method, priority, requires_cold_storage } = order;
  const ship_date = estimatedShipDate(order, now);
  return [
    { label: "Customer", value: customer_name },
    { label: "Ordered", value: localMoment(created_at, timezone) },
    ...(warehouse === undefined ? [] : [{ label: "Cut-off", value: cutOff(ship_date, warehouse) }]),
    ...(shipping_method === null ? [] : [{ label: "Shipping method", value: shipping_method }]),
    ...(priority === 0 ? [] : [{ label: "Priority", value: String(priority) }]),
    ...(requires_cold_storage ? [{ label: "Storage", value: "Keep cold" }] : []),
  ];
}

function walkFacts({ legs, picked, codes }: PickWalk): DocumentFact[] {
  const stops = legs.flatMap((leg) => leg.stops);
  const units = stops.reduce((sum, { quantity }) => sum + quantity, 0);
  return [
    ...(codes.size === 0 ? [] : [{ label: codes.size === 1 ? "Merchant" : "Merchants", value: namesOf(codes) }]),
    ...(legs.length === 1 ? [{ label: "Warehouse", value: legs[0]?.warehouse.name ?? "" }] : []),
    { label: "To pick", value: `${counted(units, "unit")} at ${counted(stops.length, "stop")}` },
    ...(picked === 0 ? [] : [{ label: "Picked before", value: counted(picked, "unit") }]),
  ];
}

const namesOf = (codes: MerchantCodes) => [...codes.values()].sort().join(", ");

const numberOf = ({ order_number, merchant_id }: Order, codes: MerchantCodes) =>
  numberWithMerchant(order_number, merchant_id, codes);

function notesOf({ packing_note, order_notes }: Order): DocumentBlock[] {
  const notes = [
    { caption: "Packing note", text: packing_note },
    { caption: "Notes", text: order_notes },
  ];
  return notes.flatMap(({ caption, text }) =>
    text === null || text.trim() === "" ? [] : { caption, lines: linesOf(text), strong: null },
  );
}

const stopColumns: readonly DocumentColumn[] = [
  { caption: "", width: 15, align: "left" },
  { caption: "Bin", width: 96, align: "left" },
  { caption: "Item", width: null, align: "left" },
  { caption: "SKU", width: 142, align: "left" },
  { caption: "Units", width: 34, align: "right" },
];

/** How shares of orders are printed on the list of several; null on the list of one, which has no shares. */
type ShareText = ((shares: readonly PickShare[]) => DocumentPiece) | null;

const sharesText =
  ({ codes }: PickWalk) =>
  (shares: readonly PickShare[]) =>
    listPiece(
      shares.map(({ order, quantity }) => `${quantity} × ${numberOf(order, codes)}`),
      "plain",
    );

function stopTable({ stops }: PickWalkLeg, caption: string | null, shareText: ShareText): DocumentTable {
  return { caption, columns: stopColumns, rows: stops.map((stop) => stopRow(stop, shareText)), total: null };
}

function stopRow(
  { bin, sku, name, lot_number, expires_on, quantity, shares }: PickStop,
  shareText: ShareText,
): DocumentCell[] {
  const expires = expires_on === null ? [] : [`expires ${dayText(expires_on)}`];
  const item: DocumentPiece[] = [textPiece(name, "strong")];
  if (lot_number !== null) item.push(listPiece([`Lot ${lot_number}`, ...expires], "plain"));
  if (shareText !== null) item.push(shareText(shares));
  return [
    [{ kind: "box" }],
    [textPiece(bin, "bin"), { kind: "symbol", text: bin }],
    item,
    [{ kind: "symbol", text: sku }, textPiece(sku, "plain")],
    [textPiece(String(quantity), "count")],
  ];
}

/** Backordered units, each SKU of a merchant once; for several orders, with the orders that wait for it. */
function missingTable(missing: readonly MissingPick[], shareText: ShareText): DocumentTable {
  const orders: DocumentColumn[] = shareText === null ? [] : [{ caption: "Orders", width: null, align: "left" }];
  const goods = Map.groupBy(missing, ({ sku, order }) => `${order.merchant_id} ${sku}`);
  const rows = [...goods.values()].map((waiting) => [
    [textPiece(waiting[0]?.sku ?? "", "plain")],
    ...(shareText === null ? [] : [[shareText(waiting)]]),
    [textPiece(String(waiting.reduce((sum, { quantity }) => sum + quantity, 0)), "strong")],
  ]);
  return {
    caption: "Waiting for stock",
    columns: [
      { caption: "SKU", width: shareText === null ? null : 150, align: "left" },
      ...orders,
      { caption: "Units", width: 60, align: "right" },
    ],
    rows,
    total: null,
  };
}

const orderColumns: readonly DocumentColumn[] = [
  { caption: "", width: 15, align: "left" },
  { caption: "Order", width: null, align: "left" },
  { caption: "Order number", width: 190, align: "left" },
  { caption: "Units", width: 34, align: "right" },
];

function orderTable({ orders, legs, codes }: PickWalk, marks_reprints: boolean): DocumentTable {
  const units = new Map<number, number>();
  for (const { shares } of legs.flatMap(({ stops }) => stops)) {
    for (const { order, quantity } of shares) units.set(order.id, (units.get(order.id) ?? 0) + quantity);
  }
  return {
    caption: "Orders",
    columns: orderColumns,
    rows: orders.map((order) => [
      [{ kind: "box" }],
      [
        textPiece(order.customer_name, "strong"),
        textPiece(numberOf(order, codes), "plain"),
        ...(marks_reprints && order.pick_list_prints > 0
          ? [textPiece(reprintMark(order.pick_list_prints) ?? "", "strong")]
          : []),
        ...notesOf(order).flatMap(({ lines }) => lines.map((line) => textPiece(line, "quiet"))),
      ],
      [{ kind: "symbol", text: order.order_number }],
      [textPiece(String(units.get(order.id) ?? 0), "count")],
    ]),
    total: null,
  };
}
