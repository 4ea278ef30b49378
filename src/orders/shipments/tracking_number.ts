import { invalid } from "../../kit/fault.ts";

// What people and web pages put between the characters of a number: spaces, dashes, and what nobody sees.
const between = /[\s\p{Dash_Punctuation}\u2212\u00ad\u200b-\u200d\u2060]/gu;

/**
 * A tracking number in the one form in which it is kept and looked up: A to Z large, without spaces and dashes, which
 * no carrier's number has. Other signs are part of a number, as in `SHIPPO_TRANSIT`.
 */
export function plainTrackingNumber(text: string): string {
  // Only A to Z, as the databases do it: other letters count as they are written.
  return text.replace(between, "").replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The number in a field of a request, in its plain form; null when none is given. Refuses: validation_failed. */
export function givenTrackingNumber(field: string, text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === "") return null;
  const number = plainTrackingNumber(text);
  if (number === "") throw invalid(field, "must hold a letter or a digit", "invalid_format");
  return number;
}
