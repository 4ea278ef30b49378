import { asc, eq, sql as template } from "drizzle-orm";
import { forUpdate } from "../../../db/kit.ts";
import { holiday_sets } from "../../../db/schema/rates.ts";
import type { Db, Tx } from "../../storage/database.ts";
import { takeTurn } from "../../storage/leases.ts";
import { prepared, type StatementArgs } from "../../storage/statements.ts";
import type { CarrierHolidays } from "./holidays.ts";
import { federalHolidays, type HolidaySet } from "./holidays.ts";

const ofCarrier = prepared((select, a: StatementArgs<{ carrier: string }>) =>
  select.select().from(holiday_sets).where(eq(holiday_sets.carrier, a.carrier)),
);
const ofCarrierLocked = prepared((select, a: StatementArgs<{ carrier: string }>) =>
  forUpdate(select.select().from(holiday_sets).where(eq(holiday_sets.carrier, a.carrier))),
);

/** Returns the days on which a carrier rests. The default is the federal holidays of the United States. */
export async function getHolidays(db: Db, carrier: string): Promise<CarrierHolidays> {
  const [set] = await ofCarrier(db, { carrier });
  return set ?? defaultHolidays(carrier);
}

const defaultHolidays = (carrier: string): CarrierHolidays => ({
  carrier,
  ...federalHolidays,
  revision: 0,
  updated_at: null,
});

/** Like `getHolidays`, but locks them until the transaction ends. */
export async function lockHolidays(tx: Tx, carrier: string): Promise<CarrierHolidays> {
  const [set] = await ofCarrierLocked(tx, { carrier });
  if (set !== undefined) return set;
  // Before the first holidays are set there is no row to lock. The turn makes the second of two concurrent
  // transactions see the row of the first.
  await takeTurn(tx, "shipping.holidays");
  const [inserted] = await ofCarrierLocked(tx, { carrier });
  return inserted ?? defaultHolidays(carrier);
}

/** Lists the holidays of all carriers that have their own. */
export async function listHolidays(db: Db): Promise<CarrierHolidays[]> {
  return db.sql.select().from(holiday_sets).orderBy(asc(holiday_sets.carrier));
}

/** Saves a carrier's holidays and increases their revision by one. */
export async function saveHolidays(tx: Tx, { carrier, revision }: CarrierHolidays, set: HolidaySet): Promise<void> {
  const row = { rules: set.rules, days: set.days, updated_at: tx.now };
  await tx.sql
    .insert(holiday_sets)
    .values({ carrier, ...row, revision: revision + 1 })
    .onConflictDoUpdate({
      target: holiday_sets.carrier,
      set: { ...row, revision: template`${holiday_sets.revision} + 1` },
    });
}
