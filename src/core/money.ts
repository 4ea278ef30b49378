import { invalid } from "./faults.ts";

// The currencies of ISO 4217 and their decimals. The runtime's own table also has funds, metals and withdrawn
// currencies.

// Excluded: Bolivian, Chilean, Mexican, Swiss, Uruguayan and United States funds, precious metals, units of account,
// the test code XTS and XXX. Nothing is priced in them.
const two_decimals =
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP " +
  "CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES " +
  "KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK " +
  "NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB " +
  "TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
const no_decimals = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const three_decimals = "BHD IQD JOD KWD LYD OMR TND";
// Withdrawn since 2020. Older orders still use them.
const withdrawn = "ANG BGN CUC HRK SLL ZWL";

const decimals = new Map<string, number>([
  ...two_decimals.split(" ").map((code): [string, number] => [code, 2]),
  ...no_decimals.split(" ").map((code): [string, number] => [code, 0]),
  ...three_decimals.split(" ").map((code): [string, number] => [code, 3]),
  ...withdrawn.split(" ").map((code): [string, number] => [code, 2]),
]);

/** The currency of amounts without one. */
export const default_currency = "USD";

/** Whether a text is the code of a supported currency. */
export function isCurrency(code: string): boolean {
  return decimals.has(code);
}

/** The decimals of a currency: 0, 2 or 3. Unknown codes, which only older data can contain, have 2. */
export function decimalsOf(currency: string): number {
  return decimals.get(currency) ?? 2;
}

// Amounts are integers of the currency's minor unit, called cents in code: fils for KWD, whole yen for JPY.

/** The currency for customs values and insurance. */
export const value_currency = "USD";

const decimal = /^(0|[1-9][0-9]{0,12})(\.[0-9]{1,3})?$/;

/** Whether a value is an amount in some currency: decimal text or a number, with at most three decimals. */
export function isAmount(value: string | number): boolean {
  return decimal.test(String(value));
}

/**
 * Reads an amount: `12`, `12.5`, `"12.50"` become 1200, 1250, 1250 US cents. Null for anything else: a sign, more
 * decimals than the currency has, an exponent, more than 13 digits before the point.
 */
export function readCents(amount: string | number, currency: string): number | null {
  const text = String(amount);
  if (!decimal.test(text)) return null;
  const [whole = "0", part = ""] = text.split(".");
  const digits = decimalsOf(currency);
  return part.length > digits ? null : Number(whole + part.padEnd(digits, "0"));
}

/** As `readCents`, for a field of a request. Refuses: validation_failed. */
export function centsOf(amount: string | number, currency: string, field: string): number {
  const cents = readCents(amount, currency);
  if (cents !== null) return cents;
  const most = ["no decimals", "at most one decimal", "at most two decimals", "at most three decimals"];
  throw invalid(field, `must be an amount with ${most[decimalsOf(currency)]} for ${currency} (got ${amount})`);
}

/**
 * Reads an amount from an external source, multiplied by `units`, rounded once, half up, to the minor unit: `12`,
 * `12.345`, `"7.58000"` become 1200, 1235, 758 US cents, and three of `12.345` become 3704. Null for anything else: a
 * sign, an exponent, more than 10 digits before the point or 20 after it.
 */
export function readNearestCents(amount: unknown, currency: string, units = 1): number | null {
  const text = typeof amount === "number" || typeof amount === "string" ? String(amount) : "";
  const [, whole, part = ""] = /^(\d{1,10})(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const digits = decimalsOf(currency);
  const all = BigInt(whole + part.padEnd(digits, "0")) * BigInt(units);
  const one = 10n ** BigInt(Math.max(0, part.length - digits));
  return Number((2n * all + one) / (2n * one));
}

/** Cents as text for a message, with all decimals of the currency. */
export function moneyText(cents: number, currency: string): string {
  return money(cents, currency).toFixed(decimalsOf(currency));
}

/**
 * The share of an amount for `units` of `all` units, in whole cents, rounded half up. Charge a part as the difference
 * between two such shares: then all parts add up to the amount, in any order.
 */
export function shareOf(total_cents: number, units: number, all: number): number {
  // Whole cents per unit first: the remainder times the units is then small enough to be exact.
  const each = Math.floor(total_cents / all);
  const rest = total_cents - each * all;
  return each * units + Math.floor((2 * rest * units + all) / (2 * all));
}

/** Cents as the API writes them: a decimal number with at most the currency's decimals. */
export function money(cents: number, currency: string): number {
  return cents / 10 ** decimalsOf(currency);
}

/** Converts an amount of an older version, in hundredths, to the currency's minor unit, rounded half up. */
export function ofHundredths(hundredths: number, currency: string): number {
  const digits = decimalsOf(currency);
  return digits >= 2 ? hundredths * 10 ** (digits - 2) : Math.floor((hundredths + 50) / 100);
}
