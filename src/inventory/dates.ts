// The fields of dates: a last day, which is a date of the calendar, and the day on which units came.
import { Type } from "@sinclair/typebox";
import { momentField } from "../kit/schema.ts";

const last_day =
  "The last day on which it can be sold, which counts: a date such as `2027-03-31`, in the warehouse's calendar." +
  " A timestamp at 00:00 or 23:59:59 UTC means its date; any other means the day that it is in the warehouse.";

/** An expiry in a request. Read it with `dayOf`, by the zone of the warehouse. */
export const expiryField = (description?: string) =>
  momentField(description === undefined ? last_day : `${description} ${last_day}`);

/** A filter on an expiry. Read it with `dayAsked`. */
export const expiringBeforeField = (description: string) => momentField(`${description} A date such as 2027-03-31.`);

/** When something came or is to come. Read it with `momentIn`, by the zone of the warehouse. */
export const arrivalField = (description: string) =>
  momentField(`${description} A date alone is the start of that day in the warehouse.`);

/** An expiry in an answer. */
export const ExpiryView = () =>
  Type.String({
    format: "date-time",
    description: "The last day, whose date counts: always `<date>T23:59:59.999Z`, whatever the zone.",
  });
