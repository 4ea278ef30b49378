// Every balance derived anew from the ledger and the promises, in plain SQL that shares nothing with the commands.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { lots, movements, stock_items } from "../../../db/schema/inventory.ts";
import { allocations, reservation_lines, reservations } from "../../../db/schema/reservations.ts";
import { bins } from "../../../db/schema/warehouses.ts";
import type { Db } from "../../database/store.ts";

/** Something that is not as the ledger or the promises say. */
export interface Difference {
  /** Which invariant is broken, and of what. */
  readonly rule: string;
  readonly subject: string;
  readonly expected: number;
  readonly actual: number;
}

interface Check {
  readonly rule: string;
  readonly noun: string;
  /** A query of `id, expected, actual` for everything of the noun; rows where the two differ are told. */
  readonly rows: SQL;
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

const checks: readonly Check[] = [
  {
    rule: "I4 on hand is the sum of the item's movements",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, coalesce(s.total, 0) as expected, ${stock_items.on_hand} as actual
      from ${stock_items}
      left join (select item, sum(change) as total from ${sides} as sides group by item) as s
        on s.item = ${stock_items.id}`,
  },
  {
    rule: "I8 each balance is the ledger replayed to that row",
    noun: "movement",
    rows: sql`select id, replayed as expected, balance as actual from (
      select id, balance, sum(change) over (partition by item order by id) as replayed from ${sides} as sides
    ) as replay`,
  },
  {
    rule: "I5 reserved is the sum of the item's promises",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, coalesce(s.total, 0) as expected, ${stock_items.reserved} as actual
      from ${stock_items}
      left join (
        select ${allocations.stock_item_id} as item, sum(${allocations.quantity}) as total from ${allocations}
        group by ${allocations.stock_item_id}
      ) as s on s.item = ${stock_items.id}`,
  },
  {
    rule: "I5 a line has reserved what is promised to it",
    noun: "reservation line",
    rows: sql`select ${reservation_lines.id} as id, coalesce(s.total, 0) as expected,
        ${reservation_lines.reserved} as actual
      from ${reservation_lines}
      left join (
        select ${allocations.reservation_line_id} as line, sum(${allocations.quantity}) as total from ${allocations}
        group by ${allocations.reservation_line_id}
      ) as s on s.line = ${reservation_lines.id}`,
  },
  {
    rule: "I5 a line has picked what lies in staging for it",
    noun: "reservation line",
    rows: sql`select ${reservation_lines.id} as id, coalesce(s.total, 0) as expected,
        ${reservation_lines.picked} as actual
      from ${reservation_lines}
      left join (
        select ${allocations.reservation_line_id} as line, sum(${allocations.quantity}) as total
        from ${allocations}
        join ${stock_items} on ${stock_items.id} = ${allocations.stock_item_id}
        join ${bins} on ${bins.id} = ${stock_items.bin_id} and ${bins.kind} = 'staging'
        group by ${allocations.reservation_line_id}
      ) as s on s.line = ${reservation_lines.id}`,
  },
  {
    rule: "I6 reserved is at most on hand, and neither is negative nor above 10⁹",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, 0 as expected, ${stock_items.reserved} as actual from ${stock_items}
      where ${stock_items.reserved} not between 0 and ${stock_items.on_hand}
        or ${stock_items.on_hand} not between 0 and 1000000000`,
  },
  {
    rule: "I3 an item lies in its warehouse's bin and is of its product's lot",
    noun: "stock item",
    rows: sql`select ${stock_items.id} as id, 1 as expected,
        case when ${bins.warehouse_id} = ${stock_items.warehouse_id}
          and coalesce(${lots.product_id}, ${stock_items.product_id}) = ${stock_items.product_id}
        then 1 else 0 end as actual
      from ${stock_items} join ${bins} on ${bins.id} = ${stock_items.bin_id}
      left join ${lots} on ${lots.id} = ${stock_items.lot_id}`,
  },
  {
    rule: "I7 a transfer has two sides, and what leaves the house names where it went",
    noun: "movement",
    rows: sql`select ${movements.id} as id, 1 as expected,
        case when ${movements.type} = 'transfer'
          then case when ${movements.from_item_id} is not null and ${movements.to_item_id} is not null
            and ${movements.to_place} is null then 1 else 0 end
          else case when (${movements.to_item_id} is null) = (${movements.to_place} is not null) then 1 else 0 end
        end as actual
      from ${movements}`,
  },
  {
    rule: "I9 a reservation that is over wants and holds nothing",
    noun: "reservation",
    rows: sql`select ${reservations.id} as id, 0 as expected,
        sum(${reservation_lines.wanted} + ${reservation_lines.reserved}) as actual
      from ${reservations}
      join ${reservation_lines} on ${reservation_lines.reservation_id} = ${reservations.id}
      where ${reservations.status} in ('released', 'expired') group by ${reservations.id}`,
  },
];

const told_max = 100;

/** Derives every balance of the stock anew and answers what differs, at most a hundred of each rule. */
export async function verifyInventory(db: Db): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { rule, noun, rows } of checks) {
    const found = await db.sql
      .select({
        id: sql<number>`id`.mapWith(Number),
        expected: sql<number>`expected`.mapWith(Number),
        actual: sql<number>`actual`.mapWith(Number),
      })
      .from(sql`(${rows}) as derived`)
      .where(sql`expected <> actual`)
      .limit(told_max);
    for (const { id, expected, actual } of found)
      differences.push({ rule, subject: `${noun} ${id}`, expected, actual });
  }
  return differences;
}

/** All units on hand, and how many of them are promised. */
export async function countUnits(db: Db): Promise<{ on_hand: number; reserved: number }> {
  const sum = (column: SQLWrapper) => sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number);
  const [row] = await db.sql
    .select({ on_hand: sum(stock_items.on_hand), reserved: sum(stock_items.reserved) })
    .from(stock_items);
  return row ?? { on_hand: 0, reserved: 0 };
}
