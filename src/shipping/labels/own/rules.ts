import { invalid } from "../../../kit/fault.ts";
import { invalidChoice } from "../../../kit/field_problems.ts";
import type { ReadyCard } from "../../rates/offers.ts";
import type { Tariff } from "../../rates/simulated.ts";
import type { NamedOffer } from "../rules.ts";

/** A built-in carrier and its rate card for the service that a purchase names. Refuses: validation_failed. */
export function chooseCard(
  tariffs: readonly Tariff[],
  names: NamedOffer,
): Pick<Tariff, "carrier"> & { readonly card: ReadyCard } {
  if (names.carrier === undefined) throw invalid("carrier", "is required", "required");
  const tariff = tariffs.find(({ carrier }) => carrier.code === names.carrier);
  if (tariff === undefined) {
    throw invalidChoice(
      "carrier",
      names.carrier,
      tariffs.map(({ carrier }) => carrier.code),
    );
  }
  const { carrier, cards } = tariff;
  if (names.account_id != null) {
    throw invalid("account_id", `cannot be given with carrier ${carrier.code}, which has no accounts`);
  }
  if (names.service === undefined) throw invalid("service", "is required", "required");
  const card = cards.find((one) => one.card.service === names.service);
  if (card !== undefined) return { carrier, card };
  throw invalidChoice(
    "service",
    names.service,
    cards.map((one) => one.card.service),
  );
}
