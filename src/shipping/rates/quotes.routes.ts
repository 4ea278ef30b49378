import type { Call } from "../../http/call.ts";
import { EnvelopedView, enveloped, jsonResponse } from "../../http/envelope.ts";
import { read, respond, routes } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import type { Db } from "../../storage/database.ts";
import { listActiveAccounts } from "../carriers/accounts.sql.ts";
import { builtIn } from "../carriers/built_in.ts";
import { builtInCarrier } from "./built_in_carrier.ts";
import { carrierView } from "./quote.ts";
import { accountFor, quoteParcel } from "./quote_parcel.ts";
import { CarriersView, GetRates, RatesView } from "./quotes.schema.ts";

/** Routes of rates, and of carriers with their services. */
export function quoteRoutes(service: Service) {
  return routes("Shipping", [
    respond("POST", "/shipping/rates", "shipping.read", {
      id: "getRates",
      summary: "Get the rates of all carriers and services for a parcel",
      description:
        "Asks the built-in carriers and all active carrier accounts at once, for a parcel that you describe or the" +
        " unpacked units of an order. A `quote_id` buys a label at exactly that rate, once, within 15 minutes. A" +
        " carrier that fails or takes longer than 8 seconds is in `messages`; the others still return rates. The" +
        " `shipping_choice` of an order picks a rate, and provides carton and insurance unless the request does;" +
        " `rule_choice` is what its rules would pick.",
      // Quotes are stored.
      refuses: ["ambiguous_identifier", "pickup_order", "resource_missing", "storage_full", "storage_unavailable"],
      body: GetRates,
      answers: { 200: EnvelopedView(RatesView) },
      answer: ({ call, body }) => rates(call, body, service),
    }),
    read("/shipping/carriers", "shipping.read", {
      id: "listCarriers",
      summary: "List the carriers and their services",
      description:
        "Lists the built-in carriers, then those that the last successful test of each active carrier account found." +
        " The codes are what rates and labels take as `carrier` and `service`.",
      view: CarriersView,
      data: async (db, { call }) => ({ carriers: await carriersOf(db, call) }),
    }),
  ]);
}

async function carriersOf(db: Db, call: Call) {
  const { code: connector } = builtInCarrier(db.mode);
  const built_in = (await builtIn.carriers(db)).map((carrier) => ({ ...carrier, connector, account_id: null }));
  const others = (await listActiveAccounts(db)).flatMap(({ id, connector, carriers }) =>
    carriers.map((carrier) => ({ ...carrier, connector, account_id: id })),
  );
  return [...built_in, ...others].map((carrier) => ({ ...carrierView(carrier), ...accountFor(call, carrier) }));
}

async function rates(call: Call, body: GetRates, service: Service): Promise<Response> {
  const { data, now } = await quoteParcel(call, body, service);
  return jsonResponse(call, 200, JSON.stringify(enveloped(data, call.request_id, now)));
}
