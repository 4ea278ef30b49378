import { warehousesOf } from "../../inventory/reservations/allocations.sql.ts";
import type { DispatchCalendar, WarehouseCalendar } from "../../inventory/warehouses/dispatch_calendar.ts";
import { listCalendars } from "../../inventory/warehouses/warehouses.sql.ts";
import type { Db } from "../../storage/database.ts";

/** What determines where an order ships from. */
interface DispatchSource {
  readonly id: number;
  /** The warehouse that it requests, or null. */
  readonly warehouse_id: number | null;
  readonly shipped_at: number | null;
  readonly cancelled_at: number | null;
}

/** The dispatch calendars of an order. */
interface DispatchCalendars {
  /** Those of the warehouses that it ships from: the requested one, or those that hold its units, or the first. */
  readonly calendars: readonly WarehouseCalendar[];
  /** The calendar of its promised ship date: that of the requested warehouse, or of the first. */
  readonly promised_by: DispatchCalendar | null;
}

/** The dispatch calendars of each order. With one warehouse, this is one small query for any number of orders. */
export async function dispatchOf(db: Db, orders: readonly DispatchSource[]): Promise<DispatchCalendars[]> {
  const leaving = await calendarsOf(db, orders);
  const all = await listCalendars(db);
  const [first = null] = all;
  return orders.map(({ warehouse_id }, at) => ({
    calendars: leaving[at] ?? [],
    promised_by: all.find(({ id }) => id === warehouse_id) ?? first,
  }));
}

/** The calendars of the warehouses that each order ships from. */
export async function calendarsOf(
  db: Db,
  orders: readonly DispatchSource[],
): Promise<(readonly WarehouseCalendar[])[]> {
  const all = await listCalendars(db);
  if (all.length < 2) return orders.map(() => all);
  const known = new Map(all.map((calendar) => [calendar.id, calendar]));
  const undecided = orders.filter((order) => order.warehouse_id === null && hasUnits(order));
  const lying = await warehousesOf(
    db,
    undecided.map(({ id }) => id),
  );
  return orders.map(({ id, warehouse_id }) => {
    const own = (warehouse_id === null ? (lying.get(id) ?? []) : [warehouse_id]).flatMap((one) => known.get(one) ?? []);
    return own.length > 0 ? own : all.slice(0, 1);
  });
}

const hasUnits = ({ shipped_at, cancelled_at }: DispatchSource) => shipped_at === null && cancelled_at === null;
