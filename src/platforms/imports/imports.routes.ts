import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { closed } from "../../core/schema.ts";
import { list, read, routes, write } from "../../http/routes.ts";
import { rulesNaming } from "../../orders/shipping_rules/evaluate_rules.ts";
import { listActiveRules } from "../../orders/shipping_rules/shipping_rules.sql.ts";
import { getConnection } from "../connections.sql.ts";
import { ImportView, ShippingMethodsView } from "../platforms.schema.ts";
import { importView } from "./import.ts";
import { retryImport } from "./import_queue.ts";
import { importList, listPartsOf } from "./imports.sql.ts";
import { listShippingMethods, newest_orders } from "./shipping_methods.sql.ts";

/** Routes of the order imports of a connected store. */
export const importRoutes = routes("Platforms", [
  list("/platforms/:id/imports", "platforms.manage", {
    id: "listPlatformImports",
    summary: "List the order imports of a store",
    description:
      "One import for each of the store's orders that Packhouse knows, newest first, with the reason if it is not" +
      " imported. Changes at the platform reuse it. `status=failed` lists the orders that need attention.",
    of: importList,
    view: ImportView,
    views: async (imports, db) => {
      const parts = await listPartsOf(
        db,
        imports.map(({ id }) => id),
      );
      return imports.map((record) => importView(record, parts));
    },
  }),
  write("POST", "/platforms/:id/imports/:import_id/retry", "platforms.manage", {
    id: "retryPlatformImport",
    summary: "Retry an order import",
    description:
      "Queues an import that is `failed`, `ignored` or `waiting` again, for another two days, and fetches the order" +
      " from the platform if there is an `api_token`. Use it after you have fixed the cause given as `reason`.",
    refuses: ["invalid_state_transition"],
    body: closed({}),
    view: ImportView,
    act: async (tx, { params: { id, import_id } }) => {
      const record = await retryImport(tx, id, import_id);
      return importView(record, await listPartsOf(tx, [record.id]));
    },
  }),
  read("/platforms/:id/shipping_methods", "platforms.manage", {
    id: "listPlatformShippingMethods",
    summary: "List the shipping methods of a store's orders",
    description:
      `Returns the methods of the newest ${newest_orders.toLocaleString("en")} imported orders, the most frequent` +
      " first, and the active shipping rules that name each. A method without `rule_ids` is left to rules for any" +
      " method: add a rule that names its text or code.",
    view: ShippingMethodsView,
    data: async (db, { params }) => {
      const { id, merchant_id } = await getConnection(db, params.id);
      const rules = await listActiveRules(db);
      return (await listShippingMethods(db, id)).map(({ last_order_at, ...method }) => ({
        ...method,
        last_order_at: iso(last_order_at),
        rule_ids: rulesNaming(rules, { ...method, merchant_id }).map((rule) => wireId("shipping_rule", rule.id)),
      }));
    },
  }),
]);
