import { iso, isoOrNull } from "../../../kit/clock.ts";
import type { Cell } from "../../../kit/csv.ts";
import { type Noun, wireId } from "../../../kit/ids.ts";
import { money } from "../../../kit/money.ts";
import type { PlainLabel } from "../label.ts";

/** A label in a list, with the number of its order. */
export interface ListedLabel extends PlainLabel {
  readonly order_number: string;
}

const named = (noun: Noun, id: number | null) => (id === null ? null : wireId(noun, id));

/** The columns of a file of labels. */
const columns: readonly (readonly [name: string, cell: (label: ListedLabel) => Cell])[] = [
  ["label_id", ({ id }) => wireId("label", id)],
  ["created_at", ({ created_at }) => iso(created_at)],
  ["status", ({ status }) => status],
  ["carrier", ({ carrier }) => carrier],
  ["service", ({ service }) => service],
  ["tracking_number", ({ tracking_number }) => tracking_number],
  ["order_id", ({ order_id }) => wireId("order", order_id)],
  ["order_number", ({ order_number }) => order_number],
  ["shipment_id", ({ shipment_id }) => named("shipment", shipment_id)],
  ["return_id", ({ return_id }) => named("return", return_id)],
  ["account_id", ({ account_id }) => named("carrier_account", account_id)],
  ["cost", ({ cost_cents, currency }) => money(cost_cents, currency)],
  ["carrier_cost", ({ carrier_cost_cents, currency }) => money(carrier_cost_cents, currency)],
  ["sample", ({ sample }) => sample],
  ["currency", ({ currency }) => currency],
  ["zone", ({ zone }) => zone],
  ["billable_weight", ({ billable_pounds }) => billable_pounds],
  ["weight", ({ package: packed }) => packed.weight],
  ["weight_unit", ({ package: packed }) => packed.weight_unit],
  ["to_name", ({ to_address }) => to_address.name],
  ["to_city", ({ to_address }) => to_address.city],
  ["to_state", ({ to_address }) => to_address.state],
  ["to_zip", ({ to_address }) => to_address.postal_code],
  ["to_country", ({ to_address }) => to_address.country],
  ["error", ({ error_code }) => error_code],
  ["voided_at", ({ voided_at }) => isoOrNull(voided_at)],
];

/** The columns that only the operator sees. */
const hidden = new Set(["account_id", "carrier_cost"]);

export const labelColumns = columns.map(([name]) => name);

/** A label as a row of that file. What is the operator's own is shown to the operator alone. */
export function labelCells(label: ListedLabel, merchant_id: number | null): readonly Cell[] {
  return columns.map(([name, cell]) => (merchant_id !== null && hidden.has(name) ? null : cell(label)));
}
