// Reads 5,000 generated GS1 codes with all application identifiers, and a table of special cases.
import { describe, expect, test } from "bun:test";
import { dayText } from "../../../src/core/time_zone.ts";
import {
  type ApplicationIdentifier,
  applicationIdentifiers,
} from "../../../src/floor/scanning/application_identifiers.ts";
import { bracketed, readScan, type Scan } from "../../../src/floor/scanning/read_scan.ts";

const now = Date.UTC(2026, 5, 15);
const gs = "\u001d";
const codes_number = 5000;

/** Numbers from 0 to below `n`, the same for a seed. */
function randomOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
type Random = ReturnType<typeof randomOf>;

const pick = <Item>(random: Random, items: ArrayLike<Item>): Item => items[random(items.length)] as Item;
const charactersOf = {
  digits: "0123456789",
  text: "!\"%&'*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
  reference: "#-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  url: "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz=",
};
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** GS1's check digit, computed from the left as the General Specifications show it. */
function withCheckDigit(body: string): string {
  const weights = [...body].map((_, at) => ((body.length - at) % 2 === 1 ? 3 : 1));
  const sum = [...body].reduce((total, digit, at) => total + Number(digit) * (weights[at] ?? 0), 0);
  return body + String((1000 - sum) % 10);
}

const two = (number: number) => String(number).padStart(2, "0");

function drawnValue(random: Random, { ai, parts }: ApplicationIdentifier): string {
  if (ai === "30" || ai === "37") return String(1 + random(99_999));
  return parts
    .map(({ characters, length_min, length_max, rule }) => {
      if (rule === "date") return two(random(100)) + two(1 + random(12)) + two(1 + random(28));
      if (rule === "date_or_month") return two(random(100)) + two(1 + random(12)) + two(random(29));
      if (rule === "time") return two(random(24)) + two(random(60));
      const length = length_min + random(length_max - length_min + 1);
      // A lot of letters is never mistaken for one that another identifier follows.
      const set = ai === "10" || ai === "21" ? letters : charactersOf[characters];
      const value = Array.from({ length }, () => pick(random, set)).join("");
      return rule === "check_digit" ? withCheckDigit(value.slice(1)) : value;
    })
    .join("");
}

/** The values of a code: one of the given identifier, and others that may stand with it. */
function valuesOf(random: Random, first: ApplicationIdentifier): [ai: string, value: string][] {
  const all = [...applicationIdentifiers.values()];
  const chosen = new Map([[first.ai, first]]);
  for (let n = random(5); n > 0; n -= 1) {
    const other = pick(random, all);
    chosen.set(other.ai, other);
  }
  if (chosen.has("01")) chosen.delete("02");
  return [...chosen.values()].map((identifier) => [identifier.ai, drawnValue(random, identifier)]);
}

const needsSeparator = (ai: string) => !/^(?:0[0-4]|1[1-9]|20|3[1-6]|41)/.test(ai);
const isFixed = (ai: string) => applicationIdentifiers.get(ai)?.length !== null;

const wordingOf = (scan: Scan) =>
  scan.kind === "gs1" ? scan.contents.elements.map(({ ai, text }) => [ai, text]) : [scan.kind, scan];

test("reads generated codes with all identifiers, with separators, without them, and in brackets", () => {
  const random = randomOf(20_260_615);
  const all = [...applicationIdentifiers.values()];
  let without = 0;
  for (let n = 0; n < codes_number; n += 1) {
    const values = valuesOf(random, all[n % all.length] as ApplicationIdentifier);
    const brackets = values.map(([ai, value]) => `(${ai})${value}`).join("");
    const joined = (separator: string) =>
      values.map(([ai, value], at) => ai + value + (needsSeparator(ai) && at < values.length - 1 ? separator : ""));
    const forms = [
      pick(random, ["]C1", "]d2", "]Q3", "]e0"]) + joined(gs).join(""),
      `${gs}${joined(gs).join("")}`,
      `]C1${joined(pick(random, "~^|@")).join("")}`,
      brackets,
    ];
    // The length of all values but the last must be known.
    if (values.slice(0, -1).every(([ai]) => isFixed(ai))) {
      without += 1;
      forms.push(`]C1${joined("").join("")}`);
    }
    const code = forms[n % forms.length] ?? "";
    expect([code, wordingOf(readScan(code, now))]).toEqual([code, values]);
    const scan = readScan(code, now);
    if (scan.kind === "gs1") expect(bracketed(scan.contents)).toBe(brackets);
  }
  expect(without).toBeGreaterThan(codes_number / 10);
}, 60_000);

test("asks about each code whose lot may be followed by an expiry or a count", () => {
  const random = randomOf(7);
  for (let n = 0; n < 1000; n += 1) {
    const gtin = withCheckDigit(String(1_000_000_000_000 + random(8_000_000_000_000)));
    const value = Array.from({ length: 1 + random(10) }, () => pick(random, charactersOf.text)).join("");
    const ai = pick(random, ["10", "21"]);
    const next = pick(random, [
      `17${two(random(100))}${two(1 + random(12))}${two(1 + random(28))}`,
      `37${1 + random(999)}`,
    ]);
    const scan = readScan(`]d201${gtin}${ai}${value}${next}`, now);
    const meant = `(01)${gtin}(${ai})${value}(${next.slice(0, 2)})${next.slice(2)}`;
    expect([scan.kind, scan.kind === "ambiguous" ? scan.readings.map(bracketed) : []]).toEqual([
      "ambiguous",
      expect.arrayContaining([meant]),
    ]);
  }
}, 60_000);

/** What a code contains, in short. */
function summaryOf(code: string): unknown {
  const scan = readScan(code, now);
  if (scan.kind === "plain") return scan.text;
  if (scan.kind === "invalid") return { invalid: scan.problem };
  if (scan.kind === "ambiguous") return { ambiguous: scan.readings.map(bracketed) };
  const { gtin, sscc, lot_number, serial_number, expires_on, quantity, skipped } = scan.contents;
  const facts = {
    gtin,
    sscc,
    lot_number,
    serial_number,
    expires_on: expires_on === null ? null : dayText(expires_on),
    quantity,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), ...(skipped.length === 0 ? {} : { skipped }) };
}

const gtin = "09501101530003";
const of = (more: string) => `01${gtin}${more}`;

// Most examples are from the General Specifications.
describe("special cases", () => {
  test.each([
    ["an EAN-13 that begins like an identifier", "9501101530003", "9501101530003"],
    ["an EAN-13 with the scanner's prefix", "]E09501101530003", "9501101530003"],
    ["a GTIN-14 alone", gtin, gtin],
    ["an EAN-8", "96385074", "96385074"],
    ["text that begins with 01 and no GTIN", "01-A-07", "01-A-07"],
    ["a GTIN with a wrong check digit without any mark", "0109501101530004", "0109501101530004"],
    ["a word in brackets", "(fragile)", "(fragile)"],
    ["a GTIN without any mark", of(""), { gtin }],
    ["a leading FNC1", `${gs}${of("")}`, { gtin }],
    ["several separators", `${gs}${gs}${of("")}${gs}17260630${gs}${gs}`, { gtin, expires_on: "2026-06-30" }],
  ] as [string, string, unknown][])("%s", (_, code, expected) => {
    expect(summaryOf(code)).toEqual(expected as never);
  });

  test.each([
    ["an SSCC", "00106141412345678908", { sscc: "106141412345678908" }],
    ["a case with its count", `02${gtin}3724`, { gtin, quantity: 24 }],
    ["a count and then a lot", `]C102${gtin}3724${gs}10AB`, { gtin, quantity: 24, lot_number: "AB" }],
    ["a variable count", of("3012"), { gtin, quantity: 12 }],
    ["a lot and a serial", `]d2${of("10AB")}${gs}21XYZ`, { gtin, lot_number: "AB", serial_number: "XYZ" }],
    [
      "another character instead of the separator",
      of("10AB~1726063021X1"),
      { gtin, lot_number: "AB", expires_on: "2026-06-30", serial_number: "X1" },
    ],
    ["day 00 is the last of the month", of("17270200"), { gtin, expires_on: "2027-02-28" }],
    ["day 00 of a leap year", of("17280200"), { gtin, expires_on: "2028-02-29" }],
    ["50 years ahead", of("17760630"), { gtin, expires_on: "2076-06-30" }],
    ["49 years back", of("17770630"), { gtin, expires_on: "1977-06-30" }],
    ["an expiry with a time", `]C1${of("7003")}2606301430`, { gtin, expires_on: "2026-06-30" }],
    ["month 13", of("17261301"), { invalid: "has an invalid date in 17: 261301" }],
    ["February 30", of("17260230"), { invalid: "has an invalid date in 17: 260230" }],
    ["day 00 where it is not allowed", `]C1${of("7006260600")}`, { invalid: "has an invalid date in 7006: 260600" }],
    [
      "an unknown identifier of known length",
      `${of("18260630")}10AB`,
      { gtin, lot_number: "AB", skipped: [{ ai: "18", text: "260630" }] },
    ],
    [
      "an unknown identifier before a separator",
      `]C1${of("4399AB")}${gs}10CD`,
      { gtin, lot_number: "CD", skipped: [{ ai: "4399", text: "AB" }] },
    ],
    ["an identifier that cannot exist", `]C1${of("")}5012`, { invalid: 'has no application identifier at "5012"' }],
    ["a value that is cut off", of("1726"), { invalid: "is cut off in the value of 17" }],
    ["a separator within a value", `]C1${of("17")}26${gs}0630`, { invalid: "is cut off in the value of 17" }],
    [
      "a wrong check digit after a mark",
      "]C10109501101530004",
      { invalid: "has a wrong check digit in 01: 09501101530004" },
    ],
    [
      "a wrong check digit in brackets",
      "(01)09501101530004",
      { invalid: "has a wrong check digit in 01: 09501101530004" },
    ],
    [
      "a lot that is too long",
      of(`10${"A".repeat(21)}`),
      { invalid: `has an invalid value of 10: "${"A".repeat(21)}"` },
    ],
    ["no units", of("300"), { invalid: "has an invalid number of units: 0" }],
    ["a product and contents", `]C101${gtin}02${gtin}3712`, { invalid: "names both a product (01) and contents (02)" }],
    ["two lots", `]C1${of("10A")}${gs}10B`, { invalid: 'has two values of 10, the second "B"' }],
    [
      "a missing separator before an expiry",
      of("10AB17260630"),
      { ambiguous: [`(01)${gtin}(10)AB17260630`, `(01)${gtin}(10)AB(17)260630`] },
    ],
    [
      "a missing separator after a lot of full length",
      of(`10${"A".repeat(20)}17260630`),
      { ambiguous: [`(01)${gtin}(10)${"A".repeat(20)}(17)260630`] },
    ],
    [
      "a separator that shows that none is missing",
      `]C1${of("21X")}${gs}10AB17260630`,
      { gtin, serial_number: "X", lot_number: "AB17260630" },
    ],
    ["a rest with an impossible expiry", of("10AB17261301"), { gtin, lot_number: "AB17261301" }],
    ["brackets are never ambiguous", `(01)${gtin}(10)AB17260630`, { gtin, lot_number: "AB17260630" }],
    ["nested brackets", `((01))${gtin}`, { invalid: "has a bracket that opens or closes no identifier" }],
    [
      "a bracket within a value",
      `(01)${gtin}(10)A(B)C`,
      { invalid: "has a bracket that opens or closes no identifier" },
    ],
    ["an empty value", `(01)${gtin}(10)`, { invalid: "has a bracket that opens or closes no identifier" }],
    ["NUL", `]C1${of("10A\u0000B")}`, { invalid: "contains control characters" }],
    ["a mark without data", `]C1${gs}`, { invalid: "contains no data" }],
    ["a very long code", `]C1${of("10A").padEnd(10_000, "17260630")}`, { invalid: "is longer than 500 characters" }],
  ] as [string, string, unknown][])("%s", (_, code, expected) => {
    expect(summaryOf(code)).toEqual(expected as never);
  });

  test("measures have decimals, and dates their day", () => {
    const scan = readScan(`]C1${of("3103001750")}3922${"1234"}`, now);
    expect(scan.kind === "gs1" && scan.contents.elements.map(({ title, value }) => [title, value])).toEqual([
      ["GTIN", gtin],
      ["Net weight (kg)", "1.750"],
      ["Price", "12.34"],
    ]);
  });

  test("a code of nothing but possible splits is read in bounded time and with few readings", () => {
    const scan = readScan(`]C110${"17260101".repeat(61)}`, now);
    expect(scan.kind === "invalid" || (scan.kind === "ambiguous" && scan.readings.length <= 8)).toBe(true);
  });
});
