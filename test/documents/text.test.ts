import { describe, expect, test } from "bun:test";
import bwip from "bwip-js/generic";
import fc from "fast-check";
import { code128Bars, isCode128Text, symbolOf } from "../../src/documents/barcodes.ts";
import { printableLine, shapedWidth, shapeText } from "../../src/documents/shape_text.ts";
import { unbrokenSize, wrapList, wrapText } from "../../src/documents/wrap_text.ts";
import { type Pixels, scan } from "./decode.ts";

const glyphsOf = (text: string, bold = false) => shapeText(text, bold).runs.flatMap((run) => run.glyphs);
const facesOf = (text: string, bold = false) => shapeText(text, bold).runs.map((run) => run.face.name);
/** The drawn glyphs, from left to right. */
const drawn = (text: string) => glyphsOf(text).map((glyph) => glyph.text);

describe("works", () => {
  test.each([
    ["Widget, blue — Łódź", ["DejaVuSans"]],
    ["Ωμέγα Москва Հայաստան საქართველო", ["DejaVuSans"]],
    ["مُحَمَّد العربية", ["DejaVuSans"]],
    ["שָׁלוֹם עולם", ["DejaVuSans"]],
    ["क्षत्रिय हिन्दी", ["NotoSansDevanagari"]],
    ["น้ำผึ้งแท้", ["NotoSansThai"]],
    ["বাংলা পণ্য", ["NotoSansBengali"]],
    ["தமிழ் பொருள்", ["NotoSansTamil"]],
    ["తెలుగు వస్తువు", ["NotoSansTelugu"]],
    ["ગુજરાતી વસ્તુ", ["NotoSansGujarati"]],
    ["ਪੰਜਾਬੀ ਵਸਤੂ", ["NotoSansGurmukhi"]],
    ["ಕನ್ನಡ ವಸ್ತು", ["NotoSansKannada"]],
    ["മലയാളം വസ്തു", ["NotoSansMalayalam"]],
    ["සිංහල භාණ්ඩ", ["NotoSansSinhala"]],
    ["ខ្មែរ ទំនិញ", ["NotoSansKhmer"]],
    ["မြန်မာ ကုန်", ["NotoSansMyanmar"]],
    ["አማርኛ ዕቃ", ["NotoSansEthiopic"]],
    ["ພາສາລາວ", ["DejaVuSans"]],
    ["北京东方有限公司 臺灣", ["NotoSansSC"]],
    ["東京ラーメン 𠮷野家 髙島屋", ["NotoSansJP"]],
    ["대한민국 서울", ["NotoSansKR"]],
    ["👩‍🚀❤️🇩🇪👍🏽🎁", ["NotoEmoji"]],
    ["東京 Tokyo 😀", ["NotoSansSC", "DejaVuSans", "NotoEmoji"]],
  ])("%s is drawn unchanged, in both weights", (text, faces) => {
    expect(facesOf(text)).toEqual(faces);
    for (const bold of [false, true]) for (const { id } of glyphsOf(text, bold)) expect(id).not.toBe(0);
  });

  test("a joined emoji is one glyph, and Devanagari syllables are reordered", () => {
    expect(glyphsOf("👩‍🚀")).toHaveLength(1);
    expect(glyphsOf("🇩🇪👍🏽")).toHaveLength(2);
    // The vowel sign is drawn before the letters that it follows in writing.
    expect(drawn("हि")).toEqual(["ि", "ह"]);
  });

  test("Burmese syllables are reordered and joined", () => {
    expect(drawn("ကြော")).toEqual(["ေ", "ြ", "က", "ာ"]);
    // A letter written before a consonant is stacked on it as one glyph.
    expect(drawn("င်္ဘ")).toEqual(["ဘ", "င်္"]);
  });

  test("Arabic letters take their contextual forms", () => {
    const [alone, ...joined] = [glyphsOf("ب"), glyphsOf("ببب")].flat().map(({ id }) => id);
    expect(new Set(joined).size).toBe(3);
    expect(joined).not.toContain(alone);
  });

  test("marks are placed on their letters and take no width", () => {
    const marks = glyphsOf("ปี่").slice(1);
    expect(marks.every(({ advance }) => advance === 0)).toBe(true);
    expect(shapedWidth("ปี่", 10, false)).toBe(shapedWidth("ป", 10, false));
  });

  test.each([
    ["abc אבג def", ["a", "b", "c", " ", "ג", "ב", "א", " ", "d", "e", "f"]],
    ["אב 12 (cd)", ["(", "c", "d", ")", " ", "1", "2", " ", "ב", "א"]],
    ["אב (גד)", ["(", "ד", "ג", ")", " ", "ב", "א"]],
    ["a אב (1", ["a", " ", "1", ")", " ", "ב", "א"]],
  ])("%s runs in both directions", (text, expected) => {
    expect(drawn(text)).toEqual(expected);
  });

  test("Japanese and Korean text has its own glyphs", () => {
    expect(facesOf("直")).toEqual(["NotoSansSC"]);
    expect(facesOf("直す")).toEqual(["NotoSansJP"]);
    expect(facesOf("直접")).toEqual(["NotoSansKR"]);
  });
});

describe("lines", () => {
  const measure = { width: 100, size: 10, bold: false };

  test.each([
    ["one two three four five six", ["one two three four", "five six"]],
    ["semi-automatic-espresso-machine", ["semi-automatic-", "espresso-machine"]],
    ["北京东方有限公司北京东方有限公司", ["北京东方有限公司北京", "东方有限公司"]],
    ["", [""]],
  ])("%s breaks only where a line may end", (text, lines) => {
    expect(wrapText(text, measure)).toEqual(lines);
  });

  test("a date is never broken, not even in a list", () => {
    const dates = fc.array(fc.constantFrom("2027-05-01", "L-1", "until", "05/2027", "a-2"), { minLength: 1 });
    fc.assert(
      fc.property(dates, fc.integer({ min: 80, max: 200 }), (words, width) => {
        const whole = (lines: readonly string[]) =>
          lines.flatMap((line) => line.split(/,? /)).filter((word) => word !== "");
        const kept = (lines: readonly string[]) => whole(lines).filter((word) => /\d{4}/.test(word));
        const expected = words.filter((word) => /\d{4}/.test(word));
        expect(kept(wrapText(words.join(" "), { ...measure, width }))).toEqual(expected);
        expect(whole(wrapList(words, { ...measure, width })).map((word) => word.replace(/,$/, ""))).toEqual(words);
      }),
    );
  });

  test("a word wider than the line is set smaller before it is broken", () => {
    const text = "a Mikrofasertuchhalter b";
    const size = unbrokenSize(text, { ...measure, width: 90 });
    expect(size).toBeWithin(7, 10);
    expect(wrapText(text, { ...measure, width: 90, size })).toEqual(["a", "Mikrofasertuchhalter", "b"]);
    expect(unbrokenSize("two words", measure)).toBe(10);
    expect(unbrokenSize("W".repeat(100), measure)).toBe(7);
  });

  test("a Thai word is not broken", () => {
    const words = [..."น้ำผึ้งแท้จากเชียงใหม่".matchAll(/น้ำ|ผึ้ง|แท้|จาก|เชียงใหม่/g)].map(([word]) => word);
    const lines = wrapText(words.join(""), { ...measure, width: 60 });
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line.replaceAll(new RegExp(words.join("|"), "g"), "")).toBe("");
  });

  test("no text is lost, and no line is too wide", () => {
    const words = fc.array(fc.constantFrom("a", "quite", "東京都", "מוצר", "น้ำผึ้ง", "W".repeat(40), "x-y", "👍🏽", "،"));
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(" ");
        const lines = wrapText(text, measure);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        for (const line of lines) expect(shapedWidth(line, 10, false)).toBeLessThanOrEqual(100.001);
      }),
    );
  });
});

describe("barcodes", () => {
  const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme-ascii" });

  test("Code 128 of printable ASCII reads back", async () => {
    const texts = [
      "RICE-1KG",
      "1234567890",
      "A1234567B12345",
      "12345",
      " ~^_>0",
      ...fc.sample(text, { numRuns: 30, seed: 4 }),
    ];
    for (const one of texts) expect(await scan(barsAsPixels(one))).toEqual([{ kind: "]C0", text: one }]);
  });

  test("GS1 text reads back with its function character", async () => {
    for (const one of ["(420)90210", "(420)902101234", "(421)826SW1A1AA", "(420)K1A0B1", "(00)095212340012345676"]) {
      const expected = [{ kind: "]C1", text: one.replaceAll(/[()]/g, "") }];
      expect(await scan(barsAsPixels(one, true))).toEqual(expected);
    }
  });

  test("are as short as those of bwip-js", () => {
    const library = (one: string, gs1: boolean) => {
      const [symbol] = bwip.raw(gs1 ? "gs1-128" : "code128", one, "");
      if (symbol === undefined || !("sbs" in symbol)) throw new Error(`no bars of ${one}`);
      return symbol.sbs.reduce((sum, width) => sum + width, 0);
    };
    const number = fc.stringMatching(/^[A-Z]{2,4}[0-9]{12}[0-9A-Z]$/);
    const code = fc.stringMatching(/^[0-9A-Z]{3,20}$/);
    const short = (one: string, gs1 = false) =>
      expect(code128Bars(one, gs1).width).toBeLessThanOrEqual(library(one, gs1));
    fc.assert(fc.property(number, (one) => short(one)));
    fc.assert(fc.property(code, (one) => short(one)));
    fc.assert(fc.property(code, (one) => short(`(420)${one}`, true)));
  });

  test("QR codes of any text read back", async () => {
    const texts = ["東京-1", "X".repeat(100), "ถ".repeat(100), "👩‍🚀".repeat(20), "Ω", "12345678901234567890"];
    for (const one of texts) expect(await scan(squaresAsPixels(one))).toEqual([{ kind: "]Q1", text: one }]);
  });

  test("other texts and long texts become QR codes", () => {
    expect(symbolOf("RICE-1KG", 200).kind).toBe("code128");
    expect(symbolOf("東京-1", 200).kind).toBe("qr");
    expect(symbolOf("X".repeat(40), 200).kind).toBe("qr");
  });
});

describe("guards", () => {
  test("a line keeps joiners and drops direction overrides", () => {
    expect(printableLine("a\u202eb\u200bc\nd\t e\u0000")).toBe("abc d e");
    expect(printableLine("می‌خواهم 👩‍🚀")).toBe("می‌خواهم 👩‍🚀");
    expect(printableLine("\ud800e\u0301")).toBe("\ufffdé");
  });

  test("any text can be drawn", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), fc.boolean(), (given, bold) => {
        const line = printableLine(given);
        expect(shapeText(line, bold).width).toBeGreaterThanOrEqual(0);
        wrapText(line, { width: 30, size: 10, bold });
      }),
    );
  });

  test.each(["", "é", "a\nb", "x".repeat(81)])("%p is not a Code 128 text", (given) => {
    expect(isCode128Text(given)).toBe(false);
  });
});

function barsAsPixels(text: string, gs1 = false): Pixels {
  const { width, bars } = code128Bars(text, gs1);
  const size = { width: (width + 20) * 2, height: 40 };
  const data = new Uint8ClampedArray(size.width * size.height * 4).fill(255);
  for (let row = 0; row < size.height; row++) {
    for (const bar of bars) {
      for (let x = 0; x < bar.width * 2; x++) data.set([0, 0, 0, 255], (row * size.width + (bar.at + 10) * 2 + x) * 4);
    }
  }
  return { ...size, data };
}

function squaresAsPixels(text: string): Pixels {
  const symbol = symbolOf(text, 0);
  if (symbol.kind !== "qr") throw new Error("no room for bars");
  const side = (symbol.side + 8) * 4;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [at, row] of symbol.rows.entries()) {
    for (const bar of row) {
      for (let y = 0; y < 4; y++) {
        const start = ((at + 4) * 4 + y) * side + (bar.at + 4) * 4;
        for (let x = 0; x < bar.width * 4; x++) data.set([0, 0, 0, 255], (start + x) * 4);
      }
    }
  }
  return { width: side, height: side, data };
}
