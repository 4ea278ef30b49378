import { type FieldProblem, invalidFields } from "../../../kit/fault.ts";
import { printableLine, unprintableLetters } from "../../../typesetting/text/shaping.ts";
import { missingFonts } from "../../../typesetting/text/typefaces.ts";
import type { Address } from "../../address.ts";

// The names of the printed address fields in the shipping routes.
const printedParts = {
  name: "name",
  company: "company",
  address_line1: "street1",
  address_line2: "street2",
  city: "city",
  state: "state",
  postal_code: "zip",
} as const satisfies Partial<Record<keyof Address, string>>;

/** Refuses: validation_failed, for every field of the addresses with letters that no font here has. */
export function checkPrintable(addresses: Readonly<Record<"from_address" | "to_address", Address>>): void {
  const parts = Object.keys(printedParts) as (keyof typeof printedParts)[];
  const problems = (["from_address", "to_address"] as const).flatMap((field) =>
    parts.flatMap((part): FieldProblem[] => {
      const letters = unprintableLetters(printableLine(addresses[field][part] ?? ""));
      if (letters.length === 0) return [];
      const named = letters.slice(0, 20).map(letterInWords).join(", ");
      const advice = missingFonts(letters.join(""));
      const message = `has letters that no font here can print: ${named}${advice === null ? "" : `. ${advice}`}`;
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
