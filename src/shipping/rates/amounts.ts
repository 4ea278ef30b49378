import { decimalsOf } from "../../kit/currency.ts";
import { invalid } from "../../kit/fault.ts";
import { money, ofHundredths, readCents } from "../../kit/money.ts";
import type { Amount, CardContent, CardTerms } from "./card.ts";

/** The terms of a card with each of their amounts changed. */
function withAmounts(terms: CardTerms, change: (cents: number) => number): CardTerms {
  const changed = <Some extends Amount>(some: Some): Some => ({
    ...some,
    price_cents: change(some.price_cents),
    cost_cents: change(some.cost_cents),
  });
  const orNull = <Some extends Amount>(some: Some | null): Some | null => (some === null ? null : changed(some));
  const { residential, additional_handling, large_package, remote_area } = terms.surcharges;
  const { declared_value } = terms;
  return {
    ...terms,
    prices: terms.prices.map(changed),
    minimum: orNull(terms.minimum),
    surcharges: {
      residential: orNull(residential),
      additional_handling: orNull(additional_handling),
      large_package: orNull(large_package),
      remote_area: orNull(remote_area),
    },
    declared_value: declared_value && {
      included_cents: change(declared_value.included_cents),
      per_hundred: changed(declared_value.per_hundred),
      minimum: orNull(declared_value.minimum),
    },
  };
}

/**
 * The terms in another currency, whose amounts read as before: 5 dollars become 5 yen. One that the currency cannot
 * express becomes NaN, for `refuseUnread` where no new one takes its place.
 */
export function inCurrency(terms: CardTerms, currency: string): CardTerms {
  if (decimalsOf(currency) === decimalsOf(terms.currency)) return terms;
  return withAmounts(terms, (cents) => {
    return readCents(money(cents, terms.currency), currency) ?? Number.NaN;
  });
}

/** Refuses: validation_failed, for terms with amounts that their currency cannot express. */
export function refuseUnread(terms: CardTerms): void {
  withAmounts(terms, (cents) => {
    if (!Number.isNaN(cents)) return cents;
    const message = `is ${terms.currency}, which has fewer decimals than amounts of this card: send those again too`;
    throw invalid("currency", message);
  });
}

/** A card as its versions keep it. A version of an older release, without `minor_units`, has amounts in hundredths. */
export type StoredContent = CardContent & { readonly minor_units?: true };

/** The card as its version keeps it. */
export function storedContent(content: CardContent): StoredContent {
  return decimalsOf(content.terms.currency) === 2 ? content : { ...content, minor_units: true };
}

/** The card that a version keeps, with its amounts in the minor unit of its currency. */
export function contentOf({ minor_units, ...content }: StoredContent): CardContent {
  const { terms } = content;
  if (minor_units || decimalsOf(terms.currency) === 2) return content;
  return { ...content, terms: withAmounts(terms, (cents) => ofHundredths(cents, terms.currency)) };
}
