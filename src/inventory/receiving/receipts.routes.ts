import { NoBody } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Tx } from "../../storage/database.ts";
import { CloseReceipt, CreateReceipt, ReceiptView, ScannedView, ScanReceipt, UpdateReceipt } from "./receipt.schema.ts";
import { receiptView } from "./receipt.ts";
import { getReceipt, lockReceipt, receiptList, wholeReceipts } from "./receipts.sql.ts";
import { cancelReceipt, closeReceipt, createReceipt, scanReceipt, updateReceipt } from "./receipts.ts";

const current = (tx: Tx, { params }: { readonly params: { readonly id: string } }) => lockReceipt(tx, params.id);

/** Receipts: expected deliveries, and what has arrived. */
export const receiptRoutes = routes("Receipts", [
  write("POST", "/inventory/receipts", "stock.write", {
    id: "createReceipt",
    summary: "Create a receipt for an expected delivery",
    description:
      "Announces a delivery (an ASN). Its units count as `incoming` of their SKUs until they arrive or the receipt" +
      " is closed or cancelled. No event is emitted. Use `POST /inventory` for goods that were not announced.",
    refuses: ["resource_missing"],
    body: CreateReceipt,
    view: ReceiptView,
    status: 201,
    act: async (tx, { body }) => receiptView(await createReceipt(tx, body)),
  }),
  list("/inventory/receipts", "stock.read", {
    id: "listReceipts",
    summary: "List receipts",
    description:
      "Expected deliveries with their lines, newest first. `sort=expected_at` shows the next arrivals first.",
    of: receiptList,
    view: ReceiptView,
    views: async (rows, db) => (await wholeReceipts(db, rows)).map(receiptView),
  }),
  read("/inventory/receipts/:id", "stock.read", {
    id: "getReceipt",
    summary: "Get a receipt",
    description: "The receipt with the units expected, received and outstanding for each line.",
    view: ReceiptView,
    data: async (db, { params }) => receiptView(await getReceipt(db, params.id)),
  }),
  write("PATCH", "/inventory/receipts/:id", "stock.write", {
    id: "updateReceipt",
    summary: "Update a receipt",
    description:
      "Changes what is known about the delivery, such as its arrival or its freight. It can be changed after the" +
      " delivery is over. Null clears a field. Equal values change nothing.",
    body: UpdateReceipt,
    view: ReceiptView,
    matches: current,
    act: async (tx, { params, body }) => receiptView(await updateReceipt(tx, params.id, body)),
  }),
  write("POST", "/inventory/receipts/:id/items", "stock.floor", {
    id: "scanReceipt",
    summary: "Receive a delivery",
    description:
      "Adds units that have arrived to the stock, even more than expected; a new lot is created. Backordered orders" +
      " get them at once. Each request adds to what was received before. Emits `inventory.received` for each item" +
      " and `inventory.updated` for each SKU.",
    refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
    body: ScanReceipt,
    view: ScannedView,
    matches: current,
    act: async (tx, { call, params, body }) => {
      const { received, ...receipt } = await scanReceipt(tx, params.id, body, call.actor);
      return { ...receiptView(receipt), received };
    },
  }),
  write("POST", "/inventory/receipts/:id/close", "stock.floor", {
    id: "closeReceipt",
    summary: "Close a receipt",
    description:
      "Ends a delivery: units that have not arrived are missing and no longer `incoming`. If any units arrived, a" +
      " billable event is created with the cartons, pallets and minutes. Closing a closed receipt changes nothing.",
    refuses: ["invalid_state_transition"],
    body: CloseReceipt,
    view: ReceiptView,
    matches: current,
    act: async (tx, { params, body }) => receiptView(await closeReceipt(tx, params.id, body)),
  }),
  write("POST", "/inventory/receipts/:id/cancel", "stock.write", {
    id: "cancelReceipt",
    summary: "Cancel a receipt",
    description:
      "Ends a receipt of which nothing has arrived; its units are no longer `incoming`. Close it instead once units" +
      " have arrived. Cancelling a cancelled receipt changes nothing.",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: ReceiptView,
    matches: current,
    act: async (tx, { params }) => receiptView(await cancelReceipt(tx, params.id)),
  }),
]);
