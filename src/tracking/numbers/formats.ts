// The tracking numbers of carriers, by form and check digit. Each row is one form: the group `check` is the check
// digit of the group `body`. Nothing is guessed: if a number fits several rows, all of them are returned.
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
  /** Other carriers' numbers often look the same, and there is no check digit to tell them apart. */
  readonly vague?: boolean;
}

const led =
  (prefix: string, rule: CheckRule): CheckRule =>
  (body) =>
    rule(prefix + body);

const internationalPost = /^[A-Z]{2}(?<body>\d{8})(?<check>\d)(?<country>[A-Z]{2})$/;
const dpdNumber = /^(?<body>\d{27}|\d{14})(?<check>[0-9A-Z])$/;
// The barcode holds a FedEx number of 12 digits, and more digits after it.
const astra = /^3\d{15}(?<body>\d{11})(?<check>\d)\d{4}$/;
const globalMail = "(?:GM|LX|RX|UV|CN|SG|TH|IN|HK|MY)";
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
  { carrier: "fedex",       format: "FedEx Ground GSN", check: fedexLong, form: digits("\\d{13}", "96\\d{18}") },
  { carrier: "fedex",       format: "FedEx ASTRA",      check: fedexShort,     form: astra },
  { carrier: "fedex",       format: "FedEx Economy",    check: led("92", gs1), form: digits("6129\\d{15}") },
  { carrier: "dhl_express", format: "DHL Express",      check: sevens,         form: digits("\\d{9,10}") },
  { carrier: "dhl_express", format: "DHL piece id",     check: null,           form: formOf("J[A-Z]{2,3}\\d{9,10}") },
  { carrier: "dhl_express", format: "DHL piece id",     check: null,           form: formOf("JD\\d{18}") },
  { carrier: "dhl_ecommerce", format: "DHL eCommerce",  check: null, form: formOf(`${globalMail}\\d{10,39}`) },
  { carrier: "dhl_ecommerce", format: "DHL eCommerce 14", check: null, form: formOf("\\d{14}"), vague: true },
  { carrier: "ontrac",      format: "OnTrac",           check: led("4", alternating), form: digits("\\d{13}", "C") },
  { carrier: "ontrac",      format: "OnTrac",           check: led("5", alternating), form: digits("\\d{13}", "D") },
  { carrier: "ontrac",      format: "LaserShip L",      check: null, form: formOf("L[AEHINX][1-3]\\d{7}") },
  { carrier: "ontrac",      format: "LaserShip 1LS7",   check: null, form: formOf("1LS7[12]\\d{10}(?:\\d1)?") },
  { carrier: "ontrac",      format: "LaserShip 1LSCX",  check: null, form: formOf("1LSCX[0-9A-Z]{10}") },
  { carrier: "old_dominion", format: "Old Dominion",    check: luhn, form: digits("(?:77[78]|072)\\d{7}|80\\d{8}") },
  { carrier: "purolator",   format: "Purolator",        check: luhn,           form: digits("[0-5]\\d{10}") },
  { carrier: "purolator",   format: "Purolator alpha",  check: null, form: formOf("[A-Z]{3}\\d{9}"), vague: true },
  { carrier: "canpar",      format: "Canpar",           check: null,           form: formOf("[CDKLSUXZ]\\d{21}") },
  { carrier: "canada_post", format: "Canada Post",      check: gs1,            form: digits("\\d{15}") },
  { carrier: "dpd",         format: "DPD",              check: checkCharacter, form: dpdNumber },
  { carrier: "spee_dee",    format: "Spee-Dee",         check: null,           form: formOf("SP\\d{18}") },
  { carrier: "yodel",       format: "Yodel",            check: null,           form: formOf("JJ?D\\d{16}") },
  { carrier: "landmark",    format: "Landmark Global",  check: null,           form: formOf("LTN\\d{8}N1") },
  { carrier: "amazon",      format: "Amazon Logistics", check: null,           form: formOf("TB[ACM]\\d{12}") },
  { carrier: "amazon",      format: "Amazon International", check: null, form: formOf("[ACF]\\d{10}"), vague: true },
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

/** A carrier whose numbers have the form of a number, but another check digit. */
export interface WrongCheckDigit {
  readonly carrier: string;
  readonly format: string;
  readonly check_digit: string;
  /** The check digit of the number if all its other characters are right. */
  readonly expected: string;
}

/** A row of the table that a number has the form of. */
interface Fit extends Omit<WrongCheckDigit, "check_digit" | "expected"> {
  readonly vague: boolean;
  /** Null where there is no check digit. */
  readonly check: Pick<WrongCheckDigit, "check_digit" | "expected"> | null;
}

function fitsOf(number: string): Fit[] {
  return formats.flatMap(({ carrier: usual, format, form, check, vague = false }) => {
    const groups = form.exec(number)?.groups ?? (form.test(number) ? {} : null);
    if (groups === null) return [];
    const { body = "", check: check_digit = "", country } = groups;
    if (country !== undefined && !countries().isValid(country)) return [];
    const carrier = country === undefined ? usual : (posts[country] ?? `${usual}_${country.toLowerCase()}`);
    return { carrier, format, vague, check: check === null ? null : { check_digit, expected: check(body) } };
  });
}

const isRight = ({ check }: Fit) => check === null || check.check_digit === check.expected;

/** Every carrier that a number, in its plain form, may belong to by form and check digit. */
export function detectCarriers(number: string): DetectedCarrier[] {
  const found = new Map<string, DetectedCarrier>();
  for (const { carrier, format, check } of fitsOf(number).filter(isRight)) {
    const tracking_url = carrierPage(carrier, number);
    found.set(`${carrier} ${format}`, { carrier, format, checked: check !== null, tracking_url });
  }
  return [...found.values()];
}

/** The only carrier that a number can belong to; null if there are several, or its form alone says too little. */
export function onlyCarrier(number: string): string | null {
  const fits = fitsOf(number).filter(isRight);
  const [carrier = null, ...others] = new Set(fits.map((fit) => fit.carrier));
  return others.length > 0 || fits.every(({ vague }) => vague) ? null : carrier;
}

/**
 * The check digits that a number would have to have, where it fits the forms of carriers and none of their check digits
 * is right: it was probably mistyped. Of the named carrier alone, if one is named.
 */
export function wrongCheckDigits(number: string, named: string | null): WrongCheckDigit[] {
  const letters = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const isMeant = ({ carrier }: Fit) => named === null || letters(carrier).startsWith(letters(named));
  const fits = fitsOf(number).filter(isMeant);
  if (fits.some((fit) => isRight(fit) && !fit.vague)) return [];
  return fits.flatMap(({ carrier, format, check }) => (check === null ? [] : { carrier, format, ...check }));
}
