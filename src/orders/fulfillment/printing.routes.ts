import { assert, invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import type { PrintContext } from "../../documents/document.ts";
import {
  type DocumentFormat,
  defaultPaperSize,
  documentMediaTypes,
  type PaperSize,
  preferredFormat,
} from "../../documents/document.ts";
import { sendDocument } from "../../documents/document_response.ts";
import { printedImage } from "../../files/printed_image.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { answerRead } from "../../http/response.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { getBrandingWithLogo } from "../../merchants/branding/branding.sql.ts";
import { senderOfOrder } from "../../shipping/origins.sql.ts";
import { packingSlipDocument, packingSlipOf, packingSlipView } from "../../shipping/packing_slip.ts";
import type { Db } from "../../storage/database.ts";
import { findOrderIds } from "../lifecycle/order_lookup.sql.ts";
import type { Order } from "../order.ts";
import { findOrders, getOrder } from "../orders.sql.ts";
import { pickListDocument } from "./pick_list.ts";
import { ordersOfWave, refuseUnpickable, walkView, wave_orders_max } from "./pick_walk.ts";
import { planWalk } from "./plan_pick_walk.ts";
import { PackingSlipView, PrintPackingSlip, PrintPickList, PrintWave, WalkView } from "./printing.schema.ts";

/** Documents of orders: pick lists, and packing slips for the parcels. */
export const printingRoutes = (service: Service) =>
  routes("Orders", [
    respond("GET", "/orders/:id/pick_list", "orders.read", {
      id: "getPickList",
      summary: "Get the pick list of an order: PDF, or HTML or JSON by `Accept`",
      description:
        "The units that are still to be picked, bin by bin along the pick path. It only reads: record the picks with" +
        " `POST /orders/:id/pick`. Refused while the order is on hold, and once it is packed.",
      refuses: ["invalid_state_transition"],
      query: PrintPickList,
      answers: { 200: EnvelopedView(WalkView) },
      documents: documentMediaTypes,
      answer: ({ call, params, query }) =>
        answerWalk(call, service.log, query, async (db) => {
          const order = await getOrder(db, params.id);
          refuseUnpickable(order);
          return [order];
        }),
    }),
    respond("GET", "/orders/:id/packing_slip", "orders.read", {
      id: "getPackingSlip",
      summary: "Get the packing slip of an order or of one of its parcels: PDF, or HTML or JSON by `Accept`",
      description:
        "For a parcel, its contents and what is still backordered; for an order, all of its units. Prices and" +
        " internal notes are left out unless requested.",
      refuses: ["invalid_state_transition"],
      query: PrintPackingSlip,
      answers: { 200: EnvelopedView(PackingSlipView) },
      documents: documentMediaTypes,
      answer: ({ call, params, query }) => answerSlip(call, service, params.id, query),
    }),
    respond("GET", "/pick_lists", "orders.read", {
      id: "getWavePickList",
      summary: "Get one pick list for up to 200 orders: PDF, or HTML or JSON by `Accept`",
      description:
        "One walk through the bins for all of them; each stop shows how its units are shared out. If an order is" +
        " unknown, on hold or packed, there is no list, and the refusal names every such order. It only reads.",
      refuses: ["ambiguous_identifier", "invalid_state_transition", "resource_missing"],
      query: PrintWave,
      answers: { 200: EnvelopedView(WalkView) },
      documents: documentMediaTypes,
      answer: ({ call, query }) => answerWalk(call, service.log, query, (db) => waveOf(db, query.order_ids)),
    }),
  ]);

async function waveOf(db: Db, order_ids: string): Promise<Order[]> {
  const names = [...new Set(order_ids.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (names.length === 0) throw invalid("order_ids", "is not an order");
  if (names.length > wave_orders_max)
    throw invalid("order_ids", `names more than ${wave_orders_max} orders`, "too_long");
  const ids = await findOrderIds(db, names, "order_ids");
  const orders = await findOrders(
    db,
    ids.filter((id) => id !== null),
  );
  return [...new Set(ordersOfWave(names, orders, ids))];
}

type PickListOptions = PrintPickList;

async function answerWalk(call: Call, log: Log, options: PickListOptions, ordersOf: (db: Db) => Promise<Order[]>) {
  const format = formatOf(call, options);
  if (format === "json") return answerRead(call, async (db) => walkView(await planWalk(db, await ordersOf(db))));
  const { walk, print } = await call.store.read(async (db) => {
    const walk = await planWalk(db, await ordersOf(db));
    const warehouse = walk.legs[0]?.warehouse ?? (await listPlainWarehouses(db))[0];
    assert(warehouse, "a store has a warehouse");
    return { walk, print: printOf(db, warehouse, options.paper) };
  });
  const [order, ...others] = walk.orders;
  const name = order === undefined || others.length > 0 ? "pick-list" : `${wireId("order", order.id)}-pick-list`;
  return sendDocument(call, log, pickListDocument(walk, print), { name, format, now: print.now });
}

async function answerSlip(call: Call, { files, log }: Service, id: string, query: PrintPackingSlip) {
  const { prices = false, notes = false, shipment_id } = query;
  const choices = { prices, notes };
  const parcel = shipment_id === undefined ? undefined : String(shipment_id);
  const slipOf = async (db: Db) => {
    const order = await getOrder(db, id);
    return packingSlipOf(order, await senderOfOrder(db, order), parcel);
  };
  const format = formatOf(call, query);
  if (format === "json") return answerRead(call, async (db) => packingSlipView(await slipOf(db), choices));
  const { slip, print, branding, logo } = await call.store.read(async (db) => {
    const slip = await slipOf(db);
    const brand = await getBrandingWithLogo(db, slip.order.merchant_id);
    return { slip, print: printOf(db, slip.warehouse, query.paper), ...brand };
  });
  const { order, shipment } = slip;
  const of = shipment === null ? wireId("order", order.id) : wireId("shipment", shipment.id);
  const image = logo === null ? null : await printedImage(files, call.store.mode, logo);
  const paper = { ...packingSlipDocument(slip, choices, print, branding), logo: image };
  return sendDocument(call, log, paper, { name: `${of}-packing-slip`, format, now: print.now });
}

function formatOf(call: Call, { format }: PickListOptions): DocumentFormat {
  return format ?? preferredFormat(call.request.headers.get("accept"));
}

function printOf(db: Db, { address, timezone }: PlainWarehouse, sheet: PaperSize | undefined): PrintContext {
  return { now: db.now, timezone, sheet: sheet ?? defaultPaperSize(address.country) };
}
