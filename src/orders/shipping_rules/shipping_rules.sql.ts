import { Type } from "@sinclair/typebox";
import { and, asc, desc, eq, isNull, lt, not, or, sql as template } from "drizzle-orm";
import { forUpdate, opaque } from "../../../db/kit.ts";
import { orders } from "../../../db/schema/orders.ts";
import { shipping_rule_versions, shipping_rules } from "../../../db/schema/shipping_rules.ts";
import type { Actor } from "../../core/actor.ts";
import { missing } from "../../core/faults.ts";
import { readId } from "../../core/ids.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { exactly, recordList } from "../../storage/record_list.ts";
import { recordLookup } from "../../storage/record_lookup.ts";
import { insert, insertIds, prepared, type StatementArgs } from "../../storage/statements.ts";
import { contentOf, type RuleContent, type ShippingRule } from "./shipping_rule.ts";

/** A rule by its identifier, `rul_1001` or `1001`. */
export const { get: getRule, lock: lockRule } = recordLookup(shipping_rules, "shipping_rule", {
  called: "shipping rule",
});

const { for_merchant_id, position, id } = shipping_rules;
// Rules for all merchants come last.
const everyone = 1_000_000_000;
const per_merchant = 1_000_000;
const owner = template`coalesce(${for_merchant_id}, ${template.raw(String(everyone))})`;
const place = template`${owner} * ${template.raw(String(per_merchant))} + ${position}`;
const placeOf = (rule: ShippingRule) => (rule.for_merchant_id ?? everyone) * per_merchant + rule.position;

/** Rules in the order in which they apply: those for each merchant, then those for all. */
export const ruleList = recordList(shipping_rules, {
  filters: {
    active: exactly(
      shipping_rules.active,
      Type.Boolean({ description: "True: only rules that apply to orders. False: only the others." }),
    ),
  },
  within: (db) =>
    db.scope.visible === null ? undefined : or(isNull(for_merchant_id), eq(for_merchant_id, db.scope.visible)),
  order: {
    by: [asc(place), asc(id)],
    beyond: ([key, last]) => template`(${place}, ${id}) > (${key}, ${last})`,
    position: (rule: ShippingRule) => [placeOf(rule), rule.id],
  },
});

const active = prepared((sql) =>
  sql.select().from(shipping_rules).where(and(shipping_rules.active)).orderBy(asc(position), asc(id)),
);

/** The active rules of all merchants. Read once per transaction. */
export async function listActiveRules(db: Db): Promise<readonly ShippingRule[]> {
  return db.memo("shipping_rules.active", () => active(db, {}));
}

const newest = prepared((sql, a: StatementArgs<{ limit: number }>) =>
  sql
    .select({ id: orders.id })
    .from(orders)
    .where(not(orders.imported))
    .orderBy(desc(orders.created_at), desc(orders.id))
    .limit(opaque(a.limit)),
);

/** The newest orders, without those imported from another system. */
export async function listNewestOrderIds(db: Db, limit: number): Promise<number[]> {
  return (await newest(db, { limit })).map((order) => order.id);
}

/**
 * The rules for one merchant, or those for all merchants, in their order, locked until the transaction ends. Their rows
 * are locked by id: another request may lock them at the same time, and positions change.
 */
export async function lockRulesFor(tx: Tx, merchant_id: number | null): Promise<ShippingRule[]> {
  const isFor = merchant_id === null ? isNull(for_merchant_id) : eq(for_merchant_id, merchant_id);
  const rules = await forUpdate(tx.sql.select().from(shipping_rules).where(isFor).orderBy(asc(id)));
  return rules.toSorted((a, b) => a.position - b.position || a.id - b.id);
}

/** Inserts a rule and its first revision. */
export async function insertRule(tx: Tx, content: RuleContent, position: number, actor: Actor): Promise<ShippingRule> {
  const fields = { ...content, position, revision: 1, created_at: tx.now, updated_at: tx.now };
  const [rule_id = 0] = await insertIds(tx, shipping_rules, [fields]);
  const rule = { id: rule_id, ...fields };
  await insertVersion(tx, rule, actor);
  return rule;
}

/** Saves a locked rule as a new revision. */
export async function saveRule(
  tx: Tx,
  before: ShippingRule,
  changes: Partial<RuleContent & Pick<ShippingRule, "position">>,
  actor: Actor,
): Promise<ShippingRule> {
  const stamps = { revision: before.revision + 1, updated_at: tx.now };
  await tx.sql
    .update(shipping_rules)
    .set({ ...changes, ...stamps })
    .where(eq(id, before.id));
  const rule = { ...before, ...changes, ...stamps };
  await insertVersion(tx, rule, actor);
  return rule;
}

/** Deletes a rule. Its revisions stay. */
export async function removeRule(tx: Tx, rule: ShippingRule): Promise<void> {
  await tx.sql.delete(shipping_rules).where(eq(id, rule.id));
}

async function insertVersion(tx: Tx, rule: ShippingRule, actor: Actor): Promise<void> {
  const { type: actor_type, id: actor_id, name: actor_name, request_id } = actor;
  const by = { actor_type, actor_id, actor_name, request_id };
  const { id: rule_id, revision, position } = rule;
  await insert(tx, shipping_rule_versions, [
    { rule_id, revision, position, content: contentOf(rule), ...by, created_at: tx.now },
  ]);
}

/** A revision of a rule and its author. */
export type RuleVersion = typeof shipping_rule_versions.$inferSelect;

/** The revisions of a rule, newest first, also of a deleted one. */
export const ruleVersionList = recordList(shipping_rule_versions, {
  within: async (db, _, rule) => {
    const rule_id = readId("shipping_rule", rule) ?? 0;
    const { revision, rule_id: of } = shipping_rule_versions;
    const [known] = await db.sql.select({ revision }).from(shipping_rule_versions).where(eq(of, rule_id)).limit(1);
    if (known === undefined) throw missing("shipping rule", rule);
    return eq(of, rule_id);
  },
  order: {
    by: [desc(shipping_rule_versions.revision)],
    beyond: ([, last]) => lt(shipping_rule_versions.id, last),
    position: ({ revision, id: own }: RuleVersion) => [revision, own],
  },
});
