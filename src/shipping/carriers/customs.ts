// What customs are told of a parcel, as far as anybody knows what is in it.

import type { Carriage, Content, Message } from "../offer.ts";
import type { Weight } from "../weight.ts";

/** Goods as customs want them: nothing of it is unknown. */
interface DeclaredGoods extends Content {
  readonly weight: Weight;
  readonly country_of_origin: string;
}

/** What is declared of a parcel. */
export interface Declaration {
  readonly goods: readonly DeclaredGoods[];
  /** Who vouches for it. */
  readonly signer: string;
  /** Whether the goods come back to where they were sold. */
  readonly returned: boolean;
  /** Why a parcel out of the United States needs no filing of its own, by the rule's number; null from elsewhere. */
  readonly exemption: "30.36" | "30.37(a)" | null;
}

/** The posts of the armed forces, to which the mail asks for a declaration though it stays in the country. */
const military: readonly (string | null)[] = ["AA", "AE", "AP"];
const filed_above_cents = 250_000;

/** Whether customs see the parcel on its way. */
export function needsDeclaration({ from, to }: Carriage): boolean {
  return from.country !== to.country || (to.country === "US" && military.includes(to.state?.toUpperCase() ?? null));
}

/** What can be declared of a parcel, or null when too little is known of it, or more than a label can say is asked. */
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

/** What is said beside a connector's rates where a declaration is needed and nothing can be declared. */
export function customsIncomplete(carrier: string): Message {
  const message =
    "Customs see the parcel, and too little is known of what is in it to declare it: a label may be refused.";
  return { carrier, service: null, level: "warning", code: "customs_incomplete", message };
}

/** What is in the parcel; where only its value is known, goods of that value. */
function goodsOf({ contents = [], value_cents, weight, from }: Carriage): DeclaredGoods[] {
  const whole = { description: "Merchandise", quantity: 1, weight, hs_code: null, country_of_origin: null };
  const known = contents.length > 0 ? contents : value_cents === null ? [] : [{ ...whole, value_cents }];
  if (known.some((one) => one.value_cents <= 0)) return [];
  const units = BigInt(known.reduce((sum, { quantity }) => sum + quantity, 0));
  const weighed = known.every((one) => one.weight !== null);
  return known.map((one) => ({
    ...one,
    // Where one weight is missing, all of them are the parcel's, shared by units.
    weight:
      weighed && one.weight !== null
        ? one.weight
        : { numerator: weight.numerator * BigInt(one.quantity), denominator: weight.denominator * units },
    country_of_origin: one.country_of_origin ?? from.country,
  }));
}
