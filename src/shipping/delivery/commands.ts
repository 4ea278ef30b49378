import { isDeepStrictEqual } from "node:util";
import type { Tx } from "../../database/store.ts";
import type { HolidaySet } from "./holidays.ts";
import type { KeptHolidays } from "./rules.ts";
import { getHolidays, lockHolidays, saveHolidays } from "./store.ts";

/** Sets the days on which a carrier rests; the same days change nothing. */
export async function setHolidays(tx: Tx, carrier: string, set: HolidaySet): Promise<KeptHolidays> {
  const before = await lockHolidays(tx, carrier);
  const same = before.version > 0 && isDeepStrictEqual({ rules: before.rules, days: before.days }, set);
  if (same) return before;
  await saveHolidays(tx, before, set);
  return getHolidays(tx, carrier);
}
