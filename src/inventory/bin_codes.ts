// Bins are the house's: merchants are told how much lies in which warehouse, and not where in it.
import { invalid } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";

/** Whose key or user asks: a merchant's, or null for the house's. */
interface Asker {
  readonly merchant_id: number | null;
}

/** Whether who asks is shown the codes of bins. */
export const showsBins = ({ merchant_id }: Asker): boolean => merchant_id === null;

/** Where units lie: the bin, or for those who are shown none the warehouse. */
export const placeShown = (code: string, warehouse_id: number, shows_bins: boolean): string =>
  shows_bins ? code : wireId("warehouse", warehouse_id);

/** A bin's code as it is shown; null for those who are shown none. */
export const binShown = (code: string, shows_bins: boolean): string | null => (shows_bins ? code : null);

/** Refuses: validation_failed, for a list by bins that are not shown to who asks. */
export function refuseBins(asker: Asker, named: Readonly<Record<string, string | undefined>>): void {
  if (showsBins(asker)) return;
  const field = Object.keys(named).find((name) => named[name] !== undefined);
  if (field !== undefined) throw invalid(field, "is for the house: merchants are not told where their goods lie");
}
