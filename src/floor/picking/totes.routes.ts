import { assert } from "../../core/faults.ts";
import { NoBody } from "../../core/schema.ts";
import { defaultPaperSize } from "../../documents/document.ts";
import { sendDocument } from "../../documents/document_response.ts";
import { list, read, remove, respond, routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { findWarehouse } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { CreatedTotesView, CreateTote, CreateTotes, PrintToteLabels, ToteView, UpdateTote } from "./tote.schema.ts";
import { toteView } from "./tote.ts";
import { toteLabels, totesNamed } from "./tote_labels.ts";
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

/** The labels of totes. */
export const toteLabelRoutes = ({ log }: Service) =>
  routes("Floor", [
    respond("GET", "/totes/labels", "floor.read", {
      id: "getToteLabels",
      summary: "Get labels for totes as a PDF",
      description: "A sheet with the barcode and the code of each tote, by code, to cut and stick on.",
      refuses: ["resource_missing"],
      documents: ["application/pdf"],
      query: PrintToteLabels,
      answers: { 200: null },
      answer: async ({ call, query }) => {
        const { totes, print } = await call.store.read(async (db) => {
          const totes = await totesNamed(db, query.tote_ids);
          const warehouse = await findWarehouse(db, totes[0]?.warehouse_id ?? 0);
          assert(warehouse, "a tote has a warehouse");
          const sheet = query.paper ?? defaultPaperSize(warehouse.address.country);
          return { totes, print: { now: db.now, timezone: warehouse.timezone, sheet } };
        });
        return sendDocument(call, log, toteLabels(totes, print), {
          name: "tote-labels",
          format: "pdf",
          now: print.now,
        });
      },
    }),
  ]);
