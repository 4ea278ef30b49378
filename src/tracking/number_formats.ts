import { Fault } from "../core/faults.ts";
import { countries } from "../core/postal_address.ts";
import { carrierPage } from "../orders/fulfillment/tracking_url.ts";
import { checkCharacter } from "../shipping/labels/tracking_number.ts";

// Check digits of carriers' numbers. Each function takes the characters before the check character and returns it.

/** Returns the check character of a text of digits, or of digits and capital letters if the rule allows them. */
type CheckRule = (body: string) => string;

const digitsOf = (body: string) => [...body].map(Number);

/** The sum of the digits times their weights, which repeat. */
function weighted(digits: readonly number[], weights: readonly number[]): number {
  return digits.reduce((sum, digit, at) => sum + digit * (weights[at % weights.length] ?? 0), 0);
}

const toTen = (sum: number) => String((10 - (sum % 10)) % 10);

/** GS1: weights 3 and 1 from the right. */
export const gs1: CheckRule = (body) => toTen(weighted(digitsOf(body).toReversed(), [3, 1]));

/** UPS and OnTrac: weights 1 and 2 from the left. A letter counts as the last digit of its ASCII code minus 3. */
export const alternating: CheckRule = (body) => {
  const values = [...body].map((character) =>
    /\d/.test(character) ? Number(character) : (character.charCodeAt(0) - 3) % 10,
  );
  return toTen(weighted(values, [1, 2]));
};

/** UPU S10, the international numbers of postal services. */
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

/** DHL: the remainder after division by seven. */
const sevens: CheckRule = (body) => String(Number(body) % 7);

/** Luhn: every other digit from the right is doubled and replaced by the sum of its digits. */
const luhn: CheckRule = (body) => {
  const sum = digitsOf(body)
    .toReversed()
    .map((digit, at) => (at % 2 === 1 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9))
    .reduce((total, digit) => total + digit, 0);
  return toTen(sum);
};

// Tracking numbers of carriers, by form and check digit. In each row the group `check` is the check digit of the
// group `body`. If a number matches several rows, all of them are returned.

interface NumberFormat {
  readonly carrier: string;
  readonly format: string;
  readonly form: RegExp;
  /** Null for a carrier without a check digit; then only the form counts. */
  readonly check: CheckRule | null;
  /** Whether other carriers' numbers often have the same form and no check digit decides. */
  readonly vague?: boolean;
}

const led =
  (prefix: string, rule: CheckRule): CheckRule =>
  (body) =>
    rule(prefix + body);

const internationalPost = /^[A-Z]{2}(?<body>\d{8})(?<check>\d)(?<country>[A-Z]{2})$/;
const dpdNumber = /^(?<body>\d{27}|\d{14})(?<check>[0-9A-Z])$/;
// The barcode contains a 12-digit FedEx number, followed by more digits.
const astra = /^3\d{15}(?<body>\d{11})(?<check>\d)\d{4}$/;
const globalMail = "(?:GM|LX|RX|UV|CN|SG|TH|IN|HK|MY)";
const zip5 = String.raw`(?:420\d{5})?`;
const impb = String.raw`(?:92\d{3}9|93\d{3}[0-8]|9[45]\d{4})\d{15}`;

const formPattern = (form: string) => new RegExp(`^${form}$`);
/** A form with the check digit at the end, after an optional prefix and the body. */
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

/** The carriers of S10 numbers, for countries whose postal service has its own code. */
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
  /** The name of the number format. */
  readonly format: string;
  /** Whether a check digit confirms it; otherwise only the form matches. */
  readonly checked: boolean;
  /** The carrier's public page of the parcel, if there is one. */
  readonly tracking_url: string | null;
}

/** A carrier whose format matches except for the check digit. */
interface WrongCheckDigit {
  readonly carrier: string;
  readonly format: string;
  readonly check_digit: string;
  /** The check digit that the number would need if all its other characters are right. */
  readonly expected: string;
}

/** A row of the table whose form matches a number. */
interface FormatMatch extends Omit<WrongCheckDigit, "check_digit" | "expected"> {
  readonly vague: boolean;
  /** Null for a format without a check digit. */
  readonly check: Pick<WrongCheckDigit, "check_digit" | "expected"> | null;
}

function matchesOf(number: string): FormatMatch[] {
  return formats.flatMap(({ carrier: row_carrier, format, form, check, vague = false }) => {
    const groups = form.exec(number)?.groups ?? (form.test(number) ? {} : null);
    if (groups === null) return [];
    const { body = "", check: check_digit = "", country } = groups;
    if (country !== undefined && !countries().isValid(country)) return [];
    const carrier = country === undefined ? row_carrier : (posts[country] ?? `${row_carrier}_${country.toLowerCase()}`);
    return { carrier, format, vague, check: check === null ? null : { check_digit, expected: check(body) } };
  });
}

const hasValidCheckDigit = ({ check }: FormatMatch) => check === null || check.check_digit === check.expected;

/** Returns every carrier that a normalized number may belong to by form and check digit. */
export function detectCarriers(number: string): DetectedCarrier[] {
  const detected = new Map<string, DetectedCarrier>();
  for (const { carrier, format, check } of matchesOf(number).filter(hasValidCheckDigit)) {
    const tracking_url = carrierPage(carrier, number);
    detected.set(`${carrier} ${format}`, { carrier, format, checked: check !== null, tracking_url });
  }
  return [...detected.values()];
}

/**
 * Returns the only carrier that a number can belong to; null if there are several, or if the form alone is too vague.
 */
export function onlyCarrier(number: string): string | null {
  const matches = matchesOf(number).filter(hasValidCheckDigit);
  const [carrier = null, ...others] = new Set(matches.map((match) => match.carrier));
  return others.length > 0 || matches.every(({ vague }) => vague) ? null : carrier;
}

/**
 * Returns the check digits that would be right, for a number that matches forms of carriers but none of their check
 * digits and so was probably mistyped. `carrier_name` limits the forms to one carrier; null means any.
 */
export function wrongCheckDigits(number: string, carrier_name: string | null): WrongCheckDigit[] {
  const letters = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const isMeant = ({ carrier }: FormatMatch) =>
    carrier_name === null || letters(carrier).startsWith(letters(carrier_name));
  const matches = matchesOf(number).filter(isMeant);
  if (matches.some((match) => hasValidCheckDigit(match) && !match.vague)) return [];
  return matches.flatMap(({ carrier, format, check }) => (check === null ? [] : { carrier, format, ...check }));
}

/** Returns what the form of a number reveals: the carriers it may belong to, or wrong check digits. */
export function formOf(tracking_number: string, carrier_name: string | null) {
  const wrong = wrongCheckDigits(tracking_number, carrier_name);
  return {
    detected_carriers: detectCarriers(tracking_number),
    wrong_check_digits: wrong.map((problem) => ({ ...problem, message: `${expectation(problem)}. Check the number.` })),
  };
}

const expectation = ({ format, check_digit, expected }: WrongCheckDigit) =>
  `The check digit must be ${expected} for ${format} (got ${check_digit})`;

/** Creates the refusal of an unknown number, with all carriers that it may belong to. */
export function unknownNumber(tracking_number: string): Fault {
  const form = formOf(tracking_number, null);
  const names = [...new Set(form.detected_carriers.map(({ carrier }) => carrier))].join(" or ");
  const [wrong] = form.wrong_check_digits;
  const advice =
    names !== ""
      ? ` It looks like a ${names} number. To track it, send it to POST /v1/tracking.`
      : wrong === undefined
        ? ""
        : ` ${wrong.message}`;
  return new Fault("resource_missing", `No such tracking number: ${tracking_number}.${advice}`, {
    resource: "tracking number",
    ...form,
  });
}
