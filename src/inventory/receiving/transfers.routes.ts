import { NoBody } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import type { Tx } from "../../storage/database.ts";
import { showsBins } from "../warehouses/bin_visibility.ts";
import { MovedView, MoveStock } from "./move_stock.schema.ts";
import { moveStock } from "./move_stock.ts";
import { ArrivedView, CloseTransfer, CreateTransfer, ReceiveTransfer, TransferView } from "./transfer.schema.ts";
import { transferView } from "./transfer.ts";
import { getTransfer, lockTransfer, transferList, wholeTransfers } from "./transfers.sql.ts";
import { cancelTransfer, closeTransfer, createTransfer, receiveTransfer, shipTransfer } from "./transfers.ts";

/** Moves of units between the bins of a warehouse. */
export const moveRoutes = routes("Inventory", [
  write("POST", "/inventory/moves", "stock.floor", {
    id: "moveInventory",
    summary: "Move stock to another bin",
    description:
      "Moves units within a warehouse: to a better bin, off sale or back on sale. For another warehouse," +
      " create a transfer. Reserved units stay reserved, from other stock or in their new bin.",
    refuses: [
      "ambiguous_stock",
      "bin_full",
      "bin_of_other_merchant",
      "insufficient_inventory",
      "resource_missing",
      "would_break_reservations",
    ],
    body: MoveStock,
    view: MovedView,
    status: 201,
    act: (tx, { call, body }) => moveStock(tx, body, call.actor),
  }),
]);

const current = (tx: Tx, { params }: { readonly params: { readonly id: string } }) => lockTransfer(tx, params.id);

/** Transfers of units from one warehouse to another. */
export const transferRoutes = routes("Transfers", [
  write("POST", "/inventory/transfers", "stock.write", {
    id: "createTransfer",
    summary: "Create a transfer between two warehouses",
    refuses: ["resource_missing"],
    body: CreateTransfer,
    view: TransferView,
    status: 201,
    act: async (tx, { body }) => transferView(await createTransfer(tx, body)),
  }),
  list("/inventory/transfers", "stock.read", {
    id: "listTransfers",
    summary: "List transfers",
    of: transferList,
    view: TransferView,
    views: async (rows, db, { call }) =>
      (await wholeTransfers(db, rows)).map((transfer) => transferView(transfer, showsBins(call))),
  }),
  read("/inventory/transfers/:id", "stock.read", {
    id: "getTransfer",
    summary: "Get a transfer",
    view: TransferView,
    data: async (db, { call, params }) => transferView(await getTransfer(db, params.id), showsBins(call)),
  }),
  write("POST", "/inventory/transfers/:id/ship", "stock.floor", {
    id: "shipTransfer",
    summary: "Ship a transfer",
    refuses: ["insufficient_inventory", "invalid_state_transition"],
    body: NoBody,
    view: TransferView,
    matches: current,
    act: async (tx, { call, params }) => transferView(await shipTransfer(tx, params.id, call.actor)),
  }),
  write("POST", "/inventory/transfers/:id/receive", "stock.floor", {
    id: "receiveTransfer",
    summary: "Receive a transfer",
    refuses: ["bin_full", "bin_of_other_merchant", "invalid_state_transition"],
    body: ReceiveTransfer,
    view: ArrivedView,
    matches: current,
    act: async (tx, { call, params, body }) => {
      const { received, ...transfer } = await receiveTransfer(tx, params.id, body, call.actor);
      return { ...transferView(transfer), received };
    },
  }),
  write("POST", "/inventory/transfers/:id/close", "stock.write", {
    id: "closeTransfer",
    summary: "Close a transfer",
    refuses: ["invalid_state_transition"],
    body: CloseTransfer,
    view: TransferView,
    matches: current,
    act: async (tx, { call, params, body }) => transferView(await closeTransfer(tx, params.id, body, call.actor)),
  }),
  write("POST", "/inventory/transfers/:id/cancel", "stock.write", {
    id: "cancelTransfer",
    summary: "Cancel a transfer",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: TransferView,
    matches: current,
    act: async (tx, { params }) => transferView(await cancelTransfer(tx, params.id)),
  }),
]);
