import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { allowedActions } from "../../kit/moves.ts";
import { binShown } from "../bin_codes.ts";
import { type TransferStatus, transferMoves } from "./status.ts";

/** Units of one line and one lot (or of none) that left. The counts change while a transaction works on them. */
export interface TransferLoad {
  readonly id: number;
  readonly transfer_line_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly lot_id: number | null;
  readonly lot_number: string | null;
  /** When the first of the units came to the house. */
  readonly stocked_at: number;
  readonly quantity: number;
  in_transit: number;
  received: number;
  written_off: number;
}

/** What is to be moved of one product; from one lot and bin, when they are named. */
export interface TransferLine {
  readonly id: number;
  readonly transfer_id: number;
  readonly product_id: number;
  readonly sku: string;
  readonly lot_number: string | null;
  readonly bin: string | null;
  readonly quantity: number;
  /** What left for it: none before it is shipped. */
  readonly loads: readonly TransferLoad[];
}

/** Units on their way from one warehouse to another, without its lines. */
export interface PlainTransfer {
  readonly id: number;
  readonly merchant_id: number;
  readonly status: TransferStatus;
  readonly reference: string | null;
  readonly from_warehouse_id: number;
  readonly to_warehouse_id: number;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly shipped_at: number | null;
  readonly received_at: number | null;
  readonly cancelled_at: number | null;
}

/** Units on their way from one warehouse to another. */
export interface Transfer extends PlainTransfer {
  readonly lines: readonly TransferLine[];
}

/** Units on their way from another warehouse. */
export interface InTransit {
  readonly transfer_id: number;
  readonly reference: string | null;
  readonly from_warehouse_id: number;
  readonly to_warehouse_id: number;
  readonly shipped_at: number | null;
  readonly units: number;
}

/** All that left with a transfer. */
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
  const { id, status, reference, from_warehouse_id, to_warehouse_id, lines, version } = transfer;
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
    allowed_actions: allowedActions<TransferStatus, typeof transferMoves>(transferMoves, status, false),
    version,
    created_at: iso(transfer.created_at),
    updated_at: iso(transfer.updated_at),
    shipped_at: isoOrNull(transfer.shipped_at),
    received_at: isoOrNull(transfer.received_at),
    cancelled_at: isoOrNull(transfer.cancelled_at),
  };
}
