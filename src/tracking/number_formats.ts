import { Fault } from "../core/faults.ts";
import { countries } from "../core/postal_address.ts";
import { carrierPage } from "../orders/fulfillment/tracking_url.ts";
import { checkCharacter } from "../shipping/labels/tracking_number.ts";

// The check digits of carriers' numbers. Each function takes the characters before the check character and answers
// it.

/** Computes the check character of digits, or of digits and capital letters where the rule allows them. */
type CheckRule = (body: string) => string;

const digitsOf = (body: string) => [...body].map(Number);

/** The sum of the digits, each times its weight; the weights repeat. */
function weighted(digits: readonly number[], weights: readonly number[]): number {
  return digits.reduce((sum, digit, at) => sum + digit * (weights[at % weights.length] ?? 0), 0);
}

const toTen = (sum: number) => String((10 - (sum % 10)) % 10);

/** GS1: weights 3 and 1 from the right. */
export const gs1: CheckRule = (body) => toTen(weighted(digitsOf(body).toReversed(), [3, 1]));

/** UPS and OnTrac: weights 1 and 2 from the left. A letter counts as the last digit of its ASCII code less 3. */
export const alternating: CheckRule = (body) => {
  const values = [...body].map((sign) => (/\d/.test(sign) ? Number(sign) : (sign.charCodeAt(0) - 3) % 10));
  return toTen(weighted(values, [1, 2]));
};

/** The international parcels of the post. */
const s10: CheckRule = (body) => {
  const rest = 11 - (weighted(digitsOf(body), [8, 6, 4, 2, 3, 5, 9, 7]) % 11);
  return rest === 10 ? "0" : rest === 11 ? "5" : String(rest);
};

const elevens =
  (weights: readonly number[]): CheckRule =>
  (body) =>
    String((weighted(digitsOf(body), weights) % 11) % 10);

/** FedEx's short numbers. */
export const fedexShort = elevens([3, 1, 7]);

/** FedEx's long numbers. */
const fedexLong = elevens([1, 7, 3]);

/** DHL: the remainder of the number divided by seven. */
const sevens: CheckRule = (body) => String(Number(body) % 7);

/** Luhn: from the right every other digit is doubled and replaced by the sum of its digits. */
const luhn: CheckRule = (body) => {
  const sum = digitsOf(body)
    .toReversed()
    .map((digit, at) => (at % 2 === 1 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9))
    .reduce((total, digit) => total + digit, 0);
  return toTen(sum);
};

// The tracking numbers of carriers, by form and check digit. Each row is one form: the group `check` is the check
// digit of the group `body`. Nothing is guessed: if a number fits several rows, all of them are returned.

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

const formPattern = (form: string) => new RegExp(`^${form}$`);
/** A form whose check digit is at the end, after the body and what precedes that. */
const digits = (body: string, before = "") => formPattern(String.raw`${before}(?<body>${body})(?<check>\d)`);

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
  { carrier: "dhl_express", format: "DHL piece id",     check: null, form: formPattern("J[A-Z]{2,3}\\d{9,10}") },
  { carrier: "dhl_express", format: "DHL piece id",     check: null,           form: formPattern("JD\\d{18}") },
  { carrier: "dhl_ecommerce", format: "DHL eCommerce",  check: null, form: formPattern(`${globalMail}\\d{10,39}`) },
  { carrier: "dhl_ecommerce", format: "DHL eCommerce 14", check: null, form: formPattern("\\d{14}"), vague: true },
  { carrier: "ontrac",      format: "OnTrac",           check: led("4", alternating), form: digits("\\d{13}", "C") },
  { carrier: "ontrac",      format: "OnTrac",           check: led("5", alternating), form: digits("\\d{13}", "D") },
  { carrier: "ontrac",      format: "LaserShip L",      check: null, form: formPattern("L[AEHINX][1-3]\\d{7}") },
  { carrier: "ontrac",      format: "LaserShip 1LS7",   check: null, form: formPattern("1LS7[12]\\d{10}(?:\\d1)?") },
  { carrier: "ontrac",      format: "LaserShip 1LSCX",  check: null, form: formPattern("1LSCX[0-9A-Z]{10}") },
  { carrier: "old_dominion", format: "Old Dominion",    check: luhn, form: digits("(?:77[78]|072)\\d{7}|80\\d{8}") },
  { carrier: "purolator",   format: "Purolator",        check: luhn,           form: digits("[0-5]\\d{10}") },
  { carrier: "purolator",   format: "Purolator alpha",  check: null, form: formPattern("[A-Z]{3}\\d{9}"), vague: true },
  { carrier: "canpar",      format: "Canpar",           check: null,           form: formPattern("[CDKLSUXZ]\\d{21}") },
  { carrier: "canada_post", format: "Canada Post",      check: gs1,            form: digits("\\d{15}") },
  { carrier: "dpd",         format: "DPD",              check: checkCharacter, form: dpdNumber },
  { carrier: "spee_dee",    format: "Spee-Dee",         check: null,           form: formPattern("SP\\d{18}") },
  { carrier: "yodel",       format: "Yodel",            check: null,           form: formPattern("JJ?D\\d{16}") },
  { carrier: "landmark",    format: "Landmark Global",  check: null,           form: formPattern("LTN\\d{8}N1") },
  { carrier: "amazon",      format: "Amazon Logistics", check: null,           form: formPattern("TB[ACM]\\d{12}") },
  { carrier: "amazon",      format: "Amazon International", check: null, form: formPattern("[ACF]\\d{10}"),
    vague: true },
  { carrier: "yunexpress",  format: "YunExpress",       check: null,           form: formPattern("YT\\d{16}") },
  { carrier: "gofo",        format: "GOFO Express",     check: null,           form: formPattern("GFUS\\d{14}") },
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
interface WrongCheckDigit {
  readonly carrier: string;
  readonly format: string;
  readonly check_digit: string;
  /** The check digit of the number if all its other characters are right. */
  readonly expected: string;
}

/** A row of the table that a number has the form of. */
interface FormatMatch extends Omit<WrongCheckDigit, "check_digit" | "expected"> {
  readonly vague: boolean;
  /** Null where there is no check digit. */
  readonly check: Pick<WrongCheckDigit, "check_digit" | "expected"> | null;
}

function fitsOf(number: string): FormatMatch[] {
  return formats.flatMap(({ carrier: usual, format, form, check, vague = false }) => {
    const groups = form.exec(number)?.groups ?? (form.test(number) ? {} : null);
    if (groups === null) return [];
    const { body = "", check: check_digit = "", country } = groups;
    if (country !== undefined && !countries().isValid(country)) return [];
    const carrier = country === undefined ? usual : (posts[country] ?? `${usual}_${country.toLowerCase()}`);
    return { carrier, format, vague, check: check === null ? null : { check_digit, expected: check(body) } };
  });
}

const isRight = ({ check }: FormatMatch) => check === null || check.check_digit === check.expected;

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
  const isMeant = ({ carrier }: FormatMatch) => named === null || letters(carrier).startsWith(letters(named));
  const fits = fitsOf(number).filter(isMeant);
  if (fits.some((fit) => isRight(fit) && !fit.vague)) return [];
  return fits.flatMap(({ carrier, format, check }) => (check === null ? [] : { carrier, format, ...check }));
}

/** What the form of a number tells: the carriers it may belong to, or why it fits none. */
export function formOf(tracking_number: string, named: string | null) {
  const wrong = wrongCheckDigits(tracking_number, named);
  return {
    detected_carriers: detectCarriers(tracking_number),
    wrong_check_digits: wrong.map((one) => ({ ...one, message: `${expectation(one)}. Check the number.` })),
  };
}

const expectation = ({ format, check_digit, expected }: WrongCheckDigit) =>
  `The check digit must be ${expected} for ${format} (got ${check_digit})`;

/** The refusal for an unknown number, with the carriers that it may belong to: all that fit, never a guess. */
export function unknownNumber(tracking_number: string): Fault {
  const form = formOf(tracking_number, null);
  const names = [...new Set(form.detected_carriers.map(({ carrier }) => carrier))].join(" or ");
  const [wrong] = form.wrong_check_digits;
  const advice =
    names !== ""
      ? ` It looks like a number of ${names}: POST /v1/tracking starts to track it.`
      : wrong === undefined
        ? ""
        : ` ${wrong.message}`;
  return new Fault("resource_missing", `No such tracking number: ${tracking_number}.${advice}`, {
    resource: "tracking number",
    ...form,
  });
}
