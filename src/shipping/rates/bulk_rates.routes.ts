import type { Static } from "@sinclair/typebox";
import { isoOrNull } from "../../core/clock.ts";
import { asFault, Fault } from "../../core/faults.ts";
import { readId, wireId } from "../../core/ids.ts";
import { money, readCents } from "../../core/money.ts";
import { dayText, localTime } from "../../core/time_zone.ts";
import type { Call } from "../../http/call.ts";
import { EnvelopedView, enveloped, jsonResponse } from "../../http/envelope.ts";
import { respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { shipBy } from "../../orders/fulfillment/ship_dates.ts";
import { findOrderRows } from "../../orders/lifecycle/order_lookup.sql.ts";
import type { Order } from "../../orders/order.ts";
import { differingService } from "../../orders/shipping_rules/compare_with_rules.ts";
import { BulkRatesView, GetBulkRates } from "./bulk_rates.schema.ts";
import { quoteParcel } from "./quote_parcel.ts";
import type { RatesView } from "./quotes.schema.ts";

/** The route that prices many orders before their labels are bought. */
export const bulkRateRoutes = (service: Service) =>
  routes("Shipping", [
    respond("POST", "/shipping/rates/bulk", "shipping.read", {
      id: "getBulkRates",
      summary: "Get the rates that the choices of up to 500 orders pick",
      description:
        "Requests rates for each order as `POST /shipping/rates` does, and returns the one that its" +
        " `shipping_choice` picks, with a quote that buys a label at that price. A carrier that fails ends its rows" +
        " with an error; rows that are not reached within 45 seconds end with `carrier_timeout`.",
      refuses: ["storage_full", "storage_unavailable"],
      body: GetBulkRates,
      answers: { 200: EnvelopedView(BulkRatesView) },
      answer: ({ call, body }) => bulkRates(call, body, service),
    }),
  ]);

type BulkRow = Static<typeof BulkRatesView>["orders"][number];

const at_once = 4;
const wait_ms_max = 45_000;

async function bulkRates(call: Call, body: GetBulkRates, service: Service): Promise<Response> {
  const ids = body.order_ids.map((order_id) => readId("order", order_id) ?? 0);
  const numbers = new Map(
    (await call.store.read((db) => findOrderRows(db, ids))).map(({ id, order_number }) => [id, order_number]),
  );
  const ends_at = performance.now() + wait_ms_max;
  const rows: BulkRow[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < ids.length; at = next++) {
      const id = ids[at] ?? 0;
      // Other requests run between two orders.
      await new Promise(setImmediate);
      const late = performance.now() > ends_at;
      const row = late ? tooLate() : await rowOf(call, id, body.package, service).catch(asFault);
      const none = {
        choice: null,
        rate: null,
        cheapest: null,
        rule_rate: null,
        ship_by: null,
        in_time: null,
        differs: null,
        parcel: null,
      };
      const error = row instanceof Fault ? { code: row.code, message: row.message } : null;
      const known = { order_id: wireId("order", id), order_number: numbers.get(id) ?? null };
      rows[at] = row instanceof Fault ? { ...known, ...none, error } : { ...known, ...row };
    }
  };
  await Promise.all(Array.from({ length: at_once }, work));
  const data = { orders: rows, ...sumsOf(rows) };
  return jsonResponse(call, 200, JSON.stringify(enveloped(data, call.request_id, call.store.clock.now())));
}

const tooLate = () =>
  new Fault("carrier_timeout", "There was no time left to ask carriers about this order. Request it again.");

/** The rates of one order. Refuses: resource_missing, validation_failed, storage_full, storage_unavailable. */
async function rowOf(call: Call, order_id: number, parcel: GetBulkRates["package"], service: Service) {
  const body = { order_id: wireId("order", order_id), ...parcel };
  const { data, order, offers, decisions } = await quoteParcel(call, body, service);
  const rate = data.rates.find(({ chosen }) => chosen) ?? null;
  return {
    choice: data.choice,
    rate,
    cheapest: data.rates[0] ?? null,
    rule_rate: data.rates.find(({ quote_id }) => quote_id === data.rule_choice?.quote_id) ?? null,
    ship_by: order && isoOrNull(shipBy(order)),
    in_time: order && inTime(order, rate?.ship_date ?? null),
    differs: order && differingService(order, decisions),
    parcel: data.parcel,
    error: rate === null ? whyNone(data.messages, offers.length, order?.shipping_choice?.carrier ?? null) : null,
  };
}

type RateMessages = Static<typeof RatesView>["messages"];

/** Why an order has no rate, unless its choice is the reason: the failure of its carrier, or no carrier offers any. */
function whyNone(messages: RateMessages, offered: number, chosen: string | null): BulkRow["error"] {
  const failed = messages.find(({ level, carrier }) => level === "error" && (chosen === null || carrier === chosen));
  const found = failed ?? (offered === 0 ? messages[0] : undefined);
  if (found !== undefined) return { code: found.code, message: found.message };
  return offered > 0 ? null : { code: "no_rate", message: "No carrier offers a rate for this parcel." };
}

/** Whether an order that leaves on a day (`YYYY-MM-DD`) keeps its promise; null when either is unknown. */
function inTime(order: Order, ship_date: string | null): boolean | null {
  const [at, calendar] = [shipBy(order), order.promised_by];
  if (ship_date === null || at === null || calendar === null) return null;
  return ship_date <= dayText(localTime(at, calendar.timezone).day);
}

/** The sum of the picked rates, by currency. */
function sumsOf(rows: readonly BulkRow[]) {
  const picked = rows.flatMap(({ rate }) => (rate === null ? [] : rate));
  const totals = [...Map.groupBy(picked, ({ currency }) => currency)].map(([currency, rates]) => {
    const cents = rates.reduce((sum, { rate }) => sum + (readCents(rate, currency) ?? 0), 0);
    return { currency, count: rates.length, total: money(cents, currency) };
  });
  return { totals, picked: picked.length, open: rows.length - picked.length };
}
