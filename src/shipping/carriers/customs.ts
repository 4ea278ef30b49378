// The customs declaration of a parcel, as far as its contents are known.

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
  /** The rule that exempts a parcel out of the United States from a filing of its own; null from other countries. */
  readonly exemption: "30.36" | "30.37(a)" | null;
}

/** Military post offices. The mail asks for a declaration for them although the parcel stays in the country. */
const military: readonly (string | null)[] = ["AA", "AE", "AP"];
const filed_above_cents = 250_000;

/** Whether the parcel passes customs. */
export function needsDeclaration({ from, to }: Carriage): boolean {
  return from.country !== to.country || (to.country === "US" && military.includes(to.state?.toUpperCase() ?? null));
}

/**
 * The declaration of a parcel, or null when too little is known of it or when it asks for more than a label can say.
 */
export function declarationOf(carriage: Carriage): Declaration | null {
  const { from, to } = carriage;
  const goods = goodsOf(carriage);
  const signer = from.address?.name ?? from.address?.company ?? "";
  const dearest = Math.max(...goods.map(({ value_cents }) => value_cents));
  if (goods.length === 0 || signer === "") return null;
  const exemption = from.country !== "US" ? null : to.country === "CA" ? "30.36" : "30.37(a)";
  if (exemption === "30.37(a)" && dearest > filed_above_cents) return null;
  return { goods, signer, returned: carriage.return, exemption };
}

/** The message beside a connector's rates when a declaration is needed but cannot be made. */
export function customsIncomplete(carrier: string): Message {
  const message =
    "The parcel passes customs, but too little is known of its contents to declare them. A label may be refused.";
  return { carrier, service: null, level: "warning", code: "customs_incomplete", message };
}

/** The contents of the parcel; if only its value is known, goods of that value. */
function goodsOf({ contents = [], value_cents, weight, from }: Carriage): DeclaredGoods[] {
  const whole = { description: "Merchandise", quantity: 1, weight, hs_code: null, country_of_origin: null };
  const known = contents.length > 0 ? contents : value_cents === null ? [] : [{ ...whole, value_cents }];
  if (known.some((one) => one.value_cents <= 0)) return [];
  const units = BigInt(known.reduce((sum, { quantity }) => sum + quantity, 0));
  const weighed = known.every((one) => one.weight !== null);
  return known.map((one) => ({
    ...one,
    // Where one weight is missing, the weight of the parcel is shared among all units.
    weight:
      weighed && one.weight !== null
        ? one.weight
        : { numerator: weight.numerator * BigInt(one.quantity), denominator: weight.denominator * units },
    country_of_origin: one.country_of_origin ?? from.country,
  }));
}
