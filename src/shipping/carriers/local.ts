// The carrier that every installation has: its own courier for live keys, a simulated one for test keys.
import type { Mode } from "../../kit/mode.ts";
import { stateTimeZone } from "../delivery/time_zones.ts";
import type { Offer, Offers } from "../offer.ts";
import { type BuiltInCarrier, builtInCarrier, findService, type Quote, quote } from "../rates/services.ts";
import type { OwnCarrier } from "./connector.ts";

/** The built-in carrier of a mode, as a connector. */
export function builtInConnector(mode: Mode): OwnCarrier {
  const carrier = builtInCarrier(mode);
  const { code, name } = carrier;
  return {
    calls: "nobody",
    code,
    name,
    carriers: async () => [{ code, name, services: carrier.services }],
    offers: async (db, { weight, origin_zone, to, insurance }): Promise<Offers> => {
      const destination_zone = stateTimeZone(to.state, to.country) ?? undefined;
      const { quotes, messages } = quote({ carrier, weight, now: db.now, origin_zone, destination_zone });
      return {
        offers: quotes.map((one) => offerOf(carrier, one)),
        messages: insurance ? [...messages, noInsurance(carrier)] : messages,
      };
    },
  };
}

function offerOf(carrier: BuiltInCarrier, { billable_pounds, ...same }: Quote): Offer {
  return {
    ...same,
    carrier_name: carrier.name,
    service_name: findService(carrier, same.service)?.name ?? same.service,
    cost_cents: same.rate_cents,
    billable_pounds,
    zone: null,
    zone_estimated: false,
    ref: same.service,
  };
}

/** Said when insurance is asked for, which the built-in carrier does not sell. */
function noInsurance({ code, name }: BuiltInCarrier): Offers["messages"][number] {
  const message = `${name} does not insure parcels; its rates are without insurance.`;
  return { carrier: code, service: null, level: "warning", code: "insurance_not_offered", message };
}
