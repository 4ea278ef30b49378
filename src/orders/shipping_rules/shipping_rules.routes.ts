import { iso } from "../../core/clock.ts";
import { list, read, remove, routes, write } from "../../http/routes.ts";
import { contentView, ruleView } from "./shipping_rule.ts";
import {
  CreateShippingRule,
  ReorderShippingRules,
  RuleHistoryView,
  ShippingRulesView,
  ShippingRuleView,
  UpdateShippingRule,
} from "./shipping_rules.schema.ts";
import { getRule, lockRule, type RuleVersion, ruleList, ruleVersionList } from "./shipping_rules.sql.ts";
import { createRule, deleteRule, reorderRules, updateRule } from "./shipping_rules.ts";

function versionView({ revision, position, content, request_id, created_at, ...by }: RuleVersion) {
  return {
    revision,
    position,
    rule: contentView(content),
    actor: { type: by.actor_type, id: by.actor_id, name: by.actor_name },
    request_id,
    created_at: iso(created_at),
  };
}

/** Routes of the rules that decide how orders are shipped. */
export const shippingRuleRoutes = routes("Shipping rules", [
  list("/shipping/rules", "shipping.read", {
    id: "listShippingRules",
    summary: "List shipping rules in the order in which they apply",
    description:
      "Lists the rules for single merchants, which apply first, then those for all merchants, each by `position`." +
      " With `merchant`, only those that apply to its orders.",
    of: ruleList,
    view: ShippingRuleView,
    views: (rules) => rules.map(ruleView),
  }),
  write("POST", "/shipping/rules", "shipping.manage", {
    id: "createShippingRule",
    summary: "Create a shipping rule",
    description:
      "Adds a rule after the others for the same merchant. Rules are evaluated when an order is created or imported," +
      " and again when its address, method, lines or tags change before it is packed. For each field, the first rule" +
      " that applies and decides it wins. What a person or client set is never changed.",
    body: CreateShippingRule,
    view: ShippingRuleView,
    status: 201,
    refuses: ["resource_missing"],
    act: async (tx, { call, body }) => ruleView(await createRule(tx, body, call.actor)),
  }),
  write("POST", "/shipping/rules/reorder", "shipping.manage", {
    id: "reorderShippingRules",
    summary: "Change the order of shipping rules",
    description:
      "Puts rules for one merchant, or rules for all merchants, first in this order, at once. Those that are left out" +
      " follow in their present order. A rule that moves gets a new revision.",
    body: ReorderShippingRules,
    view: ShippingRulesView,
    refuses: ["resource_missing"],
    act: async (tx, { call, body }) => (await reorderRules(tx, body, call.actor)).map(ruleView),
  }),
  read("/shipping/rules/:id", "shipping.read", {
    id: "getShippingRule",
    summary: "Get a shipping rule",
    description: "Returns the rule with its conditions and actions. Values that it leaves open are null.",
    view: ShippingRuleView,
    data: async (db, { params }) => ruleView(await getRule(db, params.id)),
  }),
  write("PATCH", "/shipping/rules/:id", "shipping.manage", {
    id: "updateShippingRule",
    summary: "Update a shipping rule",
    description:
      "Replaces `conditions` and `actions` as a whole and adds an entry to the history. Orders that exist keep what" +
      " was decided for them until they change. Equal values change nothing.",
    refuses: ["immutable_field"],
    body: UpdateShippingRule,
    view: ShippingRuleView,
    matches: (tx, { params }) => lockRule(tx, params.id),
    act: async (tx, { call, params, body }) => ruleView(await updateRule(tx, params.id, body, call.actor)),
  }),
  remove("/shipping/rules/:id", "shipping.manage", {
    id: "deleteShippingRule",
    summary: "Delete a shipping rule",
    description: "Deletes the rule. Its history stays, and orders keep what it decided until they change.",
    noun: "shipping_rule",
    matches: (tx, { params }) => lockRule(tx, params.id),
    act: (tx, { params }) => deleteRule(tx, params.id),
  }),
  list("/shipping/rules/:id/history", "shipping.read", {
    id: "listShippingRuleHistory",
    summary: "List the history of a shipping rule, newest first",
    description:
      "Each change, also of its position, adds an entry with the whole rule after it. The history of an order names" +
      " the revisions that decided its shipping. Also shows deleted rules.",
    of: ruleVersionList,
    view: RuleHistoryView,
    views: (rows) => rows.map(versionView),
  }),
]);
