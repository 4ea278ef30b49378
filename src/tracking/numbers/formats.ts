// The tracking numbers of carriers, by form and check digit. Each row is one form: the group `check` is the check
// digit of the group `body`. Nothing is guessed: if a number fits several rows, all of them are answered.
import { countries } from "../../kit/country.ts";
import { carrierPage } from "../../orders/shipments/tracking_url.ts";
import { checkCharacter } from "../../shipping/labels/tracking_number.ts";
import { alternating, type CheckRule, fedexLong, fedexShort, gs1, luhn, s10, sevens } from "./check_digits.ts";

interface NumberFormat {
  readonly carrier: string;
  readonly format: string;
  readonly form: RegExp;
  /** Null where the carrier has no check digit; then only the form counts. */
  readonly check: CheckRule | null;
}

const led =
  (prefix: string, rule: CheckRule): CheckRule =>
  (body) =>
    rule(prefix + body);

const internationalPost = /^[A-Z]{2}(?<body>\d{8})(?<check>\d)(?<country>[A-Z]{2})$/;
const dpdNumber = /^(?<body>\d{27}|\d{14})(?<check>[0-9A-Z])$/;
const zip5 = String.raw`(?:420\d{5})?`;
const impb = String.raw`(?:92\d{3}9|93\d{3}[0-8]|9[45]\d{4})\d{15}`;

const formOf = (form: string) => new RegExp(`^${form}$`);
/** A form whose check digit is at the end, after the body and what precedes that. */
const digits = (body: string, before = "") => formOf(String.raw`${before}(?<body>${body})(?<check>\d)`);

// biome-ignore format: a table is read by its columns.
const formats: readonly NumberFormat[] = [
  { carrier: "ups",         format: "UPS",              check: alternating,    form: digits("[0-9A-Z]{15}", "1Z") },
  { carrier: "ups",         format: "UPS waybill",      check: alternating,    form: digits("\\d{9}", "[AHJKTV]") },
  { carrier: "usps",        format: "USPS IMpb",        check: gs1,            form: digits(impb, zip5) },
  { carrier: "usps",        format: "USPS IMpb",        check: gs1,            form: digits(`${impb}\\d{4}`, zip5) },
  { carrier: "usps",        format: "USPS IMpb",        check: gs1,            form: digits(impb, "420\\d{9}") },
  { carrier: "usps",        format: "USPS IMpb",        check: gs1,            form: digits("94\\d{27}") },
  { carrier: "usps",        format: "USPS 20",          check: gs1,            form: digits("\\d{19}") },
  { carrier: "usps",        format: "USPS legacy 91",   check: gs1,            form: digits("91\\d{19}", zip5) },
  { carrier: "usps",        format: "USPS legacy 91",   check: led("91", gs1), form: digits("\\d{19}") },
  { carrier: "post",        format: "S10",              check: s10,            form: internationalPost },
  { carrier: "fedex",       format: "FedEx 12",         check: fedexShort,     form: digits("\\d{11}") },
  { carrier: "fedex",       format: "FedEx 34",         check: fedexLong, form: digits("\\d{13}", "[0-8]\\d{19}") },
  { carrier: "fedex",       format: "FedEx Ground 15",  check: gs1,            form: digits("\\d{14}") },
  { carrier: "fedex",       format: "FedEx 96",         check: gs1,            form: digits("\\d{14}", "96\\d{5}") },
  { carrier: "fedex",       format: "FedEx SSCC",       check: gs1,            form: digits("\\d{15}", "\\d{2}") },
  { carrier: "dhl_express", format: "DHL Express",      check: sevens,         form: digits("\\d{9,10}") },
  { carrier: "ontrac",      format: "OnTrac",           check: led("4", alternating), form: digits("\\d{13}", "C") },
  { carrier: "ontrac",      format: "OnTrac",           check: led("5", alternating), form: digits("\\d{13}", "D") },
  { carrier: "purolator",   format: "Purolator",        check: luhn,           form: digits("[0-5]\\d{10}") },
  { carrier: "canada_post", format: "Canada Post",      check: gs1,            form: digits("\\d{15}") },
  { carrier: "dpd",         format: "DPD",              check: checkCharacter, form: dpdNumber },
  { carrier: "amazon",      format: "Amazon Logistics", check: null,           form: formOf("TB[ACM]\\d{12}") },
  { carrier: "yunexpress",  format: "YunExpress",       check: null,           form: formOf("YT\\d{16}") },
  { carrier: "gofo",        format: "GOFO Express",     check: null,           form: formOf("GFUS\\d{14}") },
];

/** The carrier of international parcels in countries whose post has a name of its own. */
const posts: Readonly<Record<string, string>> = {
  AU: "australia_post",
  BR: "correios",
  CA: "canada_post",
  CH: "swiss_post",
  CN: "china_post",
  DE: "deutsche_post",
  ES: "correos",
  FR: "la_poste",
  GB: "royal_mail",
  IT: "poste_italiane",
  JP: "japan_post",
  KR: "korea_post",
  NL: "postnl",
  SE: "postnord",
  SG: "singapore_post",
  US: "usps",
};

/** A carrier that a number may belong to. */
interface DetectedCarrier {
  readonly carrier: string;
  /** The name of such numbers. */
  readonly format: string;
  /** Whether a check digit confirms it, or only the form. */
  readonly checked: boolean;
  /** The carrier's public page of the parcel, if known. */
  readonly tracking_url: string | null;
}

/** Every carrier that a number, in its plain form, may belong to by form and check digit. */
export function detectCarriers(number: string): DetectedCarrier[] {
  const found = new Map<string, DetectedCarrier>();
  for (const { carrier: usual, format, form, check } of formats) {
    const match = form.exec(number);
    const { body = "", check: digit, country } = match?.groups ?? {};
    if (match === null || (check !== null && check(body) !== digit)) continue;
    if (country !== undefined && !countries().isValid(country)) continue;
    const carrier = country === undefined ? usual : (posts[country] ?? `${usual}_${country.toLowerCase()}`);
    const tracking_url = carrierPage(carrier, number);
    found.set(`${carrier} ${format}`, { carrier, format, checked: check !== null, tracking_url });
  }
  return [...found.values()];
}
