import { describe, expect, test } from "bun:test";
import { pdf, rasterized, svg, zpl } from "../../src/documents/render_job.ts";
import { unprintableLetters } from "../../src/documents/shape_text.ts";
import { missingFonts } from "../../src/documents/typefaces.ts";
import { drawLabel } from "../../src/shipping/labels/draw_label.ts";
import { facts } from "../shipping/labels/label_facts.ts";
import { openPdf } from "./decode.ts";

/** Whether a dot of a label is black. */
type Dots = (x: number, y: number) => boolean;

interface Graphic {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isBlack: Dots;
}

/** Reads the graphics of a ZPL label as a printer does. */
function graphicsOf(label: Uint8Array): Graphic[] {
  const fields = new TextDecoder().decode(label).matchAll(/\^FO(\d+),(\d+)\^GFA,(\d+),(\d+),(\d+),([0-9A-F,]*)\^FS/g);
  return [...fields].map(([, x, y, total, again, in_row, data = ""]) => {
    const bytes = Number(in_row);
    let digits = "";
    for (const digit of data) {
      if (digit === ",") digits += "0".repeat(bytes * 2 - (digits.length % (bytes * 2)));
      else digits += digit;
    }
    const dots = Buffer.from(digits, "hex");
    expect([dots.length, again]).toEqual([Number(total), String(total)]);
    const isBlack: Dots = (column, row) => ((dots[row * bytes + (column >> 3)] ?? 0) & (0x80 >> (column & 7))) !== 0;
    return { x: Number(x), y: Number(y), width: bytes * 8, height: dots.length / bytes, isBlack };
  });
}

describe("every script with a font prints in every format", () => {
  test.each([
    ["Japanese", "東京ラーメン 髙島屋", "JP"],
    ["Korean", "대한민국 서울", "KR"],
    ["Chinese", "北京东方有限公司 臺灣", "CN"],
    ["Arabic", "مُحَمَّد العربية 12، مبنى 3", "AE"],
    ["Hebrew", "שָׁלוֹם עולם 15 (דירה)", "IL"],
    ["Thai", "น้ำผึ้งแท้ ใจดี", "TH"],
    ["Devanagari", "क्षत्रिय हिन्दी", "IN"],
    ["Bengali", "বাংলা পণ্য", "BD"],
    ["Tamil", "தமிழ் பொருள்", "IN"],
    ["Telugu", "తెలుగు వస్తువు", "IN"],
    ["Gujarati", "ગુજરાતી વસ્તુ", "IN"],
    ["Gurmukhi", "ਪੰਜਾਬੀ ਵਸਤੂ", "IN"],
    ["Kannada", "ಕನ್ನಡ ವಸ್ತು", "IN"],
    ["Malayalam", "മലയാളം വസ്തു", "IN"],
    ["Sinhala", "සිංහල භාණ්ඩ", "LK"],
    ["Khmer", "ខ្មែរ ទំនិញ", "KH"],
    ["Burmese", "မြန်မာ ကုန်", "MM"],
    ["Ethiopic", "አማርኛ ዕቃ", "ET"],
    ["Lao", "ພາສາລາວ", "LA"],
    ["Greek, Cyrillic and others", "Ωμέγα Київ Հայաստան საქართველო", "GR"],
    ["Latin beyond Latin-1", "Łódź ő ș ğ Việt", "PL"],
    ["pictures", "👩‍🚀 🎁", "US"],
  ])("%s", async (_, text, country) => {
    const recipient = { ...facts.recipient, name: text, company: text, address_line1: text, city: text, country };
    const { drawing } = drawLabel({ ...facts, sender: recipient, recipient, order_number: text });
    expect(unprintableLetters(text)).toEqual([]);
    // Some letters are decomposed for drawing.
    const said = (await openPdf(await pdf(drawing))).texts.map((line) => line.normalize("NFKD"));
    const letters = [...text.normalize("NFKD").replaceAll(/[ \u200d]/g, "")];
    // Right-to-left text is written in visual order, so letters are compared without their order.
    expect(said.filter((line) => letters.every((letter) => line.includes(letter))).length).toBeGreaterThanOrEqual(5);
    const pixels = await rasterized(svg(drawing, 203), (image) => image.pixels.slice());
    const drawn: Dots = (x, y) => (pixels[(y * drawing.width + x) * 4] ?? 255) < 128;
    const graphics = graphicsOf(await zpl(drawing));
    expect(graphics.length).toBeGreaterThanOrEqual(5);
    for (const { x, y, width, height, isBlack } of graphics) {
      let [black, different] = [0, 0];
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          if (isBlack(column, row)) black++;
          // Marks of the lines above and below may overlap this rectangle, so only set dots are compared.
          if (isBlack(column, row) && !drawn(x + column, y + row)) different++;
        }
      }
      expect(black).toBeGreaterThan(40);
      expect(different / black).toBeLessThan(0.02);
    }
  });
});

test("letters without a font are reported once each", () => {
  expect(unprintableLetters("1 ལྷ་ས Road, ལྷ 𒀀 東京 \ufffd")).toEqual(["ལྷ", "་", "ས", "𒀀", "\ufffd"]);
  expect(unprintableLetters("葛\u{e0100}城 👨‍👩‍👧 می\u200cخواهم")).toEqual([]);
});

test("without the CJK fonts, a message names the missing file", () => {
  for (const text of ["東京", "Seoul 서울", "ラーメン"]) {
    expect(missingFonts(text, false)).toContain("packhouse-fonts.zst");
    expect(missingFonts(text, true)).toBeNull();
    expect(missingFonts(text)).toBeNull();
  }
  expect(missingFonts("Łódź हिन्दी 🎁", false)).toBeNull();
});
