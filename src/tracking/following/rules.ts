import type { CarrierAccount } from "../../shipping/accounts/account.ts";
import { isSelling } from "../../shipping/accounts/status.ts";
import { trackingMeanings } from "../../shipping/updates/status.ts";
import { onlyCarrier } from "../numbers/formats.ts";
import type { TrackingRecord } from "../record.ts";

/** An account that can report on parcels. */
export type Follower = Pick<CarrierAccount, "id" | "status" | "carriers">;

/** The carrier of a number: the one that was named, else the only one whose numbers have this form. */
export function carrierOf(named: string | null | undefined, tracking_number: string): string | null {
  if (named) return named.trim().toLowerCase();
  return onlyCarrier(tracking_number);
}

/** Carrier names are compared by letters and digits only: `dhl_express` equals `DHLExpress`. */
const plain = (carrier: string) => carrier.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The oldest active account that sells for a carrier, or null. */
export function accountFor(carrier: string | null, followers: readonly Follower[]): Follower | null {
  if (carrier === null) return null;
  const sells = ({ status, carriers }: Follower) =>
    isSelling(status) && carriers.some(({ code }) => plain(code) === plain(carrier));
  return followers.find(sells) ?? null;
}

/** Whether the number may be another parcel's by now: carriers reuse their numbers. */
export function isPast(
  record: Pick<TrackingRecord, "created_at" | "status" | "followed">,
  retired_at: number,
): boolean {
  return record.created_at <= retired_at && (record.followed || trackingMeanings[record.status].final);
}
