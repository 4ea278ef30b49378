import type { ActorType } from "../../src/core/actor.ts";
import type { RuleActions, RuleConditions, RuleContent } from "../../src/orders/shipping_rules/shipping_rule.ts";
import { bool, id, index, int, json, packedJson, table, text, time, unique } from "../kit.ts";
import { merchants } from "./merchants.ts";

/** Rules of the operator that decide how orders are shipped, with the newest revision of each. */
export const shipping_rules = table(
  "shipping_rules",
  {
    id: id(),
    /** The merchant whose orders it applies to; null for all. The operator owns the rule. */
    for_merchant_id: int().references(() => merchants.id),
    position: int().notNull(),
    name: text().notNull(),
    active: bool().notNull(),
    conditions: json<RuleConditions>().notNull(),
    actions: json<RuleActions>().notNull(),
    revision: int().notNull(),
    created_at: time().notNull(),
    updated_at: time().notNull(),
  },
  (t) => [index("shipping_rules_order").on(t.for_merchant_id, t.position, t.id)],
);

/** All revisions of rules, also of deleted ones, so that every effect on an order can be explained. */
export const shipping_rule_versions = table(
  "shipping_rule_versions",
  {
    id: id(),
    rule_id: int().notNull(),
    revision: int().notNull(),
    position: int().notNull(),
    content: packedJson<RuleContent>().notNull(),
    actor_type: text().$type<ActorType>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    request_id: text(),
    created_at: time().notNull(),
  },
  (t) => [unique("shipping_rule_versions_of").on(t.rule_id, t.revision)],
);
