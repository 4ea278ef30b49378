import { closed } from "../../core/schema.ts";
import { list, routes, write } from "../../http/routes.ts";
import { getConnection } from "../connections.sql.ts";
import { ImportView, ListImports } from "../platforms.schema.ts";
import { importView } from "./import.ts";
import { retryImport } from "./import_queue.ts";
import { countImports, listImports } from "./imports.sql.ts";

/** Routes of the order imports of a connected store. */
export const importRoutes = routes("Platforms", [
  list("/platforms/:id/imports", "platforms.manage", {
    id: "listPlatformImports",
    summary: "List the order imports of a store",
    query: ListImports,
    view: ImportView,
    listing: ({ params, query: { status, external_id } }) => {
      const filter = { status, external_id };
      return {
        rows: async (db, window) => listImports(db, (await getConnection(db, params.id)).id, filter, window),
        count: async (db) => countImports(db, (await getConnection(db, params.id)).id, filter),
        position: ({ created_at, id }) => [created_at, id],
      };
    },
    views: (imports) => imports.map(importView),
  }),
  write("POST", "/platforms/:id/imports/:import_id/retry", "platforms.manage", {
    id: "retryPlatformImport",
    summary: "Retry an order import",
    refuses: ["invalid_state_transition"],
    body: closed({}),
    view: ImportView,
    act: async (tx, { params: { id, import_id } }) => importView(await retryImport(tx, id, import_id)),
  }),
]);
