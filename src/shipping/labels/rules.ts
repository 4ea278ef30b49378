import { createHash } from "node:crypto";
import { Fault, type FieldProblem, invalid, invalidFields } from "../../kit/fault.ts";
import { invalidChoice } from "../../kit/field_problems.ts";
import { readId, wireId } from "../../kit/ids.ts";
import { printableLine, unprintableLetters } from "../../typesetting/text/shaping.ts";
import type { Address } from "../address.ts";
import type { Quote } from "../quotes/quote.ts";
import type { BuiltInCarrier } from "../rates/carrier.ts";
import type { ReadyCard } from "../rates/offers.ts";
import type { Label } from "./label.ts";

/** For so long after a purchase an equal one counts as a mistake. */
export const duplicate_within_ms = 10 * 60_000;

/** What a purchase names of a carrier. */
interface Named {
  readonly carrier?: string | undefined;
  readonly service?: string | undefined;
  readonly account_id?: string | number | null | undefined;
}

/** The card of the built-in carrier's service that a purchase names. Refuses: validation_failed. */
export function chooseCard(carrier: BuiltInCarrier, cards: readonly ReadyCard[], names: Named): ReadyCard {
  if (names.carrier === undefined) throw invalid("carrier", "is required", "required");
  if (names.carrier !== carrier.code) throw invalidChoice("carrier", names.carrier, [carrier.code]);
  if (names.account_id != null) throw invalid("account_id", `sells no labels of ${carrier.code}, which has no account`);
  if (names.service === undefined) throw invalid("service", "is required", "required");
  const found = cards.find(({ card }) => card.service === names.service);
  if (found !== undefined) return found;
  const codes = cards.map(({ card }) => card.service);
  throw invalidChoice("service", names.service, codes);
}

/** The refusal of a purchase that names in these fields what its quote was not given for. */
export function notQuoted(fields: readonly string[]): Fault {
  const message = "is not what the quote was given for";
  return new Fault("quote_mismatch", `${fields.join(", ")} ${message}.`, {
    fields: fields.map((field) => ({ field, code: "quote_mismatch", message })),
  });
}

/** Refuses: quote_mismatch, when a purchase names another carrier, service or account than its quote. */
export function checkQuotedNames({ offer, account_id }: Quote, named: Named): void {
  const fields = (["carrier", "service"] as const).filter(
    (name) => named[name] !== undefined && named[name] !== offer[name],
  );
  const account = named.account_id == null ? account_id : readId("carrier_account", named.account_id);
  const differing = [...fields, ...(account === account_id ? [] : ["account_id"])];
  if (differing.length > 0) throw notQuoted(differing);
}

/** Refuses: label_in_progress, for a label that is being bought or given back at this moment. */
export function refuseUnderWay({ id, status, void_status }: Pick<Label, "id" | "status" | "void_status">): void {
  const doing = status === "processing" ? "bought" : void_status === "asked" ? "given back" : null;
  if (doing === null) return;
  throw new Fault(
    "label_in_progress",
    `A label is being ${doing} at its carrier. Send the request again in a few seconds.`,
    {
      label_id: wireId("label", id),
      retry_after_seconds: 5,
    },
  );
}

/** Refuses: label_not_voidable, when the parcel of a label is not among those in the house. */
export function refuseLeft({ shipment_id }: Label, in_house: ReadonlySet<number>): void {
  if (shipment_id === null || in_house.has(shipment_id)) return;
  throw new Fault("label_not_voidable", "The parcel has left; create a return instead.", {
    shipment_id: wireId("shipment", shipment_id),
  });
}

/** Whether a label is of one of these parcels. */
export function isIn({ shipment_id }: Pick<Label, "shipment_id">, parcels: ReadonlySet<number>): boolean {
  return shipment_id !== null && parcels.has(shipment_id);
}

// How the shipping routes call what is printed of an address.
const printedParts = {
  name: "name",
  company: "company",
  address_line1: "street1",
  address_line2: "street2",
  city: "city",
  state: "state",
  postal_code: "zip",
} as const satisfies Partial<Record<keyof Address, string>>;

/** Refuses: validation_failed, for every text of the addresses in which there are letters that no font here has. */
export function checkPrintable(addresses: Readonly<Record<"from_address" | "to_address", Address>>): void {
  const parts = Object.keys(printedParts) as (keyof typeof printedParts)[];
  const problems = (["from_address", "to_address"] as const).flatMap((field) =>
    parts.flatMap((part): FieldProblem[] => {
      const letters = unprintableLetters(printableLine(addresses[field][part] ?? ""));
      if (letters.length === 0) return [];
      const message = `has letters that no font here can print: ${letters.slice(0, 20).map(letterInWords).join(", ")}`;
      return [{ field: `${field}.${printedParts[part]}`, code: "unprintable_text", message }];
    }),
  );
  if (problems.length > 0) throw invalidFields(problems);
}

/** A letter and its code points, as in `ཀ (U+0F40)`. */
function letterInWords(letter: string): string {
  const codes = [...letter].map((one) => (one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0"));
  return `${letter} (${codes.map((code) => `U+${code}`).join(" ")})`;
}

/** Equal for purchases in which nothing differs. */
export function purchaseFingerprint(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
