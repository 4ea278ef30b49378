import { closed } from "../../core/schema.ts";
import { list, routes, write } from "../../http/routes.ts";
import { ImportView } from "../platforms.schema.ts";
import { importView } from "./import.ts";
import { retryImport } from "./import_queue.ts";
import { importList } from "./imports.sql.ts";

/** Routes of the order imports of a connected store. */
export const importRoutes = routes("Platforms", [
  list("/platforms/:id/imports", "platforms.manage", {
    id: "listPlatformImports",
    summary: "List the order imports of a store",
    of: importList,
    view: ImportView,
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
