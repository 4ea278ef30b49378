import { NoBody } from "../../core/schema.ts";
import { list, read, remove, routes, write } from "../../http/routes.ts";
import type { Tx } from "../../storage/database.ts";
import { CreatedTotesView, CreateTote, CreateTotes, ToteView, UpdateTote } from "./tote.schema.ts";
import { toteView } from "./tote.ts";
import { getTote, lockTote, toteList } from "./totes.sql.ts";
import { createTote, createTotes, releaseTote, removeTote, renameTote } from "./totes.ts";

const current = async (tx: Tx, { params }: { readonly params: { readonly id: string } }) =>
  toteView(await lockTote(tx, params.id));

/** Totes: boxes and slots of carts, which orders are picked into. */
export const toteRoutes = routes("Floor", [
  list("/totes", "floor.read", {
    id: "listTotes",
    summary: "List totes by code",
    description: "The totes of all warehouses with the orders that they hold. `taken=false` lists the free ones.",
    of: toteList,
    view: ToteView,
    views: (totes) => totes.map(toteView),
  }),
  write("POST", "/totes", "floor.manage", {
    id: "createTote",
    summary: "Create a tote",
    description: "Adds a box or a slot of a cart, with the code that its barcode says.",
    refuses: ["duplicate_code", "resource_missing"],
    body: CreateTote,
    view: ToteView,
    status: 201,
    act: async (tx, { body }) => toteView(await createTote(tx, body)),
  }),
  write("POST", "/totes/bulk", "floor.manage", {
    id: "createTotes",
    summary: "Create numbered totes",
    description: "Adds up to 500 totes with consecutive numbers, or none if one of their codes is taken.",
    refuses: ["duplicate_code", "resource_missing"],
    body: CreateTotes,
    view: CreatedTotesView,
    status: 201,
    act: async (tx, { body }) => ({ totes: (await createTotes(tx, body)).map(toteView) }),
  }),
  read("/totes/:id", "floor.read", {
    id: "getTote",
    summary: "Get a tote",
    description: "The tote, with the order that it holds.",
    view: ToteView,
    data: async (db, { params }) => toteView(await getTote(db, params.id)),
  }),
  write("PATCH", "/totes/:id", "floor.manage", {
    id: "updateTote",
    summary: "Change the code of a tote",
    description: "Sending the current code changes nothing.",
    refuses: ["duplicate_code"],
    body: UpdateTote,
    view: ToteView,
    matches: current,
    act: async (tx, { params, body }) => toteView(await renameTote(tx, params.id, body)),
  }),
  remove("/totes/:id", "floor.manage", {
    id: "deleteTote",
    summary: "Delete a tote",
    description: "Removes a tote that holds no order.",
    refuses: ["tote_in_use"],
    noun: "tote",
    matches: current,
    act: (tx, { params }) => removeTote(tx, params.id),
  }),
  write("POST", "/totes/:id/release", "floor.work", {
    id: "releaseTote",
    summary: "Free a tote",
    description:
      "Ends the assignment of a tote to its order, wherever the units are now. Packing the order and putting its" +
      " units back do so by themselves. Freeing a free tote changes nothing.",
    body: NoBody,
    view: ToteView,
    matches: current,
    act: async (tx, { params }) => toteView(await releaseTote(tx, params.id)),
  }),
]);
