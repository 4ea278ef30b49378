// What returns are billed as.
import type { Fact } from "../billing/fact.ts";
import { wireId } from "../kit/ids.ts";
import type { Return } from "./return.ts";
import type { InspectedUnits, ItemUnits } from "./rules.ts";

/** What units are billed as that came back. */
export function receivedFact(
  received: Return,
  units: readonly ItemUnits[],
  warehouse: Fact["warehouse"],
  announced: boolean,
): Fact {
  const attributes = { ...attributesOf(received, units), announced };
  return { act: "return.receive", warehouse, ...commonOf(received, units), attributes };
}

/** What an inspection is billed as. */
export function inspectedFact(after: Return, units: readonly InspectedUnits[], warehouse: Fact["warehouse"]): Fact {
  const findings = units.map(({ item: { sku }, quantity, condition, disposition }) => {
    return { sku, quantity, condition, disposition };
  });
  const attributes = { ...attributesOf(after, units), findings };
  return { act: "return.inspect", warehouse, ...commonOf(after, units), attributes };
}

function commonOf({ id, merchant_id, version }: Return, units: readonly ItemUnits[]) {
  const quantity = units.reduce((sum, one) => sum + one.quantity, 0);
  return { merchant_id, quantity, source: { id, version } };
}

function attributesOf({ order_id }: Return, units: readonly ItemUnits[]) {
  const skus = new Set(units.map(({ item: { sku } }) => sku)).size;
  return { order_id: wireId("order", order_id), skus };
}
