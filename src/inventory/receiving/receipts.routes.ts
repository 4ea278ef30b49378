import { NoBody } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Tx } from "../../storage/database.ts";
import { CloseReceipt, CreateReceipt, ReceiptView, ScannedView, ScanReceipt } from "./receipt.schema.ts";
import { receiptView } from "./receipt.ts";
import { getReceipt, lockReceipt, receiptList, wholeReceipts } from "./receipts.sql.ts";
import { cancelReceipt, closeReceipt, createReceipt, scanReceipt } from "./receipts.ts";

const current = (tx: Tx, { params }: { readonly params: { readonly id: string } }) => lockReceipt(tx, params.id);

/** Receipts: expected deliveries, and what has arrived. */
export const receiptRoutes = routes("Receipts", [
  write("POST", "/inventory/receipts", "stock.write", {
    id: "createReceipt",
    summary: "Create a receipt for an expected delivery",
    refuses: ["resource_missing"],
    body: CreateReceipt,
    view: ReceiptView,
    status: 201,
    act: async (tx, { body }) => receiptView(await createReceipt(tx, body)),
  }),
  list("/inventory/receipts", "stock.read", {
    id: "listReceipts",
    summary: "List receipts",
    of: receiptList,
    view: ReceiptView,
    views: async (rows, db) => (await wholeReceipts(db, rows)).map(receiptView),
  }),
  read("/inventory/receipts/:id", "stock.read", {
    id: "getReceipt",
    summary: "Get a receipt",
    view: ReceiptView,
    data: async (db, { params }) => receiptView(await getReceipt(db, params.id)),
  }),
  write("POST", "/inventory/receipts/:id/items", "stock.floor", {
    id: "scanReceipt",
    summary: "Receive a delivery",
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
    refuses: ["invalid_state_transition"],
    body: CloseReceipt,
    view: ReceiptView,
    matches: current,
    act: async (tx, { params, body }) => receiptView(await closeReceipt(tx, params.id, body)),
  }),
  write("POST", "/inventory/receipts/:id/cancel", "stock.write", {
    id: "cancelReceipt",
    summary: "Cancel a receipt",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: ReceiptView,
    matches: current,
    act: async (tx, { params }) => receiptView(await cancelReceipt(tx, params.id)),
  }),
]);
