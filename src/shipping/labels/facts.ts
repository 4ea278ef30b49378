// What labels are billed as.
import type { Fact } from "../../billing/fact.ts";
import { wireId } from "../../kit/ids.ts";
import { money } from "../../kit/money.ts";
import type { PlainLabel } from "./label.ts";

/** What a label is billed as that was bought. */
export function labelFact(label: PlainLabel, merchant_id: number, warehouse: Fact["warehouse"]): Fact {
  const { id, order_id, shipment_id, return_id, account_id } = label;
  const attributes = {
    order_id: wireId("order", order_id),
    shipment_id: shipment_id === null ? null : wireId("shipment", shipment_id),
    return_id: return_id === null ? null : wireId("return", return_id),
    account_id: account_id === null ? null : wireId("carrier_account", account_id),
    carrier: label.carrier,
    service: label.service,
    zone: label.zone,
    billable_weight: label.billable_pounds,
    package: label.package,
    cost: money(label.cost_cents, label.currency),
    currency: label.currency,
  };
  return { act: "label.buy", merchant_id, warehouse, quantity: 1, source: { id }, attributes };
}
