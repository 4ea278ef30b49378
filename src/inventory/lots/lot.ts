import type { ActorType } from "../../kit/actor.ts";
import { iso, isoOrNull } from "../../kit/clock.ts";
import { wireId } from "../../kit/ids.ts";
import { allowedActions } from "../../kit/moves.ts";
import { placeShown } from "../bin_codes.ts";
import type { LotSpot } from "../ledger/spot.ts";
import { type BinKind, hasExpired, isAvailable, type LotStatus } from "../status.ts";
import { type GivenLotStatus, givenLotStatuses, lotActions, lotMoves } from "./status.ts";

/** A batch of a product. */
export interface Lot {
  readonly id: number;
  readonly merchant_id: number;
  readonly product_id: number;
  readonly lot_number: string;
  readonly received_date: number;
  readonly expiration_date: number | null;
  readonly status: LotStatus;
}

/** A batch of a product, with the product's name and SKU. */
export interface NamedLot extends Lot {
  readonly sku: string;
  readonly version: number;
  readonly created_at: number;
}

/** A lot, or none, as part of a spot. */
export function lotSpot(lot: Lot | null): LotSpot {
  return {
    lot_id: lot?.id ?? null,
    lot_number: lot?.lot_number ?? null,
    lot_status: lot?.status ?? null,
    lot_received_date: lot?.received_date ?? null,
    expiration_date: lot?.expiration_date ?? null,
  };
}

/** Units of a lot in one bin. */
export interface LotUnits {
  readonly lot_id: number;
  readonly warehouse_id: number;
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

/** Whether a lot has expired at this moment (ms). */
export function isPastExpiry({ expiration_date }: Lot, now: number): boolean {
  return expiration_date !== null && expiration_date <= now;
}

/** A lot's status at this moment (ms): one past its expiry counts as expired before the job has noted it. */
export function lotStatus(lot: Lot, now: number): LotStatus {
  return isAvailable(lot.status) && isPastExpiry(lot, now) ? lotMoves.expire.to : lot.status;
}

/** When a lot came and when it expires. */
export type LotDates = Pick<Lot, "received_date" | "expiration_date">;

/** The status of a lot with these dates: time alone decides between available and expired. */
export function correctedStatus(lot: Lot, dates: LotDates, now: number): LotStatus {
  const isPast = isPastExpiry({ ...lot, ...dates }, now);
  if (isAvailable(lot.status) && isPast) return lotMoves.expire.to;
  return hasExpired(lot.status) && !isPast ? lotMoves.correct.to : lot.status;
}

/** What a correction of a lot's dates changed, in words; empty when they stay as they were. */
export function correctionOf(before: LotDates, after: LotDates): string {
  const dates = [
    { what: "expiry", from: before.expiration_date, to: after.expiration_date },
    { what: "date of receipt", from: before.received_date, to: after.received_date },
  ];
  return dates
    .filter(({ from, to }) => from !== to)
    .map(({ what, from, to }) => `${what} corrected from ${isoOrNull(from) ?? "none"} to ${isoOrNull(to) ?? "none"}`)
    .join("; ");
}

/** The statuses that a client may give a lot at this moment (ms). */
export function allowedStatuses(lot: Lot, now: number): GivenLotStatus[] {
  const allowed = allowedActions<LotStatus, typeof lotMoves>(lotMoves, lotStatus(lot, now), false);
  return givenLotStatuses.filter(
    (status) => allowed.includes(lotActions[status]) && !(isAvailable(status) && isPastExpiry(lot, now)),
  );
}

/** The lot as lists show it. */
export function lotView(lot: NamedLot, all: readonly LotUnits[], now: number, shows_bins: boolean) {
  const units = shows_bins ? all : withoutBins(all);
  const sum = (count: (item: LotUnits) => number) => units.reduce((total, item) => total + count(item), 0);
  return {
    id: wireId("lot", lot.id),
    merchant_id: wireId("merchant", lot.merchant_id),
    lot_number: lot.lot_number,
    product_id: wireId("product", lot.product_id),
    sku: lot.sku,
    status: lotStatus(lot, now),
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
    expiration_date: isoOrNull(lot.expiration_date),
    created_at: iso(lot.created_at),
  };
}

/** Units of a lot by warehouse and kind of bin. */
function withoutBins(units: readonly LotUnits[]): LotUnits[] {
  const sum = (some: readonly LotUnits[], count: "on_hand" | "reserved") =>
    some.reduce((total, item) => total + item[count], 0);
  const places = Map.groupBy(units, ({ warehouse_id, bin_kind }) => `${warehouse_id} ${bin_kind}`);
  return [...places.values()].flatMap((some) =>
    some.slice(0, 1).map((first) => ({ ...first, on_hand: sum(some, "on_hand"), reserved: sum(some, "reserved") })),
  );
}

/** The lot as its detail shows it: with its changes, and the statuses that it may get. */
export function lotDetail(
  lot: NamedLot,
  units: readonly LotUnits[],
  changes: readonly LotChange[],
  now: number,
  shows_bins: boolean,
) {
  return {
    ...lotView(lot, units, now, shows_bins),
    allowed_statuses: allowedStatuses(lot, now),
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
