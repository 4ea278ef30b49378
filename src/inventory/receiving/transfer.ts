import { iso, isoOrNull } from "../../core/clock.ts";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { allowedActions } from "../../core/transitions.ts";
import { type TransferStatus, transferTransitions } from "../inventory.transitions.ts";
import type { StockItem } from "../ledger/stock_item.ts";
import { byAge, type StockPortion } from "../reservations/plan_stock.ts";
import { isPromisable } from "../stock/product_stock.ts";
import { binShown } from "../warehouses/bin_visibility.ts";

/**
 * Units of one line and one lot (or of none) that were shipped. The counts change while a transaction works on them.
 */
export interface TransferLoad {
  readonly id: number;
  readonly transfer_line_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  /** When the first of the units was received (ms). */
  readonly stocked_at: number;
  readonly quantity: number;
  in_transit: number;
  received: number;
  written_off: number;
}

/** Units of one product to move; from one lot and bin, if named. */
export interface TransferLine {
  readonly id: number;
  readonly transfer_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly lot_number: string | null;
  readonly bin: string | null;
  readonly quantity: number;
  /** The units shipped for it; none before the transfer is shipped. */
  readonly loads: readonly TransferLoad[];
}

/** A transfer between two warehouses, without its lines. */
export interface PlainTransfer {
  readonly id: number;
  readonly merchant_id: number;
  readonly status: TransferStatus;
  readonly reference: string | null;
  readonly from_warehouse_id: number;
  readonly to_warehouse_id: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly shipped_at: number | null;
  readonly received_at: number | null;
  readonly cancelled_at: number | null;
}

/** A transfer between two warehouses. */
export interface Transfer extends PlainTransfer {
  readonly lines: readonly TransferLine[];
}

/** Units in transit with one transfer. */
export interface InTransit {
  readonly transfer_id: number;
  readonly reference: string | null;
  readonly from_warehouse_id: number;
  readonly to_warehouse_id: number;
  readonly shipped_at: number | null;
  readonly units: number;
}

/** All units that were shipped with a transfer. */
export function loadsOf({ lines }: Transfer): TransferLoad[] {
  return lines.flatMap((line) => line.loads);
}

function countsOf(loads: readonly TransferLoad[]) {
  const sum = (part: "in_transit" | "received" | "written_off") => loads.reduce((units, load) => units + load[part], 0);
  return {
    quantity_in_transit: sum("in_transit"),
    quantity_received: sum("received"),
    quantity_written_off: sum("written_off"),
  };
}

/** The transfer as the API shows it. */
export function transferView(transfer: Transfer, shows_bins = true) {
  const { id, status, reference, from_warehouse_id, to_warehouse_id, lines, revision } = transfer;
  return {
    id: wireId("transfer", id),
    merchant_id: wireId("merchant", transfer.merchant_id),
    status,
    reference,
    from_location: wireId("warehouse", from_warehouse_id),
    to_location: wireId("warehouse", to_warehouse_id),
    items: lines.map(({ sku, lot_number, bin, quantity, loads }) => ({
      sku,
      lot_number,
      bin: bin === null ? null : binShown(bin, shows_bins),
      quantity,
      ...countsOf(loads),
      lots: loads.map((load) => ({ lot_number: load.lot_number, quantity: load.quantity, ...countsOf([load]) })),
    })),
    allowed_actions: allowedActions<TransferStatus, typeof transferTransitions>(transferTransitions, status, false),
    revision,
    created_at: iso(transfer.created_at),
    updated_at: iso(transfer.updated_at),
    shipped_at: isoOrNull(transfer.shipped_at),
    received_at: isoOrNull(transfer.received_at),
    cancelled_at: isoOrNull(transfer.cancelled_at),
  };
}

/** Which units a line may take, and when (ms). */
interface TransferSource {
  readonly warehouse_id: number;
  readonly now: number;
  /** Whether older orders wait for the units, so that none may be taken. */
  readonly crowded: boolean;
  /** Days that units must keep to be for sale. */
  readonly min_shelf_life_days: number;
}

/**
 * The units to ship for a line: free units in storage, first expired first, then first received. Units of a lot that is
 * not for sale, or that are too close to expiry, are moved only if the lot is named. Returns fewer if there are not
 * enough.
 */
export function chooseUnits(
  { quantity, lot_number, bin }: Pick<TransferLine, "quantity" | "lot_number" | "bin">,
  items: readonly StockItem[],
  { warehouse_id, now, crowded, min_shelf_life_days }: TransferSource,
): StockPortion[] {
  const isMeant = (item: StockItem) =>
    item.warehouse_id === warehouse_id &&
    item.bin_kind === "storage" &&
    (bin === null || item.bin === bin) &&
    (lot_number === null ? isPromisable(item, { min_shelf_life_days }, now) : item.lot_number === lot_number);
  const candidates = (crowded ? [] : items)
    .filter(isMeant)
    .map((item) => ({ item, free: item.on_hand - item.reserved }))
    .sort(byAge);
  const portions: StockPortion[] = [];
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

/** Units of one load that arrived, and the bin they go to; undefined for the default bin. */
export interface ArrivedUnits {
  readonly load: TransferLoad;
  readonly quantity: number;
  readonly bin: string | undefined;
  /** The item of the request that they belong to. */
  readonly item: number;
}

/**
 * The loads in transit that arrived; without items, all of them. Refuses: validation_failed (more than is in transit).
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
      throw invalid(`items[${item}].quantity`, `is more than the ${known} units of ${what} in transit`, "too_large");
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
