// Bins are the house's: merchants are told how much lies in which warehouse, and not where in it.
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";

/** Whose key or user asks: a merchant's, or null for the house's. */
interface BinViewer {
  readonly merchant_id: number | null;
}

/** Whether who asks is shown the codes of bins. */
export const showsBins = ({ merchant_id }: BinViewer): boolean => merchant_id === null;

/** Where units lie: the bin, or for those who are shown none the warehouse. */
export const placeShown = (code: string, warehouse_id: number, shows_bins: boolean): string =>
  shows_bins ? code : wireId("warehouse", warehouse_id);

/** A bin's code as it is shown; null for those who are shown none. */
export const binShown = (code: string, shows_bins: boolean): string | null => (shows_bins ? code : null);

/** What an event tells of stock, as far as its bins are concerned. */
interface EventLocations {
  readonly object?: unknown;
  readonly locations?: readonly EventLocation[];
  readonly received?: Pick<EventLocation, "warehouse_id" | "location">;
}

interface EventLocation {
  readonly warehouse_id: string;
  readonly location: string;
  readonly quantity: number;
}

/** The data of an event for those who are shown no bins: of stock it tells what levels tell them. */
export function dataWithoutBins<Data extends object>(data: Data): Data {
  const { object, locations, received } = data as EventLocations;
  if (object !== "inventory_item") return data;
  return {
    ...data,
    ...(locations !== undefined && { locations: locationsWithoutBins(locations) }),
    ...(received !== undefined && { received: { ...received, location: received.warehouse_id } }),
  };
}

/** The places of units by all that is told of them but their bins, in the order of the first of each. */
function locationsWithoutBins(places: readonly EventLocation[]): EventLocation[] {
  const found = new Map<string, EventLocation>();
  for (const place of places) {
    const shown = { ...place, location: place.warehouse_id };
    const key = JSON.stringify({ ...shown, quantity: 0 });
    found.set(key, { ...shown, quantity: (found.get(key)?.quantity ?? 0) + place.quantity });
  }
  return [...found.values()];
}

/** Refuses: validation_failed, for a list by bins that are not shown to who asks. */
export function refuseBins(asker: BinViewer, named: Readonly<Record<string, string | undefined>>): void {
  if (showsBins(asker)) return;
  const field = Object.keys(named).find((name) => named[name] !== undefined);
  if (field !== undefined) throw invalid(field, "is for the house: merchants are not told where their goods lie");
}
