import { dayText, localTime, type Weekday, weekdayOf, weekdays } from "../../kit/zone.ts";
import { endOfDelivery } from "./delivery_day.ts";

/** The ship day of a parcel and its promised delivery. */
interface DeliveryPromise {
  /** The day it leaves the warehouse, as `YYYY-MM-DD` in the warehouse's zone. */
  readonly ship_date: string;
  /** Milliseconds since 1970, UTC: 20:00 at the destination on the day of delivery. */
  readonly delivery_date: number;
}

/** The days on which a service collects and delivers. */
export interface ServiceDays {
  /** A parcel handed over before this minute of the warehouse's day leaves the same day. */
  readonly cut_off_minute: number;
  readonly ship_days: readonly Weekday[];
  readonly saturday_delivery: boolean;
  readonly sunday_delivery: boolean;
}

/** What a promise is computed from. `now` is in milliseconds; zones are IANA names. */
interface DeliveryQuestion {
  readonly now: number;
  readonly origin_zone: string;
  /** The zone of the recipient; null when unknown, and then the warehouse's zone is used. */
  readonly destination_zone: string | null;
  readonly service: ServiceDays;
  /** Days of delivery, counted after the ship day. */
  readonly transit_days: number;
  /** Whether the carrier neither collects nor delivers on a day, counted from 1970-01-01. */
  readonly isHoliday: (day: number) => boolean;
}

// A service that never collects or delivers gets no date beyond this.
const days_ahead_max = 800;

/** The day on which a parcel leaves, and 20:00 on the day of its delivery. Throws a RangeError for an unknown zone. */
export function promiseDelivery(question: DeliveryQuestion): DeliveryPromise {
  const { now, origin_zone, destination_zone, service, transit_days, isHoliday } = question;
  const { day: today, minute } = localTime(now, origin_zone);
  const ships = (day: number) => service.ship_days.includes(weekdays[weekdayOf(day)] ?? "mon") && !isHoliday(day);
  const delivers = (day: number) => deliversOn(weekdayOf(day), service) && !isHoliday(day);
  const ship_day = nextDay(minute < service.cut_off_minute ? today : today + 1, ships);
  let day = ship_day;
  for (let counted = 0; counted < transit_days; counted++) day = nextDay(day + 1, delivers);
  return {
    ship_date: dayText(ship_day),
    delivery_date: endOfDelivery(day, destination_zone ?? origin_zone),
  };
}

function deliversOn(weekday: number, { saturday_delivery, sunday_delivery }: ServiceDays): boolean {
  return weekday < 5 || (weekday === 5 ? saturday_delivery : sunday_delivery);
}

function nextDay(from: number, fits: (day: number) => boolean): number {
  let day = from;
  while (day < from + days_ahead_max && !fits(day)) day++;
  return day;
}
