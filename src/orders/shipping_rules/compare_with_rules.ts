// What rules decide about orders now, next to what their orders have.
import { wireId } from "../../core/ids.ts";
import { money } from "../../core/money.ts";
import type { Db } from "../../storage/database.ts";
import type { Order } from "../order.ts";
import { ruledOrders } from "./apply_rules.ts";
import { evaluateRules, type RuleDecisions, type RuledOrder } from "./evaluate_rules.ts";
import { openChoice, serviceOf } from "./shipping_choice.ts";
import { listActiveRules } from "./shipping_rules.sql.ts";

/** What the rules decide about each of these orders now. */
export async function decisionsFor(db: Db, orders: readonly Order[]): Promise<RuleDecisions[]> {
  const rules = await listActiveRules(db);
  if (rules.length === 0) return orders.map(() => ({}));
  return (await ruledOrders(db, rules, orders)).map((facts: RuledOrder) => evaluateRules(rules, facts));
}

/** An order with the service that the rules choose now, and its decision; null if no rule chooses one. */
export function asRulesChoose(order: Order, { service }: RuleDecisions): Order | null {
  if (service === undefined) return null;
  const { value, rule } = service;
  const decided_by = { ...order.decided_by, service: { rule_id: rule.id, revision: rule.revision } };
  return { ...order, shipping_choice: { ...(order.shipping_choice ?? openChoice), ...value }, decided_by };
}

/** The service that the rules would choose for an order, if that is not what it has; null if they agree. */
export function differingService({ shipping_choice }: Pick<Order, "shipping_choice">, { service }: RuleDecisions) {
  const own = serviceOf(shipping_choice);
  const wanted = service?.value ?? serviceOf(null);
  const names = ["carrier", "service", "choose", "days_max", "price_max_cents"] as const;
  if (names.every((name) => own[name] === wanted[name])) return null;
  const { carrier, service: code, choose, days_max, price_max_cents, currency } = wanted;
  return {
    ...{ carrier, service: code, choose, days_max },
    price_max: price_max_cents === null ? null : money(price_max_cents, currency),
    rule_id: service === undefined ? null : wireId("shipping_rule", service.rule.id),
    rule_revision: service?.rule.revision ?? null,
  };
}
