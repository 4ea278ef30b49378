import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detectCarriers, onlyCarrier, wrongCheckDigits } from "../../src/tracking/number_formats.ts";

const found = (number: string) => detectCarriers(number).map(({ carrier, format }) => `${carrier}: ${format}`);

// Numbers published by the carriers or in public collections, by carrier and format.
const good: Readonly<Record<string, readonly string[]>> = {
  "ups: UPS": ["1Z999AA10123456784", "1Z5R89390357567127"],
  "ups: UPS waybill": ["K2479825491", "J4603636537", "V0490119172"],
  "usps: USPS IMpb": [
    "9400111202555842332669",
    "9505511069605048600624",
    "9361289878700317633795",
    "9261290113185417468510",
    "92748931507708513018050063",
    "4201002334249200190132607600833457",
    "4201028200009261290113185417468510",
    "4202215392748931507708513018050063",
    "420221539400111202555842332669",
  ],
  "usps: USPS 20": ["03071790000523483741", "71123456789123456787"],
  "usps: USPS legacy 91": ["71969010756003077385", "9101123456789000000013", "420221539101026837331000039521"],
  "royal_mail: S10": ["RB123456785GB"],
  "usps: S10": ["RR473124829US"],
  "china_post: S10": ["RA473124829CN"],
  "post_lu: S10": ["RB123456785LU"],
  "fedex: FedEx 12": ["986578788855", "477179081230"],
  "fedex: FedEx 34": ["1001921334250001000300779017972697"],
  "fedex: FedEx Ground 15": ["041441760228964", "568283610012000"],
  "fedex: FedEx 96": ["9611020987654312345672"],
  "fedex: FedEx SSCC": ["000123450000000027"],
  "fedex: FedEx Ground GSN": ["9622001560001234567100794808390594"],
  "fedex: FedEx ASTRA": ["32971514560102447849175802862014"],
  "fedex: FedEx Economy": ["61299998820821171811"],
  "dhl_express: DHL Express": ["3318810025", "73891051146"],
  "dhl_express: DHL piece id": ["JJD0099999999", "JVGL0999999990", "JD012345678901234567"],
  "dhl_ecommerce: DHL eCommerce": ["GM295117494011169042"],
  "dhl_ecommerce: DHL eCommerce 14": ["12345678901234"],
  "ontrac: LaserShip L": ["LX17635036", "LN20000001"],
  "ontrac: LaserShip 1LS7": ["1LS717793482164", "1LS71190136181271"],
  "ontrac: LaserShip 1LSCX": ["1LSCX0123456789"],
  "old_dominion: Old Dominion": ["07209562763", "77767553207", "80003280379"],
  "purolator: Purolator alpha": ["KYV009956937"],
  "canpar: Canpar": ["D576002440000001718010"],
  "spee_dee: Spee-Dee": ["SP029692510000920746"],
  "yodel: Yodel": ["JJD0002257639032011", "JD0002254405060992"],
  "landmark: Landmark Global": ["LTN74207623N1"],
  "amazon: Amazon International": ["C1004444443"],
  "ontrac: OnTrac": ["C11031500001879", "D10011354453707"],
  "purolator: Purolator": ["320595463938", "287809468872", "331434972567"],
  "canada_post: Canada Post": ["0073938000549297"],
  "dpd: DPD": ["008182709980000020033350276C", "008182709980000020045327276N"],
  "amazon: Amazon Logistics": ["TBA502887274000", "TBC502887274000", "TBM502887274000"],
  "yunexpress: YunExpress": ["YT2229521272164446"],
  "gofo: GOFO Express": ["GFUS01011884214464"],
};
const without_check = /Amazon|YunExpress|GOFO|piece id|eCommerce|LaserShip|alpha|Canpar|Spee-Dee|Yodel|Landmark/;
// Formats with a variable length.
const of_any_length = /DHL eCommerce$/;

// The position of the check digit if it is not the last character.
const after_check: Readonly<Record<string, number>> = { S10: 2, ASTRA: 4 };
const checkAt = (format: string, number: string) =>
  number.length - 1 - (after_check[format.split(" ").at(-1) ?? ""] ?? 0);
const withSign = (number: string, at: number, sign: string) => number.slice(0, at) + sign + number.slice(at + 1);

describe.each(Object.entries(good))("%s", (format, numbers) => {
  test.each(numbers.map((number) => [number]))("%s", (number) => {
    expect(found(number)).toContain(format);
    const [first] = detectCarriers(number).filter(({ carrier, format: form }) => `${carrier}: ${form}` === format);
    expect(first?.checked).toBe(!without_check.test(format));
  });

  test("two more digits are refused", () => {
    if (of_any_length.test(format)) return;
    for (const number of numbers) expect(found(`${number}00`)).not.toContain(format);
  });

  if (without_check.test(format)) return;
  test("other check digits are refused", () => {
    const signs = format.startsWith("dpd") ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789";
    for (const number of numbers) {
      const at = checkAt(format, number);
      const accepted = [...signs].filter((sign) => found(withSign(number, at, sign)).includes(format));
      expect([number, accepted]).toEqual([number, [number.charAt(at)]]);
    }
  });
});

test("DPD's short numbers have a check character of 36", () => {
  const accepted = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"].filter((sign) =>
    found(`09980000020033${sign}`).includes("dpd: DPD"),
  );
  expect(accepted).toHaveLength(1);
});

test("USPS numbers of 30 digits are recognized as 94 only", () => {
  const of30 = (lead: string) => {
    const body = `${lead}0011120255584233266901234567`.slice(0, 29);
    return [..."0123456789"].filter((digit) => found(body + digit).includes("usps: USPS IMpb")).length;
  };
  expect([of30("94"), of30("92"), of30("95")]).toEqual([1, 0, 0]);
});

test("an unknown country has no postal service, and our own numbers belong to no carrier", () => {
  expect(found("RB123456785XX")).toEqual([]);
  expect(found("WH000000000001Q")).toEqual([]);
  expect(found("SIM000000000001D")).toEqual([]);
});

test("a number that fits several carriers names them all", () => {
  const digits = fc.stringMatching(/^[0-5]\d{10}$/);
  const several = fc.sample(digits, 4000).map((body) => [..."0123456789"].map((digit) => found(body + digit)));
  expect(several.flat().some((names) => names.length > 1)).toBe(true);
  // An SSCC that FedEx's numbers of 18 digits resemble, like every one that starts with 00.
  expect(found("000123450000000027")).toEqual(["fedex: FedEx SSCC"]);
});

test("a number of Old Dominion is DHL's only if it also passes DHL's check", () => {
  const numbers = fc.sample(fc.stringMatching(/^(77[78]|072)\d{7}$/), 400).flatMap((body) => {
    return [..."0123456789"].map((digit) => body + digit).filter((number) => found(number)[0]?.startsWith("old"));
  });
  expect(numbers.length).toBeGreaterThan(300);
  for (const number of numbers) {
    const isDhl = Number(number.slice(0, -1)) % 7 === Number(number.at(-1));
    const expected = ["old_dominion: Old Dominion", ...(isDhl ? ["dhl_express: DHL Express"] : [])];
    expect([number, ...found(number).toSorted().reverse()]).toEqual([number, ...expected]);
    expect(onlyCarrier(number)).toBe(isDhl ? null : "old_dominion");
  }
});

test("the only carrier is named, unless its format is too vague", () => {
  const named = ["1Z5R89390357567127", "TBA502887274000", "SP029692510000920746", "986578788855"].map(onlyCarrier);
  expect(named).toEqual(["ups", "amazon", "spee_dee", "fedex"]);
  expect(["KYV009956937", "C1004444443", "12345678901234", "NOBODYS1"].map(onlyCarrier)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

describe("a wrong check digit", () => {
  test.each(
    Object.entries(good)
      .filter(([format]) => !without_check.test(format))
      .flatMap(([format, numbers]) => numbers.map((number) => [format, number] as const)),
  )("of %s %s is reported with the right one", (format, number) => {
    const at = checkAt(format, number);
    const right = number.charAt(at);
    const signs = format.startsWith("dpd") ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789";
    for (const sign of signs) {
      const wrong = withSign(number, at, sign);
      const told = wrongCheckDigits(wrong, null).filter((one) => `${one.carrier}: ${one.format}` === format);
      // Another carrier's number may have this check digit.
      const isFine = onlyCarrier(wrong) !== null || detectCarriers(wrong).some(({ checked }) => checked);
      if (isFine) expect(told).toEqual([]);
      else expect(told).toContainEqual(expect.objectContaining({ check_digit: sign, expected: right }));
    }
  });

  test("is reported for the named carrier's formats only, and for no number that fits one of them", () => {
    const carriers = (number: string, named: string | null) => [
      ...new Set(wrongCheckDigits(number, named).map(({ carrier }) => carrier)),
    ];
    expect(carriers("331880102501", null).toSorted()).toEqual(["fedex", "purolator"]);
    expect(carriers("331880102501", "FedEx")).toEqual(["fedex"]);
    expect(carriers("3318810026", "DHL")).toEqual(["dhl_express"]);
    expect(carriers("3318810026", "usps")).toEqual([]);
    expect(carriers("3318810025", "dhl")).toEqual([]);
    expect(carriers("NOBODYS1", null)).toEqual([]);
  });
});

test("no text throws", () => {
  fc.assert(fc.property(fc.string(), (text) => void [detectCarriers(text), wrongCheckDigits(text, text)]));
});
