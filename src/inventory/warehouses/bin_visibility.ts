// Bins are internal to the operator: merchants see the units per warehouse, but not the bins.
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";

/** The merchant of the key or user that makes a request; null for the operator's. */
interface BinViewer {
  readonly merchant_id: number | null;
}

/** Whether the viewer sees the codes of bins. */
export const showsBins = ({ merchant_id }: BinViewer): boolean => merchant_id === null;

/** Where units are: the bin, or the warehouse for viewers who see no bins. */
export const placeShown = (code: string, warehouse_id: number, shows_bins: boolean): string =>
  shows_bins ? code : wireId("warehouse", warehouse_id);

/** A bin's code as it is shown; null for viewers who see no bins. */
export const binShown = (code: string, shows_bins: boolean): string | null => (shows_bins ? code : null);

/** The fields of a stock event that name places. */
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

/** The data of an event for receivers who see no bins: stock is shown by warehouse. */
export function dataWithoutBins<Data extends object>(data: Data): Data {
  const { object, locations, received } = data as EventLocations;
  if (object !== "inventory_item") return data;
  return {
    ...data,
    ...(locations !== undefined && { locations: locationsWithoutBins(locations) }),
    ...(received !== undefined && { received: { ...received, location: received.warehouse_id } }),
  };
}

/** Places without their bins, with equal ones merged, in the order of the first of each. */
function locationsWithoutBins(places: readonly EventLocation[]): EventLocation[] {
  const merged = new Map<string, EventLocation>();
  for (const place of places) {
    const shown = { ...place, location: place.warehouse_id };
    const key = JSON.stringify({ ...shown, quantity: 0 });
    merged.set(key, { ...shown, quantity: (merged.get(key)?.quantity ?? 0) + place.quantity });
  }
  return [...merged.values()];
}

/** Refuses: validation_failed (a filter by bins that the viewer does not see). */
export function refuseBins(viewer: BinViewer, named: Readonly<Record<string, string | undefined>>): void {
  if (showsBins(viewer)) return;
  const field = Object.keys(named).find((name) => named[name] !== undefined);
  if (field !== undefined) throw invalid(field, "is not available to merchants, who do not see bins");
}
