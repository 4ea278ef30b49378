// The Serial Shipping Container Code (SSCC), GS1's parcel number. It has 18 digits: an extension digit, the company
// prefix, a serial and a check digit.

import { checkDigitOf, hasCheckDigit } from "../../products/product.ts";

/** The prefix of test data, from GS1's demonstration range, which no company has. */
export const demonstrationPrefix = "9521234";

const serial_and_prefix_digits = 16;

/** Whether a text can be a GS1 company prefix. It may have extra digits that partition the company's numbers. */
export function isGs1Prefix(text: string): boolean {
  return /^\d{4,12}$/.test(text);
}

/**
 * Returns the SSCC of a serial, a whole number from 1. If the serial is too long, its first digit becomes the extension
 * digit; null when even that overflows.
 */
export function ssccOf(prefix: string, serial: number): string | null {
  const digits = String(serial).padStart(serial_and_prefix_digits + 1 - prefix.length, "0");
  if (digits.length + prefix.length > serial_and_prefix_digits + 1) return null;
  const body = digits.charAt(0) + prefix + digits.slice(1);
  return body + checkDigitOf(body);
}

/** Whether a text is an SSCC: 18 digits with a correct check digit. */
export function isSscc(text: string): boolean {
  return /^\d{18}$/.test(text) && hasCheckDigit(text);
}

/** Whether a text is an SSCC of test data. */
export function isDemonstration(text: string): boolean {
  return isSscc(text) && text.startsWith(demonstrationPrefix, 1);
}

/** Returns the SSCC from a scanned text with the identifier `00`; null for anything else. */
export function scannedSscc(text: string): string | null {
  const [, sscc = ""] = /^(?:\(00\)|00)(\d{18})$/.exec(text) ?? [];
  return isSscc(sscc) ? sscc : null;
}
