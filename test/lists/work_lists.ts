// The lists of work in the warehouse: deliveries, transfers, counts, lots, keys, and the audit trail.
import {
  after,
  before,
  bytes,
  contains,
  exact,
  type Filter,
  fields,
  type List,
  named,
  newest,
  single,
  soonest,
} from "./list_model.ts";
import type { Found } from "./records.ts";

const warehouse = (name: string): Filter => ({
  several: true,
  values: () => ["whs_1001", "whs_1002", "whs_77"],
  passes: (one, value) => one[name] === value,
});
const skusOf = ({ items }: Found): string[] => items.map(({ sku }: Found) => sku);
const withLine: Filter = {
  values: (all) => ["nothing", ...all.flatMap(skusOf)],
  passes: (one, value) => skusOf(one).includes(value),
};
const pieces = ["milk", "TEA", "po-1", "mill", "%", "_", "\\", "-2", "nothing"];

export const workLists: readonly List[] = [
  {
    path: "/inventory/receipts",
    name: "receipts",
    key: "id",
    filters: {
      status: exact("status"),
      location: warehouse("location"),
      reference: single(named("reference")),
      sku: withLine,
      q: contains(pieces, (one) => [one.reference, one.supplier, ...skusOf(one)]),
    },
    sorts: { "-created_at": newest("id"), expected_at: soonest("expected_at", "id") },
  },
  {
    path: "/inventory/transfers",
    name: "transfers",
    key: "id",
    filters: {
      status: exact("status"),
      from_location: warehouse("from_location"),
      to_location: warehouse("to_location"),
      sku: withLine,
      q: contains(pieces, (one) => [one.reference, ...skusOf(one)]),
    },
    sorts: { none: newest("id") },
  },
  {
    path: "/inventory/counts",
    name: "counts",
    key: "id",
    filters: { status: exact("status"), location: warehouse("location") },
    sorts: { none: newest("id") },
  },
  {
    path: "/inventory/lots",
    name: "lots",
    key: "id",
    filters: {
      sku: single(exact("sku", ["nothing"])),
      lot_number: single(exact("lot_number", ["L", "L-9"])),
      status: exact("status", ["expired"]),
      expiring_before: {
        values: () => ["2026-02-01", "2031-01-01", "2032-01-02", "2040-01-01"],
        passes: ({ expiration_date }, value) => expiration_date !== null && expiration_date.slice(0, 10) < value,
      },
      q: contains([...pieces, "l-1"], (one) => [one.lot_number, one.sku, one.name]),
      on_hand: { values: () => ["true", "false"], passes: ({ quantity }, value) => String(quantity > 0) === value },
    },
    sorts: { "-created_at": newest("id"), expiration_date: soonest("expiration_date", "id") },
  },
  {
    path: "/billing/events",
    name: "billed",
    key: "id",
    file: ["/billing/events/export.csv", "billable_events.csv", "id,merchant_id"],
    exclusive: ["from", "to"],
    filters: {
      created_after: after("occurred_at"),
      created_before: before("occurred_at"),
      from: { values: fields("business_date"), passes: ({ business_date }, value) => business_date >= value },
      to: { values: fields("business_date"), passes: ({ business_date }, value) => business_date <= value },
      warehouse: warehouse("warehouse_id"),
      kind: exact("kind"),
    },
    sorts: { none: (a, b) => bytes(b.business_date, a.business_date) || newest("id")(a, b) },
  },
  {
    path: "/keys",
    name: "keys",
    key: "id",
    filters: { status: exact("status"), q: contains(["till", "TILL 1", "5", "%", "nothing"], ({ name }) => [name]) },
    sorts: { none: newest("id") },
  },
  {
    path: "/audit",
    name: "audit",
    key: "id",
    file: ["/audit/export.csv", "audit.csv", "id,"],
    filters: {
      actor: {
        several: true,
        values: () => ["usr_1", "usr_2", "key_7", "usr_99"],
        passes: (one, value) => one.actor.id === value,
      },
      action: exact("action", ["deleteOrder"]),
      target: {
        values: () => ["ord_1001", "ord_1002", 'SKU "one"', "back\\slash", "ord_100"],
        passes: (one, value) => one.targets.includes(value),
      },
      mode: exact("mode"),
      q: contains(
        ["ana", "BERG", "usr_", "hold", "ord_1001", 'sku "', "slash", "%", "_", "req-1", "192.0", "]", "no"],
        ({ actor, action, targets, request_id, ip_address }) => [
          ...[actor.id, actor.name, action, ...targets, request_id, ip_address],
        ],
      ),
    },
    sorts: { none: newest("id") },
  },
];
