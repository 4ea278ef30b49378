import { readId } from "../../core/ids.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView, enveloped, jsonResponse } from "../../http/envelope.ts";
import { read, respond, routes } from "../../http/routes.ts";
import { directoryOf, type Merchants } from "../../merchants/directory.sql.ts";
import type { Db } from "../../storage/database.ts";
import { unknownMerchant } from "../../storage/tenant.ts";
import { resolveOrder } from "../lifecycle/order_lookup.sql.ts";
import { findOrders, getOrder } from "../orders.sql.ts";
import { ruledOrders } from "./apply_rules.ts";
import type { RuledOrder } from "./evaluate_rules.ts";
import { draftRule, evaluationView, RuleTrial, type TriedRule } from "./rule_trials.ts";
import { EvaluateShippingRules, EvaluationView, TrialView, TryShippingRules } from "./shipping_rules.schema.ts";
import { listActiveRules, listNewestOrderIds } from "./shipping_rules.sql.ts";
import { readRule } from "./shipping_rules.ts";

/** Routes that show what rules decide without changing anything. */
export const ruleTrialRoutes = routes("Shipping rules", [
  read("/shipping/rules/evaluate", "shipping.read", {
    id: "evaluateShippingRules",
    summary: "Show what shipping rules decide about an order",
    description:
      "Shows for each field what the order has and what decided that, and what the rules decide now. Nothing changes.",
    refuses: ["ambiguous_identifier", "resource_missing"],
    query: EvaluateShippingRules,
    view: EvaluationView,
    data: async (db, { query }) => {
      const order = await getOrder(db, await resolveOrder(db, query.order_id));
      const rules = await listActiveRules(db);
      const [facts] = await ruledOrders(db, rules, [order]);
      return evaluationView(order, rules, facts as NonNullable<typeof facts>);
    },
  }),
  respond("POST", "/shipping/rules/trials", "shipping.read", {
    id: "tryShippingRules",
    summary: "Try shipping rules on the last 500 orders",
    description:
      "Evaluates the active rules, or a draft of them, for the newest orders as if they were created now, and shows" +
      " which would differ. What people set of an order would stay. Nothing changes.",
    refuses: ["resource_missing"],
    body: TryShippingRules,
    answers: { 200: EnvelopedView(TrialView) },
    answer: ({ call, body }) => tryRules(call, body),
  }),
]);

const orders_max = 500;
/** An order may have hundreds of lines. */
const orders_at_once = 10;
/** How long a trial evaluates before other requests run. */
const turn_ms = 10;

async function tryRules(call: Call, { rules: drafts }: TryShippingRules): Promise<Response> {
  const { store } = call;
  const merchants = await directoryOf(store).now();
  const rules = await store.read((db) =>
    drafts === undefined ? listActiveRules(db) : readDrafts(db, drafts, merchants),
  );
  const ids = await store.read((db) => listNewestOrderIds(db, orders_max));
  const trial = new RuleTrial(rules);
  for (let at = 0; at < ids.length; at += orders_at_once) {
    await new Promise(setImmediate);
    const [orders, facts] = await store.read(async (db) => {
      const orders = await findOrders(db, ids.slice(at, at + orders_at_once));
      return [orders, await ruledOrders(db, rules, orders)] as const;
    });
    let began = performance.now();
    for (const [index, order] of orders.entries()) {
      for (const _ of trial.add(order, facts[index] as RuledOrder)) {
        if (performance.now() - began < turn_ms) continue;
        await new Promise(setImmediate);
        began = performance.now();
      }
    }
  }
  const body = enveloped(trial.view(), call.request_id, store.clock.now());
  return jsonResponse(call, 200, JSON.stringify(body));
}

/** The rules of a draft, in its order. Refuses: validation_failed, resource_missing. */
async function readDrafts(
  db: Db,
  drafts: NonNullable<TryShippingRules["rules"]>,
  merchants: Merchants,
): Promise<TriedRule[]> {
  const rules: TriedRule[] = [];
  for (const [at, { id, merchant_id = null, ...input }] of drafts.entries()) {
    const owner = merchant_id === null ? null : merchants.named(merchant_id);
    if (merchant_id !== null && owner === null) throw unknownMerchant(`rules[${at}].merchant_id`);
    const content = await readRule(db, owner?.id ?? null, input, `rules[${at}].`);
    rules.push(draftRule(content, id === undefined ? null : readId("shipping_rule", id), at));
  }
  return rules;
}
