import type { ActorType } from "../../core/actor.ts";
import { iso } from "../../core/clock.ts";
import { wireId } from "../../core/ids.ts";
import { dayEndTextOrNull, dayText, localTime } from "../../core/time_zone.ts";
import { allowedActions } from "../../core/transitions.ts";
import {
  type BinKind,
  hasExpired,
  isAvailable,
  type LotStatus,
  lotActions,
  lotTransitions,
  type SettableLotStatus,
  settableLotStatuses,
} from "../inventory.transitions.ts";
import type { LotSpot } from "../ledger/stock_item.ts";
import { placeShown } from "../warehouses/bin_visibility.ts";

/** A batch of a product. */
export interface Lot {
  readonly id: number;
  readonly merchant_id: number;
  readonly product_id: number;
  readonly lot_number: string;
  readonly received_date: number;
  /** Its last day, in days since 1970-01-01. */
  readonly expires_on: number | null;
  readonly status: LotStatus;
}

/** A batch of a product, with the product's SKU. */
export interface NamedLot extends Lot {
  readonly sku: string;
  readonly revision: number;
  readonly created_at: number;
}

/** The lot fields of a spot; null without a lot. */
export function lotSpot(lot: Lot | null): LotSpot {
  return {
    lot_id: lot?.id ?? null,
    lot_number: lot?.lot_number ?? null,
    lot_status: lot?.status ?? null,
    lot_received_date: lot?.received_date ?? null,
    expires_on: lot?.expires_on ?? null,
  };
}

/** Units of a lot in one bin. */
export interface UnitsOfLot {
  readonly lot_id: number;
  readonly warehouse_id: number;
  readonly timezone: string;
  readonly bin: string;
  readonly bin_kind: BinKind;
  readonly on_hand: number;
  readonly reserved: number;
}

/** A change of a lot's status, or a correction of its dates, which may leave the status as it is. */
export interface LotChange {
  readonly from_status: LotStatus;
  readonly to_status: LotStatus;
  readonly reason: string;
  readonly notes: string | null;
  readonly actor_type: ActorType;
  readonly actor_id: string;
  readonly created_at: number;
}

/** Time zones and a time (ms), which determine the local day in each of them. */
export interface LocalNow {
  /** The zones of the warehouses that hold units of the lot; of all warehouses if none does. */
  readonly zones: readonly string[];
  readonly now: number;
}

/** Whether a lot has expired: its last day is over in every zone. */
export function hasPassed({ expires_on }: Pick<Lot, "expires_on">, { zones, now }: LocalNow): boolean {
  return expires_on !== null && zones.every((zone) => localTime(now, zone).day > expires_on);
}

/** A lot's status at a time: one past its last day counts as expired before the job has marked it. */
export function lotStatus(lot: Lot, at: LocalNow): LotStatus {
  return isAvailable(lot.status) && hasPassed(lot, at) ? lotTransitions.expire.to : lot.status;
}

/** When a lot was received and when it expires. */
export type LotDates = Pick<Lot, "received_date" | "expires_on">;

/** The status of a lot with these dates: time alone decides between available and expired. */
export function correctedStatus(lot: Lot, dates: LotDates, at: LocalNow): LotStatus {
  const isPast = hasPassed(dates, at);
  if (isAvailable(lot.status) && isPast) return lotTransitions.expire.to;
  return hasExpired(lot.status) && !isPast ? lotTransitions.correct.to : lot.status;
}

/** The corrections between two sets of dates, as text; empty when nothing changed. */
export function correctionOf(before: LotDates, after: LotDates): string {
  const expiry = ({ expires_on }: LotDates) => (expires_on === null ? "none" : dayText(expires_on));
  const receipt = ({ received_date }: LotDates) => iso(received_date);
  const dates = [
    { what: "expiry", from: expiry(before), to: expiry(after) },
    { what: "date of receipt", from: receipt(before), to: receipt(after) },
  ];
  return dates
    .filter(({ from, to }) => from !== to)
    .map(({ what, from, to }) => `${what} corrected from ${from} to ${to}`)
    .join("; ");
}

/** The statuses that a client may set for a lot at a time. */
export function allowedStatuses(lot: Lot, at: LocalNow): SettableLotStatus[] {
  const allowed = allowedActions<LotStatus, typeof lotTransitions>(lotTransitions, lotStatus(lot, at), false);
  return settableLotStatuses.filter(
    (status) => allowed.includes(lotActions[status]) && !(isAvailable(status) && hasPassed(lot, at)),
  );
}

/** The lot as lists show it. */
export function lotView(lot: NamedLot, all: readonly UnitsOfLot[], at: LocalNow, shows_bins: boolean) {
  const units = shows_bins ? all : withoutBins(all);
  const sum = (count: (item: UnitsOfLot) => number) => units.reduce((total, item) => total + count(item), 0);
  return {
    id: wireId("lot", lot.id),
    merchant_id: wireId("merchant", lot.merchant_id),
    lot_number: lot.lot_number,
    product_id: wireId("product", lot.product_id),
    sku: lot.sku,
    status: lotStatus(lot, at),
    quantity: sum(({ on_hand }) => on_hand),
    reserved: sum(({ reserved }) => reserved),
    picked: sum(({ bin_kind, reserved }) => (bin_kind === "staging" ? reserved : 0)),
    locations: units.map(({ warehouse_id, bin, bin_kind, on_hand, reserved }) => ({
      warehouse_id: wireId("warehouse", warehouse_id),
      location: placeShown(bin, warehouse_id, shows_bins),
      kind: bin_kind,
      quantity: on_hand,
      reserved,
    })),
    received_date: iso(lot.received_date),
    expiration_date: dayEndTextOrNull(lot.expires_on),
    created_at: iso(lot.created_at),
  };
}

/** Units of a lot by warehouse and kind of bin. */
function withoutBins(units: readonly UnitsOfLot[]): UnitsOfLot[] {
  const sum = (some: readonly UnitsOfLot[], count: "on_hand" | "reserved") =>
    some.reduce((total, item) => total + item[count], 0);
  const places = Map.groupBy(units, ({ warehouse_id, bin_kind }) => `${warehouse_id} ${bin_kind}`);
  return [...places.values()].flatMap((some) =>
    some.slice(0, 1).map((first) => ({ ...first, on_hand: sum(some, "on_hand"), reserved: sum(some, "reserved") })),
  );
}

/** The lot as its detail shows it: with its changes, and the statuses that a client may set. */
export function lotDetail(
  lot: NamedLot,
  units: readonly UnitsOfLot[],
  changes: readonly LotChange[],
  at: LocalNow,
  shows_bins: boolean,
) {
  return {
    ...lotView(lot, units, at, shows_bins),
    allowed_statuses: allowedStatuses(lot, at),
    changes: changes.map(({ from_status, to_status, reason, notes, actor_type, actor_id, created_at }) => ({
      from_status,
      to_status,
      reason,
      notes,
      actor: { type: actor_type, id: actor_id },
      changed_at: iso(created_at),
    })),
  };
}
