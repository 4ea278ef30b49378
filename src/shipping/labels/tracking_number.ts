import type { Environment } from "../../core/environment.ts";
import { assert } from "../../core/faults.ts";
import type { Site } from "../../core/operator_settings.ts";
import { demonstrationPrefix, isSscc, scannedSscc } from "./sscc.ts";

// Built-in tracking numbers: 2 to 4 letters, a serial of 12 digits, and a check character (ISO 7064 mod 37,36).

/** The prefix of all test numbers. Warehouses cannot use it. */
const testPrefix = "SIM";
/** The prefixes of built-in numbers. */
export const ownPrefixes = { live: "WH", test: testPrefix } as const satisfies Record<Environment, string>;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const serialDigits = 12;
// Prefixes of carriers' own numbers, or easily mistaken for them.
const carrierPrefixes = ["GM", "LX", "RX", "UV", "CN", "SG", "TH", "IN", "HK", "MY"];
const carrierPrefixPattern = /^TB[ACM]/;

/** The suffixes of simulated numbers whose parcels meet an exception, come back, or are not scanned. */
export const simulatedCourses = ["EXC", "RTS", "NSC"] as const;
export type SimulatedCourse = (typeof simulatedCourses)[number];
const simulatedCourse = new RegExp(`(${simulatedCourses.join("|")})$`);

/** Returns what is wrong with a warehouse's tracking prefix; null when it is valid. */
export function trackingPrefixProblem(prefix: string): "invalid_format" | "reserved" | "carrier_format" | null {
  if (!/^[A-Z]{2,4}$/.test(prefix)) return "invalid_format";
  if (prefix === testPrefix) return "reserved";
  return carrierPrefixes.includes(prefix.slice(0, 2)) || carrierPrefixPattern.test(prefix) ? "carrier_format" : null;
}

/** Returns the tracking number of a serial of at most 12 digits: `WH` and 1 make `WH000000000001Q`. */
export function ownTrackingNumber(prefix: string, serial: number): string {
  assert(prefix === testPrefix || trackingPrefixProblem(prefix) === null, `tracking prefix ${prefix} is refused`);
  const fits = Number.isSafeInteger(serial) && serial >= 0 && String(serial).length <= serialDigits;
  assert(fits, `tracking serial ${serial} is not a whole number of at most ${serialDigits} digits`);
  const body = prefix + String(serial).padStart(serialDigits, "0");
  return body + checkCharacter(body);
}

/**
 * Whether a normalized number has the form of a built-in number. It need not exist, so the result reveals nothing about
 * parcels.
 */
export function isOwnNumber(
  { mode, site }: { readonly mode: Environment; readonly site: Site },
  number: string,
): boolean {
  const own = new RegExp(`^${ownPrefixes[mode]}\\d{${serialDigits}}[0-9A-Z]$`);
  const plain = mode === "test" ? number.replace(simulatedCourse, "") : number;
  if (own.test(plain)) return plain.endsWith(checkCharacter(plain.slice(0, -1)));
  const gs1_prefix = mode === "test" ? demonstrationPrefix : site.gs1_prefix;
  const sscc = scannedSscc(number) ?? number;
  return gs1_prefix !== null && isSscc(sscc) && sscc.startsWith(gs1_prefix, 1);
}

/** Returns the ISO 7064 mod 37,36 check character of a text of digits and capital letters. */
export function checkCharacter(body: string): string {
  let carry = 36;
  for (const character of body) {
    const value = alphabet.indexOf(character);
    assert(value >= 0, `no check character for ${JSON.stringify(body)}`);
    const sum = (carry + value) % 36 || 36;
    carry = (sum * 2) % 37;
  }
  return alphabet.charAt((37 - carry) % 36);
}
