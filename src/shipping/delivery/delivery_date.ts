import { dayText, localTime, momentAt, weekdayOf } from "../../kit/zone.ts";

/** When a parcel leaves, and when it is promised to arrive. */
export interface DeliveryPromise {
  /** The day it leaves the warehouse, as `YYYY-MM-DD` in the warehouse's zone. */
  readonly ship_date: string;
  /** Milliseconds since 1970, UTC: 20:00 at the destination on the day of delivery. */
  readonly delivery_date: number;
}

/** What the promise is counted from. `now` is in milliseconds, zones are IANA names. */
export interface DeliveryQuestion {
  readonly now: number;
  readonly origin_zone: string;
  /** The zone of the recipient; without it the warehouse's. */
  readonly destination_zone?: string | undefined;
  /** Packed before this hour of the warehouse's day, a parcel leaves the same day. */
  readonly cut_off_hour: number;
  /** Days on which the carrier delivers, counted after the ship day. */
  readonly transit_days: number;
  /** Days (`YYYY-MM-DD`) on which the carrier neither collects nor delivers. */
  readonly holidays?: ReadonlySet<string> | undefined;
}

const delivery_hour = 20;

/** Counts Monday to Friday, without the holidays, from the ship day. Throws a RangeError when a zone is unknown. */
export function promiseDelivery(question: DeliveryQuestion): DeliveryPromise {
  const { now, origin_zone, cut_off_hour, transit_days, holidays } = question;
  const { day: today, minute } = localTime(now, origin_zone);
  const ship_day = nextWorkday(minute < cut_off_hour * 60 ? today : today + 1, holidays);
  let day = ship_day;
  for (let counted = 0; counted < transit_days; counted++) day = nextWorkday(day + 1, holidays);
  return {
    ship_date: dayText(ship_day),
    delivery_date: momentAt({ day, minute: delivery_hour * 60 }, question.destination_zone ?? origin_zone),
  };
}

function nextWorkday(from: number, holidays: ReadonlySet<string> | undefined): number {
  let day = from;
  while (weekdayOf(day) > 4 || holidays?.has(dayText(day))) day++;
  return day;
}
