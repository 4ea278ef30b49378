// The currencies of ISO 4217 and their decimals, as the standard lists them. The runtime's own table also has funds,
// metals and currencies withdrawn long ago.

// Bolivian, Chilean, Mexican, Swiss, Uruguayan and United States funds, precious metals, units of account, the testing
// code XTS and XXX are left out: nothing is priced in them.
const two_decimals =
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP " +
  "CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES " +
  "KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK " +
  "NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB " +
  "TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG";
const no_decimals = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF";
const three_decimals = "BHD IQD JOD KWD LYD OMR TND";
// Withdrawn since 2020, so that histories of orders still name them.
const withdrawn = "ANG BGN CUC HRK SLL ZWL";

const decimals = new Map<string, number>([
  ...two_decimals.split(" ").map((code): [string, number] => [code, 2]),
  ...no_decimals.split(" ").map((code): [string, number] => [code, 0]),
  ...three_decimals.split(" ").map((code): [string, number] => [code, 3]),
  ...withdrawn.split(" ").map((code): [string, number] => [code, 2]),
]);

/** The currency of what names none. */
export const default_currency = "USD";

/** Whether a text is the code of a currency that amounts can be in. */
export function isCurrency(code: string): boolean {
  return decimals.has(code);
}

/** The decimals of a currency: 0, 2 or 3. An unknown code, which only older data can hold, has 2. */
export function decimalsOf(currency: string): number {
  return decimals.get(currency) ?? 2;
}
