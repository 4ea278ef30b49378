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
      "Moves units within a warehouse: to a better bin, off sale or back on sale. For another warehouse, create a" +
      " transfer. Reserved units stay reserved, from other stock or in their new bin. Emits `inventory.updated` if" +
      " the available or reserved units change, and creates a billable event.",
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
    description:
      "Plans a move of one merchant's units to another warehouse. Nothing is reserved or moved until the transfer" +
      " is shipped.",
    refuses: ["resource_missing"],
    body: CreateTransfer,
    view: TransferView,
    status: 201,
    act: async (tx, { body }) => transferView(await createTransfer(tx, body)),
  }),
  list("/inventory/transfers", "stock.read", {
    id: "listTransfers",
    summary: "List transfers",
    description: "Transfers with their lines, newest first. `status=in_transit` lists those on the way.",
    of: transferList,
    view: TransferView,
    views: async (rows, db, { call }) =>
      (await wholeTransfers(db, rows)).map((transfer) => transferView(transfer, showsBins(call))),
  }),
  read("/inventory/transfers/:id", "stock.read", {
    id: "getTransfer",
    summary: "Get a transfer",
    description: "The transfer with the units shipped, received and written off for each line and lot.",
    view: TransferView,
    data: async (db, { call, params }) => transferView(await getTransfer(db, params.id), showsBins(call)),
  }),
  write("POST", "/inventory/transfers/:id/ship", "stock.floor", {
    id: "shipTransfer",
    summary: "Ship a transfer",
    description:
      "Takes all units of the transfer out of the first warehouse, or none if any are short: unreserved units that" +
      " can be sold, first expired first. Units that cannot be sold ship only if their lot is named. Shipped units" +
      " are `incoming` until received. Emits `inventory.updated` for each SKU and creates a billable event.",
    refuses: ["insufficient_inventory", "invalid_state_transition"],
    body: NoBody,
    view: TransferView,
    matches: current,
    act: async (tx, { call, params }) => transferView(await shipTransfer(tx, params.id, call.actor)),
  }),
  write("POST", "/inventory/transfers/:id/receive", "stock.floor", {
    id: "receiveTransfer",
    summary: "Receive a transfer",
    description:
      "Puts units that arrived into bins of the second warehouse with their lot and age, and gives them to" +
      " backordered orders. Repeat it for each part of the delivery; the transfer is `received` once nothing is in" +
      " transit. Emits `inventory.updated` for each SKU and creates a billable event.",
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
    description:
      "Ends a transfer of which units never arrived: those still in transit are written off, with two movements" +
      " through the second warehouse's quarantine. Closing a received transfer changes nothing.",
    refuses: ["invalid_state_transition"],
    body: CloseTransfer,
    view: TransferView,
    matches: current,
    act: async (tx, { call, params, body }) => transferView(await closeTransfer(tx, params.id, body, call.actor)),
  }),
  write("POST", "/inventory/transfers/:id/cancel", "stock.write", {
    id: "cancelTransfer",
    summary: "Cancel a transfer",
    description:
      "Drops a transfer that has not been shipped. Units in transit have to be received or closed instead." +
      " Cancelling a cancelled transfer changes nothing.",
    refuses: ["invalid_state_transition"],
    body: NoBody,
    view: TransferView,
    matches: current,
    act: async (tx, { params }) => transferView(await cancelTransfer(tx, params.id)),
  }),
]);
