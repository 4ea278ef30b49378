import { invalid } from "../../../kit/fault.ts";
import { invalidChoice } from "../../../kit/field_problems.ts";
import type { BuiltInCarrier } from "../../rates/carrier.ts";
import type { ReadyCard } from "../../rates/offers.ts";
import type { NamedOffer } from "../rules.ts";

/** The rate card of the built-in carrier's service that a purchase names. Refuses: validation_failed. */
export function chooseCard(carrier: BuiltInCarrier, cards: readonly ReadyCard[], names: NamedOffer): ReadyCard {
  if (names.carrier === undefined) throw invalid("carrier", "is required", "required");
  if (names.carrier !== carrier.code) throw invalidChoice("carrier", names.carrier, [carrier.code]);
  if (names.account_id != null)
    throw invalid("account_id", `cannot be given with carrier ${carrier.code},` + " which has no accounts");
  if (names.service === undefined) throw invalid("service", "is required", "required");
  const found = cards.find(({ card }) => card.service === names.service);
  if (found !== undefined) return found;
  const codes = cards.map(({ card }) => card.service);
  throw invalidChoice("service", names.service, codes);
}
