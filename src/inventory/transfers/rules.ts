import { invalid } from "../../kit/fault.ts";
import type { StockItem } from "../ledger/spot.ts";
import { byAge, type Portion } from "../reservations/rules.ts";
import { isPromisable } from "../stock/shelf.ts";
import type { TransferLine, TransferLoad } from "./transfer.ts";

/** What units a line may take, and when (ms). */
interface Source {
  readonly warehouse_id: number;
  readonly now: number;
  /** Whether older orders wait for the units, so that none may be taken. */
  readonly crowded: boolean;
  /** For how many days units must keep to be for sale. */
  readonly min_shelf_life_days: number;
}

/**
 * The units that are shipped for a line: free ones in storage, first expired first, then first received. Units of a lot
 * that is not for sale, or that are too close to expiry, are moved only if the lot is named. Answers fewer if there are
 * not enough.
 */
export function chooseUnits(
  { quantity, lot_number, bin }: Pick<TransferLine, "quantity" | "lot_number" | "bin">,
  items: readonly StockItem[],
  { warehouse_id, now, crowded, min_shelf_life_days }: Source,
): Portion[] {
  const isMeant = (item: StockItem) =>
    item.warehouse_id === warehouse_id &&
    item.bin_kind === "storage" &&
    (bin === null || item.bin === bin) &&
    (lot_number === null ? isPromisable(item, { min_shelf_life_days }, now) : item.lot_number === lot_number);
  const candidates = (crowded ? [] : items)
    .filter(isMeant)
    .map((item) => ({ item, free: item.on_hand - item.reserved }))
    .sort(byAge);
  const portions: Portion[] = [];
  let left = quantity;
  for (const { item, free } of candidates) {
    const units = Math.min(left, free);
    left -= units;
    if (units > 0) portions.push({ item, quantity: units });
  }
  return portions;
}

/** Units of one SKU that arrived. */
interface ArrivedItem {
  readonly sku: string;
  readonly quantity: number;
  readonly lot_number?: string | undefined;
  readonly bin?: string | undefined;
}

/** Units of one load that arrived, and the bin they go to; undefined for the usual one. */
export interface ArrivedUnits {
  readonly load: TransferLoad;
  readonly quantity: number;
  readonly bin: string | undefined;
  /** The item of the request that they belong to. */
  readonly item: number;
}

/**
 * The loads in transit that arrived; without items, all of them. Refuses: validation_failed, for more than is in
 * transit.
 */
export function planArrival(loads: readonly TransferLoad[], items: readonly ArrivedItem[] | undefined): ArrivedUnits[] {
  const open = loads.filter((load) => load.in_transit > 0);
  if (items === undefined) {
    return open.map((load) => ({ load, quantity: load.in_transit, bin: undefined, item: 0 }));
  }
  const left = new Map(open.map((load) => [load, load.in_transit]));
  return items.flatMap(({ sku, quantity, lot_number, bin }, item) => {
    const meant = open.filter(
      (load) => load.sku === sku && (lot_number === undefined || load.lot_number === lot_number),
    );
    const known = meant.reduce((units, load) => units + (left.get(load) ?? 0), 0);
    if (known < quantity) {
      const what = lot_number === undefined ? sku : `lot ${lot_number} of ${sku}`;
      throw invalid(`items[${item}].quantity`, `is more than is in transit: ${known} units of ${what}`, "too_large");
    }
    let missing = quantity;
    const arrived: ArrivedUnits[] = [];
    for (const load of meant) {
      const units = Math.min(missing, left.get(load) ?? 0);
      if (units === 0) continue;
      missing -= units;
      left.set(load, (left.get(load) ?? 0) - units);
      arrived.push({ load, quantity: units, bin, item });
    }
    return arrived;
  });
}
