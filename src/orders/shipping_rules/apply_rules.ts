// Applies shipping rules to orders: to new ones before they reserve stock, and to others after a change.
import { plainZone } from "../../addresses/zip_distance.ts";
import type { Actor } from "../../core/actor.ts";
import { add, type Fraction, times } from "../../core/decimals.ts";
import { Fault } from "../../core/faults.ts";
import { setAllocationPriority } from "../../inventory/reservations/order_allocations.ts";
import type { PlainWarehouse } from "../../inventory/warehouses/warehouse.ts";
import { listPlainWarehouses } from "../../inventory/warehouses/warehouses.sql.ts";
import { findProducts } from "../../products/products.sql.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { placeHold } from "../changes/holds.ts";
import type { OrderDraft } from "../lifecycle/draft_orders.ts";
import { isUnpacked } from "../order.transitions.ts";
import { actionsOf, type Order, uncancelledUnits } from "../order.ts";
import { productsToWeigh, weightOf } from "../order_weight.ts";
import { noteInHistory, saveOrder } from "../orders.sql.ts";
import { evaluateRules, type RuledOrder } from "./evaluate_rules.ts";
import { effectsEntry, type RuleEffects, ruleEffects } from "./shipping_choice.ts";
import type { ShippingRule } from "./shipping_rule.ts";
import { listActiveRules } from "./shipping_rules.sql.ts";

/** A line of an order, or one that is about to be stored. */
interface RuledLine {
  readonly product_id: number;
  readonly sku: string;
  readonly components: readonly { readonly product_id: number; readonly quantity: number }[] | null;
  readonly quantity: number;
  readonly quantity_cancelled?: number;
}

/** The parts of an order that rules compare, as they are stored. */
type StoredRuledOrder = Pick<
  Order,
  | "merchant_id"
  | "shipping_method"
  | "shipping_method_code"
  | "requires_cold_storage"
  | "subtotal_cents"
  | "currency"
  | "warehouse_id"
> &
  Pick<Order, "source_platform" | "shipping_address" | "tags"> & { readonly lines: readonly RuledLine[] };

/**
 * Returns the facts of orders that these rules compare, in their order. Weights and warehouses are only read if a rule
 * needs them.
 */
export async function ruledOrders(
  db: Db,
  rules: readonly ShippingRule[],
  orders: readonly StoredRuledOrder[],
): Promise<RuledOrder[]> {
  const weighs = rules.some(({ conditions }) => conditions.weight_unit !== null);
  const measures = rules.some(({ conditions }) => conditions.zones !== null);
  const products = weighs ? await findProducts(db, [...new Set(orders.flatMap(productsToWeigh))]) : [];
  const warehouses = measures ? await listPlainWarehouses(db) : [];
  const by_id = new Map(products.map((product) => [product.id, product]));
  return orders.map((order) => {
    const lines = order.lines.map((line) => {
      const units = uncancelledUnits({ quantity: line.quantity, quantity_cancelled: line.quantity_cancelled ?? 0 });
      return { ...line, units };
    });
    const open = lines.filter(({ units }) => units > 0);
    return {
      merchant_id: order.merchant_id,
      shipping_method: order.shipping_method,
      shipping_method_code: order.shipping_method_code,
      country: order.shipping_address.country,
      zone: zoneOf(order, warehouses),
      weight: open.length === 0 ? null : sumOf(open.map((line) => timesOrNull(weightOf(line, by_id), line.units))),
      value_cents: order.subtotal_cents,
      currency: order.currency,
      skus: open.map(({ sku }) => sku),
      units: open.reduce((sum, { units }) => sum + units, 0),
      platform: order.source_platform,
      tags: order.tags,
      requires_cold_storage: order.requires_cold_storage,
    };
  });
}

function zoneOf({ warehouse_id, shipping_address }: StoredRuledOrder, warehouses: readonly PlainWarehouse[]) {
  const origin = warehouses.find(({ id }) => id === warehouse_id) ?? warehouses[0];
  return origin === undefined ? null : plainZone(origin.address, shipping_address);
}

const timesOrNull = (weight: Fraction | null, units: number) => (weight === null ? null : times(weight, units));
const sumOf = (weights: readonly (Fraction | null)[]) =>
  weights.reduce((sum, weight) => (sum === null || weight === null ? null : add(sum, weight)));

/** The decided draft of an order, and the effects of rules on it; null if there are none. */
export interface RuledDraft extends OrderDraft {
  readonly effects: RuleEffects | null;
}

/**
 * Decides the fields of new orders that no person set, before they reserve stock. A rule never refuses an order, so
 * one that may not be backordered is not limited to a warehouse.
 */
export async function ruleDrafts(tx: Tx, drafts: readonly (OrderDraft | Fault)[]): Promise<(RuledDraft | Fault)[]> {
  const rules = await listActiveRules(tx);
  const valid = drafts.filter((draft): draft is OrderDraft => !(draft instanceof Fault));
  const facts =
    rules.length === 0
      ? []
      : await ruledOrders(
          tx,
          rules,
          valid.map(({ fields, lines }) => ({ ...fields, lines })),
        );
  let next = 0;
  return drafts.map((draft) => {
    if (draft instanceof Fault) return draft;
    const order = facts[next++];
    if (order === undefined) return { ...draft, effects: null };
    const { warehouse_id, ...others } = evaluateRules(rules, order);
    const may_wait = draft.fields.allow_backorder && warehouse_id !== undefined;
    const effects = ruleEffects(draft.fields, may_wait ? { ...others, warehouse_id } : others, true);
    if (effects.changed.length === 0) return { ...draft, effects: null };
    return { ...draft, fields: { ...draft.fields, ...effects.fields }, effects };
  });
}

/** Records the effects of rules on an order that was just stored, and holds it if one says so. */
export async function recordEffects(tx: Tx, order: Order, effects: RuleEffects | null, actor: Actor): Promise<Order> {
  if (effects === null) return order;
  await noteInHistory(tx, order.id, { ...effectsEntry(effects), actor });
  return holdByRule(tx, order, effects, actor);
}

async function holdByRule(tx: Tx, order: Order, { hold }: RuleEffects, actor: Actor): Promise<Order> {
  if (hold === null || hold === undefined) return order;
  const placed = { ...hold.value, hold_until: null, reserve_inventory: true, created_at: tx.now };
  return placeHold(tx, order, placed, actor);
}

/**
 * Evaluates the rules again for a locked order that has changed and is not packed. What a person set stays. An order
 * with picked units, or held for the same reason, is not held.
 */
export async function applyRulesAgain(tx: Tx, before: Order, actor: Actor): Promise<Order> {
  if (!isUnpacked(before.status)) return before;
  const rules = await listActiveRules(tx);
  if (rules.length === 0 && before.decided_by === null) return before;
  const [facts] = await ruledOrders(tx, rules, [before]);
  if (facts === undefined) return before;
  const { hold, ...others } = evaluateRules(rules, facts);
  // A second hold for the same reason would replace the first, which may be a person's.
  const isHeld = before.holds.some(({ reason }) => reason === hold?.value.reason);
  const holds = hold !== undefined && !isHeld && actionsOf(before).includes("hold");
  const effects = ruleEffects(before, holds ? { ...others, hold } : others, false);
  if (effects.changed.length === 0) return before;
  const order = { ...before, ...effects.fields };
  const saved = await saveOrder(tx, before, order, { ...effectsEntry(effects), actor });
  if (saved.priority !== before.priority) await setAllocationPriority(tx, saved.id, saved.priority);
  return holdByRule(tx, saved, effects, actor);
}
