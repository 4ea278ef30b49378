// What a merchant takes along to another installation: one table of every table, held against the schema by a test.

/** A record of the house that rows refer to: it is found at the target by what it is called, or made there. */
export type Place = "warehouses" | "zones" | "bins" | "carrier_accounts";

/** What becomes of some columns on the way. All others arrive as they were. */
interface Columns {
  /** Columns that name records of the house, which may have another id at the target. */
  readonly places?: Readonly<Record<string, Place>>;
  /** Columns sealed under the secret key of an installation, and for which use. */
  readonly sealed?: Readonly<Record<string, string>>;
  /** Columns that become null. */
  readonly emptied?: readonly string[];
  /** Columns with the id of who did it, in which people and keys of the house become the warehouse. */
  readonly doers?: readonly string[];
  /** Columns with lists of ids of webhooks: those of the house mean others at the target, and are left out. */
  readonly webhooks?: readonly string[];
}

/** Which rows of a table go along. */
type Which =
  /** Those that name the merchant. */
  | { readonly goes: "own" }
  /** Those of a row that goes: `by` holds its id in `of`. */
  | { readonly goes: "with"; readonly of: string; readonly by: string }
  /** Those of the house that rows refer to, where the target has none that is called so. What is must be `alike`. */
  | { readonly goes: "place"; readonly called: readonly string[]; readonly alike: readonly string[] }
  /** Those of the house that rows refer to, under their ids. */
  | { readonly goes: "shared" }
  /** None, for a reason; or they are seen to by themselves. */
  | { readonly goes: "not"; readonly why: string };

/** What becomes of a table. */
export type Going = Which & Columns & { readonly table: string };

const own = (table: string, columns: Columns = {}): Going => ({ goes: "own", table, ...columns });
const part = (table: string, by: string, of: string, columns: Columns = {}): Going => ({
  goes: "with",
  table,
  of,
  by,
  ...columns,
});
const place = (
  table: Place,
  called: readonly string[],
  alike: readonly string[],
  columns: Columns = {},
): Going & { readonly goes: "place" } => ({ goes: "place", table, called, alike, ...columns });
const shared = (table: string, columns: Columns = {}): Going => ({ goes: "shared", table, ...columns });

const not = (why: string, ...tables: readonly string[]): readonly Going[] =>
  tables.map((table) => ({ goes: "not", table, why }));

const in_warehouse = { warehouse_id: "warehouses" } as const;
const in_bin = { ...in_warehouse, bin_id: "bins" } as const;
const credentials = ["credentials", "credentials_digest", "callback_secret", "previous_callback_secret"] as const;

/** Every table: what of it goes along, in an order in which no row comes before one that it refers to. */
export const going: readonly Going[] = [
  place("warehouses", ["name"], ["timezone"]),
  place("zones", ["warehouse_id", "zone_id"], ["temperature_zone"], { places: in_warehouse }),
  place("bins", ["warehouse_id", "code"], ["kind"], { places: { ...in_warehouse, zone_id: "zones" } }),
  place("carrier_accounts", ["key"], [], {
    emptied: [...credentials, "previous_callback_secret_expires_at"],
  }),
  shared("counts", { places: in_warehouse, doers: ["opened_by", "posted_by"] }),
  shared("manifests", { places: in_warehouse, doers: ["created_by"] }),
  shared("restorations", { doers: ["decided_by"] }),
  own("products"),
  part("product_components", "bundle_id", "products"),
  own("product_barcodes"),
  own("customers"),
  part("customer_words", "customer_id", "customers"),
  own("addresses"),
  own("lots"),
  part("lot_changes", "lot_id", "lots", { doers: ["actor_id"] }),
  own("stock_items", { places: in_bin }),
  own("movements", { doers: ["actor_id"] }),
  part("count_lines", "product_id", "products", { places: { bin_id: "bins" }, doers: ["counted_by"] }),
  own("receipts", { places: in_warehouse }),
  part("receipt_lines", "receipt_id", "receipts"),
  own("transfers", { places: { from_warehouse_id: "warehouses", to_warehouse_id: "warehouses" } }),
  part("transfer_lines", "transfer_id", "transfers"),
  part("transfer_loads", "product_id", "products"),
  own("orders", { places: in_warehouse }),
  own("order_lines"),
  part("order_holds", "order_id", "orders"),
  part("order_history", "order_id", "orders", { doers: ["actor_id"] }),
  own("reservations", { places: in_warehouse }),
  own("reservation_lines"),
  own("allocations"),
  part("claim_news", "product_id", "products"),
  own("shipments"),
  part("shipment_lines", "shipment_id", "shipments"),
  part("ssccs", "shipment_id", "shipments"),
  own("returns"),
  part("return_items", "return_id", "returns"),
  part("return_inspections", "return_item_id", "return_items"),
  part("refunds", "return_id", "returns"),
  own("labels", { places: { account_id: "carrier_accounts" }, doers: ["asked_by"] }),
  part("label_documents", "label_id", "labels"),
  part("manifest_labels", "label_id", "labels"),
  own("tracking_records", { places: { account_id: "carrier_accounts" } }),
  part("tracking_events", "record_id", "tracking_records"),
  own("platform_connections", {
    sealed: Object.fromEntries(
      ["api_key", "api_token", "client_secret", "previous_client_secret"].map((name) => [name, "platforms.secret"]),
    ),
  }),
  own("platform_imports"),
  part("platform_notifications", "connection_id", "platform_connections"),
  part("platform_reports", "order_id", "orders"),
  own("events"),
  own("subscriptions", { sealed: { secret: "webhooks.secret", previous_secret: "webhooks.secret" } }),
  part("recoveries", "subscription_id", "subscriptions"),
  own("deliveries"),
  part("delivery_attempts", "delivery_id", "deliveries"),
  part("restoration_gaps", "subscription_id", "subscriptions"),
  own("api_keys"),
  part("key_observations", "key_id", "api_keys"),
  own("billable_events", { places: in_warehouse }),
  own("storage_days", { places: in_bin }),
  // The number of an event is another one at the target.
  own("erasures", { doers: ["asked_by"], webhooks: ["receivers"], emptied: ["began_after"] }),
  // Its key begins with the merchant's id.
  own("idempotency_keys", { sealed: { body: "idempotency.answer" } }),
  ...not("it is put into the target's list by itself", "merchants"),
  ...not("orders are counted by triggers as they arrive", "order_counts"),
  ...not("the target numbers its events on", "counters"),
  ...not("they go along with a warehouse in which the target has had nothing", "storage_closes"),
  ...not("that of a target without any acts becomes the source's", "billing_start"),
  ...not("people stay", "users", "memberships", "sessions", "invitations", "one_time_links"),
  ...not("people stay", "second_factors", "recovery_codes", "roles"),
  ...not("who did what in a house, and what it was told, stays there", "audit_entries", "audit_targets"),
  ...not("who did what in a house, and what it was told, stays there", "request_blocks", "notices", "backup_runs"),
  ...not("prices and settings of a house stay; what a label cost stands on it", "rate_cards", "rate_card_versions"),
  ...not("prices and settings of a house stay", "zone_systems", "zone_charts", "holiday_sets"),
  ...not("prices and settings of a house stay", "postal_codes", "address_settings", "retention_settings"),
  ...not("what carriers tell the accounts of a house stays", "waiting_updates", "carrier_callbacks"),
  ...not("what an upgrade rounded is listed where it was upgraded", "rounded_amounts"),
  ...not("the program's own", "leases", "servers", "held_claims", "installation"),
];

const warehouses_from: readonly (readonly [string, readonly string[]])[] = [
  ["stock_items", ["warehouse_id"]],
  ["orders", ["warehouse_id"]],
  ["reservations", ["warehouse_id"]],
  ["receipts", ["warehouse_id"]],
  ["transfers", ["from_warehouse_id", "to_warehouse_id"]],
  ["billable_events", ["warehouse_id"]],
  ["storage_days", ["warehouse_id"]],
  ["counts", ["warehouse_id"]],
  ["manifests", ["warehouse_id"]],
];

/** The rows of a table that go along with a merchant, as a condition in SQL. */
export function whichOf(table: string, merchant: number): string {
  const rule = going.find((one) => one.table === table);
  if (rule === undefined || rule.goes === "not") throw new Error(`${table} does not go along with a merchant`);
  const among = (column: string, of: string, id = "id") =>
    `${column} in (select ${id} from ${of} where ${whichOf(of, merchant)})`;
  if (table === "idempotency_keys") return `key like 'mer~_${merchant} %' escape '~'`;
  if (rule.goes === "own") return `merchant_id = ${merchant}`;
  if (rule.goes === "with") return among(rule.by, rule.of);
  switch (table) {
    case "warehouses": {
      const named = warehouses_from.flatMap(([of, columns]) =>
        columns.map((column) => `select ${column} from ${of} where ${whichOf(of, merchant)}`),
      );
      return `id in (${named.join(" union ")})`;
    }
    case "zones":
      return among("warehouse_id", "warehouses");
    case "bins":
      // A staging bin is one order's; the others are what a warehouse consists of.
      return `${among("warehouse_id", "warehouses")} and (kind <> 'staging' or ${[
        among("id", "stock_items", "bin_id"),
        among("id", "count_lines", "bin_id"),
      ].join(" or ")})`;
    case "carrier_accounts":
      return `${among("id", "labels", "account_id")} or ${among("id", "tracking_records", "account_id")}`;
    case "counts":
      return among("id", "count_lines", "count_id");
    case "manifests":
      return among("id", "manifest_labels", "manifest_id");
    default:
      return among("id", "restoration_gaps", "restoration_id");
  }
}

/** What must not be under way at the source, as a query of how many there are, and what to do. */
export function hindrances(merchant: number): readonly (readonly [query: string, said: (count: string) => string])[] {
  const count = (from: string, which: string) => `select count(*) from ${from} where ${which}`;
  return [
    [
      count("labels", `merchant_id = ${merchant} and claimed_until is not null`),
      (n) => `${n} of its labels are being bought or given back. Let the server finish that, then stop it`,
    ],
    [
      count("counts", `status in ('open', 'review') and ${whichOf("counts", merchant)}`),
      (n) => `${n} counts with its goods are open. Post or cancel them`,
    ],
    [
      count("erasures", `finished_at is null and (merchant_id is null or merchant_id = ${merchant})`),
      (n) => `${n} erasures of people are under way. Let the server finish them, then stop it`,
    ],
    [
      count("restorations", "settled_at is null"),
      (n) => `${n} restores wait for a decision. Make it by packhouse restored`,
    ],
  ];
}

/** What ends at the source once all is at the target, so that nothing is sent, bought or asked twice. */
export function endsOf(merchant: number, at: number): readonly string[] {
  const its = `where merchant_id = ${merchant}`;
  return [
    `update subscriptions set status = 'paused', is_ending = true ${its} and status in ('active', 'failing')`,
    `update platform_connections set status = 'paused' ${its}`,
    `update tracking_records set look_at = null ${its} and look_at is not null`,
    `update addresses set ask_at = null ${its} and ask_at is not null`,
    `update merchants set status = 'closed', closed_at = ${at}, updated_at = ${at}, version = version + 1
     where id = ${merchant} and status <> 'closed'`,
  ];
}

/** By how much the numbers of the target begin above those of the source, so that other merchants can follow. */
export const apart = 1_000_000;

/** Who is named in a row that people or keys of the house have done, as merchants are shown it. */
export const the_warehouse = { type: "system", id: "warehouse", name: "The warehouse", request_id: null } as const;
/** Who is named in a row that the merchant's people have done. */
export const the_merchant = { ...the_warehouse, id: "merchant", name: "The merchant" } as const;
