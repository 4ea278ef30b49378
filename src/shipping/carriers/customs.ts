// The customs declaration of a parcel. Nothing in it is guessed: it is made of what the products say, or not at all.

import { value_currency } from "../../kit/money.ts";
import { lackingForCustoms } from "../customs.ts";
import type { Carriage, Content, Message } from "../offer.ts";
import type { Weight } from "../weight.ts";

/** Goods as customs require them: every field is known. */
interface DeclaredGoods extends Content {
  readonly weight: Weight;
  readonly country_of_origin: string;
}

/** What is declared of a parcel. */
export interface Declaration {
  readonly goods: readonly DeclaredGoods[];
  /** Who certifies the declaration. */
  readonly signer: string;
  /** Whether the goods return to the place where they were sold. */
  readonly returned: boolean;
  /**
   * The rule that exempts a parcel out of the United States from a filing of its own; null from other countries, and
   * where the value in US dollars is unknown.
   */
  readonly exemption: "30.36" | "30.37(a)" | null;
}

const filed_above_cents = 250_000;

/**
 * The declaration of a parcel, or null when too little is known of it or when it asks for more than a label can say.
 */
export function declarationOf({ contents = [], from, to, ...carriage }: Carriage): Declaration | null {
  const goods = contents.filter(isDeclarable);
  const signer = from.address?.name ?? from.address?.company ?? "";
  if (goods.length === 0 || goods.length < contents.length || signer === "") return null;
  const in_dollars = goods.every(({ currency }) => currency === value_currency);
  const rule = to.country === "CA" ? "30.36" : in_dollars ? "30.37(a)" : null;
  const exemption = from.country === "US" ? rule : null;
  const dearest = Math.max(...goods.map(({ value_cents }) => value_cents));
  if (exemption === "30.37(a)" && dearest > filed_above_cents) return null;
  return { goods, signer, returned: carriage.return, exemption };
}

const isDeclarable = (one: Content): one is DeclaredGoods =>
  one.weight !== null && one.country_of_origin !== null && one.value_cents > 0;

const named_max = 20;

/** The message beside a connector's rates when a declaration is needed but cannot be made. */
export function customsIncomplete(carrier: string, { contents = [] }: Carriage): Message {
  const lacking = lackingForCustoms(contents).map(({ field }) => field);
  const until = `a label is refused until these are set: ${lacking.slice(0, named_max).join(", ")}.`;
  const unclear = "too little is known of its contents to declare them. A label may be refused.";
  const message = `The parcel passes customs, ${lacking.length > 0 ? `and ${until}` : `but ${unclear}`}`;
  return { carrier, service: null, level: "warning", code: "customs_incomplete", message };
}
