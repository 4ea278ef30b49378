import { Type } from "@sinclair/typebox";
import { missing } from "../../core/faults.ts";
import { read, routes, write } from "../../http/routes.ts";
import { ownCarriers } from "../../orders/fulfillment/tracking_url.ts";
import { CarrierField, ChooseYear, HolidaysView, SetHolidays } from "./holidays.schema.ts";
import { getHolidays, listHolidays, lockHolidays } from "./holidays.sql.ts";
import { holidaysView, readHolidays } from "./holidays.ts";
import { setHolidays } from "./rate_cards.ts";

/** Routes of the days on which carriers neither collect nor deliver. */
export const holidayRoutes = routes("Rate cards", [
  read("/shipping/holidays", "shipping.read", {
    id: "listHolidays",
    summary: "List the holidays of carriers",
    description:
      "A carrier neither collects nor delivers on its holidays, so delivery dates skip them. Lists the built-in" +
      " carrier, then all carriers whose holidays were set. All others observe the federal holidays of the United" +
      " States.",
    query: ChooseYear,
    view: Type.Array(HolidaysView),
    data: async (db, { query }) => {
      const own = await getHolidays(db, ownCarriers[db.mode]);
      const others = (await listHolidays(db)).filter(({ carrier }) => carrier !== own.carrier);
      return [own, ...others].map((set) => holidaysView(set, query.year));
    },
  }),
  read("/shipping/holidays/:carrier", "shipping.read", {
    id: "getHolidays",
    summary: "Get the holidays of a carrier",
    description:
      "Returns the rules and the single dates, and with `year` all holidays in that year. A carrier whose holidays" +
      " were never set observes the federal holidays of the United States.",
    query: ChooseYear,
    view: HolidaysView,
    data: async (db, { params, query }) => holidaysView(await getHolidays(db, carrierOf(params.carrier)), query.year),
  }),
  write("PUT", "/shipping/holidays/:carrier", "shipping.manage", {
    id: "setHolidays",
    summary: "Set the holidays of a carrier",
    description:
      "Replaces all holidays of the carrier, rules and single dates. Rates from then on skip them; delivery dates" +
      " that were already promised do not change. Rate cards name the carrier whose holidays apply.",
    body: SetHolidays,
    view: HolidaysView,
    matches: (tx, { params }) => lockHolidays(tx, carrierOf(params.carrier)),
    act: async (tx, { params, body }) =>
      holidaysView(await setHolidays(tx, carrierOf(params.carrier), readHolidays(body)), undefined),
  }),
]);

const form = new RegExp(CarrierField.pattern as string);

/** Returns the carrier code in a path. Refuses: resource_missing. */
function carrierOf(text: string): string {
  if (!form.test(text)) throw missing("carrier", text);
  return text;
}
