// Checks the stock figures that the API shows against plain sums of the rows, and every balance against the ledger and
// the allocations. The SQL shares nothing with the views and acts.
import { and, asc, eq, gt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { among, columnsOf, isOneOf, list } from "../../db/kit.ts";
import { count_lines, counts } from "../../db/schema/counts.ts";
import { lots, movements, stock_items } from "../../db/schema/inventory.ts";
import { lot_changes } from "../../db/schema/lots.ts";
import { products } from "../../db/schema/products.ts";
import { receipt_lines, receipts } from "../../db/schema/receipts.ts";
import { allocations, reservation_lines, reservations } from "../../db/schema/reservations.ts";
import { transfer_lines, transfer_loads, transfers } from "../../db/schema/transfers.ts";
import { bins } from "../../db/schema/warehouses.ts";
import type { Db } from "../storage/database.ts";
import { prepared, type StatementArgs } from "../storage/statements.ts";
import {
  type FoundFigure,
  relatedRows,
  type VerifierDifference,
  type VerifierRule,
  verifierOf,
} from "../storage/verifier.ts";
import { inventoryNouns } from "./audited_rows.sql.ts";
import {
  countTransitions,
  lotTransitions,
  receiptTransitions,
  reservationTransitions,
  transferTransitions,
} from "./inventory.transitions.ts";
import { itemView } from "./stock/product_stock.ts";
import { loadStock } from "./stock/stock.sql.ts";
import { dayIn, type LocalDays, localDays } from "./warehouses/warehouses.sql.ts";

// A lot whose status never changed has no history row, even if it expired automatically.
const unrecorded = [...lotTransitions.expire.from, lotTransitions.expire.to];

const slice = 500;

const sum = (value: SQL) => sql<number>`coalesce(sum(${value}), 0)`.mapWith(Number);
const when = (condition: SQL) => sum(sql`case when ${condition} then ${stock_items.on_hand} else 0 end`);

const isAvailable = isOneOf(lots.status, [lotTransitions.release.to]);
const isForSale = sql`${bins.kind} = 'storage' and ${stock_items.count_id} is null`;

const sums = (db: Db, ids: readonly number[], days: LocalDays) =>
  db.sql
    .select({
      id: stock_items.product_id,
      on_hand: sum(sql`${stock_items.on_hand}`),
      reserved: sum(sql`${stock_items.reserved}`),
      available: sum(sql`case when ${isForSale} and (${lots.id} is null or ${isAvailable}
          and (${lots.expires_on} is null
            or ${lots.expires_on} - ${products.min_shelf_life_days} >= ${dayIn(days, stock_items.warehouse_id)}))
        then ${stock_items.on_hand} - ${stock_items.reserved} else 0 end`),
      staged: when(sql`${bins.kind} = 'staging'`),
      in_lots: when(sql`${stock_items.lot_id} is not null`),
    })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .innerJoin(bins, eq(bins.id, stock_items.bin_id))
    .leftJoin(lots, eq(lots.id, stock_items.lot_id))
    .where(among(stock_items.product_id, sql`${list(ids)}`))
    .groupBy(stock_items.product_id);

/** Every stock figure that the API shows of each product, with the sum of its rows. Bundles have none. */
async function* shownLevels(db: Db): AsyncGenerator<FoundFigure> {
  const days = await localDays(db);
  for (let ids = await stockedAfter(db, 0); ids.length > 0; ids = await stockedAfter(db, ids.at(-1) ?? 0)) {
    const sumsOf = new Map((await sums(db, ids, days)).map((row) => [row.id, row]));
    for (const stock of await loadStock(db, ids)) {
      const { id } = stock.product;
      const { on_hand = 0, reserved = 0, available = 0, staged = 0, in_lots = 0 } = sumsOf.get(id) ?? {};
      const shown = itemView(stock, db.now, stock.updated_at);
      const unavailable = Object.values(shown.unavailable).reduce((total, units) => total + units, 0);
      const in_bins = shown.locations.reduce((total, { quantity }) => total + quantity, 0);
      const shown_in_lots = shown.lots.reduce((total, { quantity }) => total + quantity, 0);
      yield* [
        level(id, "I1 available plus reserved is the total", shown.available + shown.reserved, shown.total),
        level(id, "I1 the total plus unavailable units is on hand", shown.total + unavailable, shown.on_hand),
        level(id, "I1 available is what can be sold and is not reserved", available, shown.available),
        level(id, "I1 reserved is the sum of the items' reserved units", reserved, shown.reserved),
        level(id, "I1 on hand is the sum of the items' units", on_hand, shown.on_hand),
        level(id, "I3 units in bins and in staging are on hand", on_hand, in_bins + staged),
        level(id, "I3 units in lots are the sum of the lots", in_lots, shown_in_lots),
      ];
    }
  }
}

const level = (id: number, rule: string, expected: number, actual: number): FoundFigure => ({
  rule,
  subject: `product ${id}`,
  expected,
  actual,
  rows: (db) => relatedRows(db, inventoryNouns.product, id),
});

const stocked = prepared((select, a: StatementArgs<{ after: number }>) =>
  select
    .selectDistinct({ id: stock_items.product_id })
    .from(stock_items)
    .innerJoin(products, eq(products.id, stock_items.product_id))
    .where(and(gt(stock_items.product_id, a.after), ne(products.type, "bundle")))
    .orderBy(asc(stock_items.product_id))
    .limit(slice),
);

async function stockedAfter(db: Db, after: number): Promise<number[]> {
  return (await stocked(db, { after })).map(({ id }) => id);
}

// Units between two warehouses are not on hand: one movement takes them out and another brings them in.
const oneSided = sql`${movements.reference_type} = 'transfer' and (
  ${movements.to_item_id} is null and ${movements.to_place} = 'in_transit'
  or ${movements.from_item_id} is null and ${movements.to_place} is null
)`;

/** The number in a movement's reference id, such as 1001 in `trf_1001`. */
const referred = sql`cast(substr(${movements.reference_id}, 5) as bigint)`;

// A reservation is open until it is released or expires.
const isOpen = isOneOf(reservations.status, [...reservationTransitions.commit.from, reservationTransitions.commit.to]);

type InventoryRule = VerifierRule<keyof typeof inventoryNouns>;

const balance_max = 1_000_000_000;
const request_max = 1_000_000;

// The limits of every column that counts units. A reservation may want many sets of a bundle, so its lines have the
// limits of balances.
const limits: readonly InventoryRule[] = [
  ...limitsOf("stock item", columnsOf(stock_items, "on_hand", "reserved"), 0, balance_max),
  ...limitsOf("movement", columnsOf(movements, "quantity"), 1, balance_max),
  ...limitsOf("movement", columnsOf(movements, "from_balance", "to_balance"), 0, balance_max),
  ...limitsOf(
    "reservation line",
    columnsOf(reservation_lines, "quantity", "wanted", "reserved", "picked"),
    0,
    balance_max,
  ),
  ...limitsOf("allocation", columnsOf(allocations, "quantity"), 1, balance_max),
  ...limitsOf("transfer line", columnsOf(transfer_lines, "quantity"), 1, request_max),
  ...limitsOf("transfer load", columnsOf(transfer_loads, "quantity"), 1, request_max),
  ...limitsOf("transfer load", columnsOf(transfer_loads, "in_transit", "received", "written_off"), 0, request_max),
  ...limitsOf("receipt line", columnsOf(receipt_lines, "quantity"), 1, request_max),
  ...limitsOf("receipt line", columnsOf(receipt_lines, "received", "set_aside", "outstanding"), 0, balance_max),
  ...limitsOf("count line", columnsOf(count_lines, "expected", "counted"), 0, balance_max),
];

function limitsOf(
  noun: InventoryRule["noun"],
  counted: Readonly<Record<string, AnyPgColumn>>,
  least: number,
  most: number,
): InventoryRule[] {
  const columns = Object.values(counted);
  const table = columns[0]?.table as PgTable & { readonly id: AnyPgColumn };
  const [low, high] = [sql.raw(String(least)), sql.raw(String(most))];
  // One scan of the table for each rule: of a row with several such columns, the first is reported.
  const first = (breaks: (column: AnyPgColumn) => SQL, value: (column: AnyPgColumn) => SQL | AnyPgColumn) =>
    sql`case ${sql.join(
      columns.map((column) => sql`when ${breaks(column)} then ${value(column)}`),
      sql` `,
    )} end`;
  const rows = (breaks: (column: AnyPgColumn) => SQL, bound: (column: AnyPgColumn) => SQL) =>
    sql`select ${table.id} as id, ${first(breaks, bound)} as expected, ${first(breaks, (column) => column)} as actual
      from ${table} where ${sql.join(columns.map(breaks), sql` or `)}`;
  return [
    {
      rule: "I2 no quantity is negative",
      noun,
      rows: rows(
        (column) => sql`${column} < 0`,
        () => sql`0`,
      ),
    },
    {
      rule: `I13 a quantity is at least ${least} and at most ${most}`,
      noun,
      rows: rows(
        (column) => sql`(${column} > ${high} or ${column} >= 0 and ${column} < ${low})`,
        (column) => sql`case when ${column} > ${high} then ${high} else ${low} end`,
      ),
    },
  ];
}

// Both sides of every movement, each as a change of one stock item.
const sides = sql`(
  select ${movements.from_item_id} as item, ${movements.id} as id, -${movements.quantity} as change,
    ${movements.from_balance} as balance
  from ${movements} where ${movements.from_item_id} is not null
  union all
  select ${movements.to_item_id}, ${movements.id}, ${movements.quantity}, ${movements.to_balance}
  from ${movements} where ${movements.to_item_id} is not null
)`;

/** The rule that a column equals the `total` of its row as `owner` in `sums`, or zero. */
function sumRule(rule: string, noun: InventoryRule["noun"], column: AnyPgColumn, sums: SQL): InventoryRule {
  const table = column.table as PgTable & { readonly id: AnyPgColumn };
  const rows = sql`select ${table.id} as id, coalesce(s.total, 0) as expected, ${column} as actual
    from ${table} left join (${sums}) as s on s.owner = ${table.id}`;
  return { rule, noun, rows };
}

const rules: readonly InventoryRule[] = [
  ...limits,
  {
    rule: "I13 the units of a product are fewer than 2^53",
    noun: "product",
    rows: sql`select id, 9007199254740991 as expected, units as actual from (
        select ${stock_items.product_id} as id, sum(${stock_items.on_hand}) as units from ${stock_items}
        group by ${stock_items.product_id}
      ) as sums where units > 9007199254740991`,
  },
  sumRule(
    "I4 on hand is the sum of the item's movements",
    "stock item",
    stock_items.on_hand,
    sql`select item as owner, sum(change) as total from ${sides} as sides group by item`,
  ),
  {
    rule: "I8 each balance is the ledger replayed up to that row",
    noun: "movement",
    rows: sql`select id, replayed as expected, balance as actual from (
      select id, balance, sum(change) over (partition by item order by id) as replayed from ${sides} as sides
    ) as replay`,
  },
  sumRule(
    "I5 reserved is the sum of the item's allocations",
    "stock item",
    stock_items.reserved,
    sql`select ${allocations.stock_item_id} as owner, sum(${allocations.quantity}) as total from ${allocations}
      group by ${allocations.stock_item_id}`,
  ),
  sumRule(
    "I5 a line's reserved units are the sum of its allocations",
    "reservation line",
    reservation_lines.reserved,
    sql`select ${allocations.reservation_line_id} as owner, sum(${allocations.quantity}) as total from ${allocations}
      group by ${allocations.reservation_line_id}`,
  ),
  sumRule(
    "I5 a line's picked units are its allocations in staging",
    "reservation line",
    reservation_lines.picked,
    sql`select ${allocations.reservation_line_id} as owner, sum(${allocations.quantity}) as total from ${allocations}
      join ${stock_items} on ${stock_items.id} = ${allocations.stock_item_id}
      join ${bins} on ${bins.id} = ${stock_items.bin_id} and ${bins.kind} = 'staging'
      group by ${allocations.reservation_line_id}`,
  ),
  {
    rule: "I5 a product's reserved units are those of its open reservations",
    noun: "product",
    rows: sql`select id, sum(held) as expected, sum(promised) as actual from (
        select ${reservation_lines.product_id} as id, ${reservation_lines.reserved} as held, 0 as promised
        from ${reservation_lines}
        join ${reservations} on ${reservations.id} = ${reservation_lines.reservation_id}
          and ${isOpen}
        union all
        select ${stock_items.product_id}, 0, ${stock_items.reserved} from ${stock_items}
      ) as sides group by id`,
  },
  {
    rule: "I6 reserved is at most on hand",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, ${stock_items.on_hand} as expected, ${stock_items.reserved} as actual
      from ${stock_items} where ${stock_items.reserved} > ${stock_items.on_hand}`,
  },
  {
    rule: "I3 units of a lot are the sum of its movements",
    noun: "lot",
    // Units leave the lot of their stock item and come to that of their movement: an inspection may find out their lot.
    rows: sql`select id, sum(moved) as expected, sum(lies) as actual from (
        select ${movements.lot_id} as id, ${movements.quantity} as moved, 0 as lies
        from ${movements} where ${movements.lot_id} is not null and ${movements.to_item_id} is not null
        union all
        select case when ${movements.to_item_id} is null then ${movements.lot_id} else ${stock_items.lot_id} end,
          -${movements.quantity}, 0
        from ${movements} join ${stock_items} on ${stock_items.id} = ${movements.from_item_id}
        where ${movements.lot_id} is not null or ${stock_items.lot_id} is not null
        union all
        select ${stock_items.lot_id}, 0, ${stock_items.on_hand} from ${stock_items}
        where ${stock_items.lot_id} is not null
      ) as sides where id is not null group by id`,
  },
  {
    rule: "I3 an item is in a bin of its warehouse and of a lot of its product",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, 1 as expected,
        case when ${bins.warehouse_id} = ${stock_items.warehouse_id}
          and coalesce(${lots.product_id}, ${stock_items.product_id}) = ${stock_items.product_id}
        then 1 else 0 end as actual
      from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      left join ${lots} on ${lots.id} = ${stock_items.lot_id}`,
  },
  {
    rule: "I7 a transfer has two sides, and units that leave stock name where they went",
    noun: "movement",
    rows: sql`select ${movements.id} as id, 1 as expected,
        case when ${movements.type} = 'transfer'
          then case when ${movements.from_item_id} is not null and ${movements.to_item_id} is not null
            and ${movements.to_place} is null or ${oneSided} then 1 else 0 end
          else case when (${movements.to_item_id} is null) = (${movements.to_place} is not null) then 1 else 0 end
        end as actual
      from ${movements}`,
  },
  {
    rule: "I7 units of a transfer that left and have not arrived are in transit",
    noun: "transfer",
    rows: sql`select id, sum(moved) as expected, sum(counted) as actual from (
        select ${referred} as id, ${movements.product_id} as product, coalesce(${movements.lot_id}, 0) as lot,
          case when ${movements.from_item_id} is null then -${movements.quantity} else ${movements.quantity} end
            as moved, 0 as counted
        from ${movements} where ${movements.type} = 'transfer' and ${movements.reference_type} = 'transfer'
        union all
        select ${transfer_lines.transfer_id}, ${transfer_loads.product_id}, coalesce(${transfer_loads.lot_id}, 0),
          0, ${transfer_loads.in_transit}
        from ${transfer_loads} join ${transfer_lines} on ${transfer_lines.id} = ${transfer_loads.transfer_line_id}
      ) as sides group by id, product, lot`,
  },
  {
    rule: "I7 only a shipped transfer has units in transit",
    noun: "transfer",
    rows: sql`select ${transfers.id} as id, 0 as expected, sum(${transfer_loads.in_transit}) as actual
      from ${transfers}
      join ${transfer_lines} on ${transfer_lines.transfer_id} = ${transfers.id}
      join ${transfer_loads} on ${transfer_loads.transfer_line_id} = ${transfer_lines.id}
      where not ${isOneOf(transfers.status, [transferTransitions.ship.to])} group by ${transfers.id}`,
  },
  {
    rule: "I4 a receipt's received units are the ledger's",
    noun: "receipt",
    rows: sql`select id, sum(moved) as expected, sum(counted) as actual from (
        select ${referred} as id, ${movements.product_id} as product, ${movements.quantity} as moved, 0 as counted
        from ${movements} where ${movements.type} = 'receipt' and ${movements.reference_type} = 'receipt'
        union all
        select ${receipt_lines.receipt_id}, ${receipt_lines.product_id}, 0, ${receipt_lines.received}
        from ${receipt_lines}
      ) as sides group by id, product`,
  },
  {
    rule: "an open receipt's line has as many outstanding units as have not arrived",
    noun: "receipt line",
    rows: sql`select ${receipt_lines.id} as id,
        case when ${isOneOf(receipts.status, receiptTransitions.close.from)}
          and ${receipt_lines.received} < ${receipt_lines.quantity}
        then ${receipt_lines.quantity} - ${receipt_lines.received} else 0 end as expected,
        ${receipt_lines.outstanding} as actual
      from ${receipt_lines} join ${receipts} on ${receipts.id} = ${receipt_lines.receipt_id}`,
  },
  {
    rule: "I8 a posted count moved the difference of each line, and no other count moved anything",
    noun: "count line",
    rows: sql`select ${count_lines.id} as id,
        case when ${isOneOf(counts.status, [countTransitions.post.to])}
          then coalesce(${count_lines.counted}, ${count_lines.expected}) - ${count_lines.expected}
        else 0 end as expected,
        case when ${movements.id} is null then 0 when ${movements.to_item_id} is null then -${movements.quantity}
        else ${movements.quantity} end as actual
      from ${count_lines} join ${counts} on ${counts.id} = ${count_lines.count_id}
      left join ${movements} on ${movements.id} = ${count_lines.movement_id}`,
  },
  {
    rule: "I10 a lot's status is that of its last change",
    noun: "lot",
    rows: sql`select ${lots.id} as id, 1 as expected,
        case when ${lots.status} = last.to_status then 1
          when last.to_status is null and ${isOneOf(lots.status, unrecorded)} then 1
        else 0 end as actual
      from ${lots}
      left join (
        select ${lot_changes.lot_id}, ${lot_changes.to_status} from ${lot_changes}
        where ${lot_changes.id} in (select max(${lot_changes.id}) from ${lot_changes} group by ${lot_changes.lot_id})
      ) as last on last.lot_id = ${lots.id}`,
  },
  {
    rule: "a bundle has no stock of its own",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, 0 as expected, ${stock_items.on_hand} as actual from ${stock_items}
      join ${products} on ${products.id} = ${stock_items.product_id} where ${products.type} = 'bundle'`,
  },
  {
    rule: "I9 a closed reservation wants and holds nothing",
    noun: "reservation",
    rows: sql`select ${reservations.id} as id, 0 as expected,
        sum(${reservation_lines.wanted} + ${reservation_lines.reserved}) as actual
      from ${reservations}
      join ${reservation_lines} on ${reservation_lines.reservation_id} = ${reservations.id}
      where not ${isOpen} group by ${reservations.id}`,
  },
];

/** Compares the rows with each other, and not with what the API shows. */
export const verifyLedger = verifierOf({ nouns: inventoryNouns, rules });

const verifyLevels = verifierOf({ nouns: {}, rules: [], figures: shownLevels });

/** Derives every stock balance from scratch and returns the differences. */
export const verifyInventory = async (db: Db): Promise<VerifierDifference[]> => [
  ...(await verifyLevels(db)),
  ...(await verifyLedger(db)),
];

/** All units on hand, and how many of them are reserved. */
export async function countUnits(db: Db): Promise<{ on_hand: number; reserved: number }> {
  const sum = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);
  const [row] = await db.sql
    .select({ on_hand: sum(stock_items.on_hand), reserved: sum(stock_items.reserved) })
    .from(stock_items);
  return row ?? { on_hand: 0, reserved: 0 };
}
