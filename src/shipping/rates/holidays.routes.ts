import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { missing } from "../../core/faults.ts";
import { bodyOf, queryOf } from "../../core/schema.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { requireMatch } from "../../http/preconditions.ts";
import { answerRead, answerWrite } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import { ownCarriers } from "../../orders/fulfillment/tracking_url.ts";
import type { Db } from "../../storage/database.ts";
import { CarrierField, ChooseYear, HolidaysView, SetHolidays } from "./holidays.schema.ts";
import { getHolidays, listHolidays, lockHolidays } from "./holidays.sql.ts";
import { holidaysView, readHolidays } from "./holidays.ts";
import { setHolidays } from "./rate_cards.ts";

/** Routes of the days on which carriers neither collect nor deliver. */
export const holidayRoutes = new Elysia({ prefix: "/shipping/holidays" })
  .use(conventions)
  .get("", ({ call, query }) => answerRead(call, (db) => listed(db, query)), {
    query: queryOf(ChooseYear),
    detail: documented({
      id: "listHolidays",
      needs: "shipping.read",
      chapter: "Rate cards",
      summary: "List the holidays of carriers",
      description:
        "The built-in carrier comes first. Carriers that are not listed observe the federal" +
        " holidays of the United States.",
      answers: { 200: EnvelopedView(Type.Array(HolidaysView)) },
    }),
  })
  .get(
    "/:carrier",
    ({ call, params, query }) =>
      answerRead(call, async (db) => holidaysView(await getHolidays(db, carrierOf(params.carrier)), query.year)),
    {
      query: queryOf(ChooseYear),
      detail: documented({
        id: "getHolidays",
        needs: "shipping.read",
        chapter: "Rate cards",
        summary: "Get the holidays of a carrier",
        answers: { 200: EnvelopedView(HolidaysView) },
      }),
    },
  )
  .put(
    "/:carrier",
    ({ call, params, body }) =>
      answerWrite(call, 200, async (tx) => {
        const carrier = carrierOf(params.carrier);
        await requireMatch(call, () => lockHolidays(tx, carrier));
        return holidaysView(await setHolidays(tx, carrier, readHolidays(body)), undefined);
      }),
    {
      body: bodyOf(SetHolidays),
      detail: documented({
        id: "setHolidays",
        needs: "shipping.manage",
        chapter: "Rate cards",
        matches: true,
        summary: "Set the holidays of a carrier",
        description: "Replaces all existing holidays. Delivery dates that were already promised do not change.",
        answers: { 200: EnvelopedView(HolidaysView) },
      }),
    },
  );

const form = new RegExp(CarrierField.pattern as string);

/** Returns the carrier code in a path. Refuses: resource_missing. */
function carrierOf(text: string): string {
  if (!form.test(text)) throw missing("carrier", text);
  return text;
}

async function listed(db: Db, query: ChooseYear) {
  const own = await getHolidays(db, ownCarriers[db.mode]);
  const others = (await listHolidays(db)).filter(({ carrier }) => carrier !== own.carrier);
  return [own, ...others].map((set) => holidaysView(set, query.year));
}
