import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import countries from "i18n-iso-countries/index.js";
import type { ContactAddress } from "../../../src/core/postal_address.ts";
import { addressLines, postalBarcode } from "../../../src/documents/address_lines.ts";
import { code128Bars, qrSquares } from "../../../src/documents/barcodes.ts";
import type { DrawingOperation } from "../../../src/documents/drawing.ts";
import { shapedWidth } from "../../../src/documents/shape_text.ts";
import { drawLabel, type LabelFacts } from "../../../src/shipping/labels/draw_label.ts";
import { tries } from "../../volume.ts";
import { facts } from "./label_facts.ts";

interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The area of an operation. Barcodes include their quiet zones. */
function areaOf(operation: DrawingOperation): Area {
  const { x, y } = operation;
  switch (operation.op) {
    case "text": {
      const { text, size, bold, align } = operation;
      const width = shapedWidth(text, size, bold);
      const left = x - { left: 0, center: width / 2, right: width }[align];
      return { left, top: y - size * 0.76, right: left + width, bottom: y + size * 0.24 };
    }
    case "code128": {
      const { width } = code128Bars(operation.text, operation.gs1);
      const quiet = 10 * operation.module;
      const right = x + width * operation.module + quiet;
      return { left: x - quiet, top: y, right, bottom: y + operation.height };
    }
    case "qr": {
      const quiet = 4 * operation.module;
      const side = qrSquares(operation.text).side * operation.module;
      return { left: x - quiet, top: y - quiet, right: x + side + quiet, bottom: y + side + quiet };
    }
    default:
      return { left: x, top: y, right: x + operation.width, bottom: y + operation.height };
  }
}

const overlap = (a: Area, b: Area): boolean =>
  a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;

/** White text is on a fill, everything else does not overlap, and all of it is on the label. */
function layoutProblems(operations: readonly DrawingOperation[]): string[] {
  const problems: string[] = [];
  const areas = new Map(operations.map((operation) => [operation, areaOf(operation)]));
  for (const [index, one] of operations.entries()) {
    const area = areas.get(one) as Area;
    if (area.left < 0 || area.top < 0 || area.right > 812 + 1 || area.bottom > 1218) {
      problems.push(`outside: ${JSON.stringify(one)}`);
    }
    for (const other of operations.slice(index + 1)) {
      const stamped = [one, other].some((o) => o.op === "fill") && [one, other].some((o) => o.op === "text" && o.white);
      if (!stamped && overlap(area, areas.get(other) as Area))
        problems.push(`${JSON.stringify(one)} on ${JSON.stringify(other)}`);
    }
  }
  return problems;
}

const textsOf = (operations: readonly DrawingOperation[]): string[] =>
  operations.flatMap((operation) => (operation.op === "text" ? [operation.text] : []));

describe("drawLabel", () => {
  test("draws everything, without warnings, as plain JSON", () => {
    const { drawing, warnings } = drawLabel(facts);
    expect(warnings).toEqual([]);
    expect(JSON.parse(JSON.stringify(drawing))).toEqual(drawing);
    expect(textsOf(drawing.operations)).toEqual([
      "STANDARD",
      "Packhouse Courier",
      "FROM",
      "Shipping Desk",
      "Cold Harbor Foods",
      "1200 Wharf Road",
      "Dock 4",
      "Brooklyn, NY 11231",
      "WEIGHT",
      "12.5 lb",
      "PARCEL",
      "1 of 2",
      "SHIPS",
      "2026-11-20",
      "SHIP TO",
      "Jordan Avery",
      "Corner Deli",
      "450 Canyon Drive",
      "Suite 12",
      "Beverly Hills, CA 90210",
      "(420) 90210",
      "WH000000000001Q",
      "Order ORD-2026-00017",
      "Courier label of the sending warehouse",
    ]);
    expect(layoutProblems(drawing.operations)).toEqual([]);
  });

  test("marks a test label with large letters", () => {
    const { drawing } = drawLabel({ ...facts, test: true });
    const stamp = drawing.operations.find((operation) => operation.op === "text" && operation.text === "TEST");
    expect(stamp).toMatchObject({ size: 80, bold: true });
    expect(layoutProblems(drawing.operations)).toEqual([]);
    expect(textsOf(drawLabel(facts).drawing.operations)).not.toContain("TEST");
  });

  test("draws the tracking barcode with 0.5 mm modules, 32 mm height and quiet zones", () => {
    for (const tracking_number of ["WH000000000001Q", "SIM000000000001A", "PACK999999999999Z"]) {
      const { drawing } = drawLabel({ ...facts, tracking_number });
      const symbol = drawing.operations.find((operation) => operation.op === "code128" && !operation.gs1);
      expect(symbol).toMatchObject({ module: 4, height: 254, text: tracking_number });
      expect(layoutProblems(drawing.operations)).toEqual([]);
    }
  });

  test("draws an SSCC as a GS1 barcode of 156 modules, with the identifier in the readable text", () => {
    const { drawing } = drawLabel({ ...facts, tracking_number: "095212340012345676" });
    const symbol = drawing.operations.find((operation) => operation.op === "code128" && operation.y === 822);
    expect(symbol).toMatchObject({ module: 4, height: 254, gs1: true, text: "(00)095212340012345676" });
    expect(code128Bars("(00)095212340012345676", true).width).toBe(156);
    expect(textsOf(drawing.operations)).toContain("(00) 095212340012345676");
    expect(layoutProblems(drawing.operations)).toEqual([]);
  });

  test("prints letters of all scripts, and warns about unassigned characters by field", () => {
    const recipient = { ...facts.recipient, name: "東京 太郎", company: "Łódź ø", city: "Київ", postal_code: "?" };
    const { drawing, warnings } = drawLabel({ ...facts, recipient, qr_text: "https://例え.jp", service: "שלום" });
    expect(warnings.map(({ field, code }) => [field, code])).toEqual([
      ["tracking_url", "no_qr_code"],
      ["recipient.postal_code", "no_postal_barcode"],
    ]);
    for (const text of ["東京 太郎", "Łódź ø", "Київ, CA ?", "שלום"])
      expect(textsOf(drawing.operations)).toContain(text);
  });

  test("has no QR code and no caption for it without a URL", () => {
    const { drawing, warnings } = drawLabel({ ...facts, qr_text: null });
    expect(drawing.operations.filter(({ op }) => op === "qr")).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("keeps the city if everything is far too long, and reports that it was cut", () => {
    const long = "Incomprehensibilities of the Street ".repeat(12);
    const recipient = { ...facts.recipient, name: long, company: long, address_line1: long, address_line2: long };
    const { drawing, warnings } = drawLabel({ ...facts, recipient, test: true, order_number: long });
    expect(warnings.map(({ field, code }) => [field, code])).toEqual([
      ["recipient", "shortened_text"],
      ["order_number", "shortened_text"],
    ]);
    expect(textsOf(drawing.operations)).toContain("Beverly Hills, CA 90210");
    expect(layoutProblems(drawing.operations)).toEqual([]);
  });

  test("keeps its layout for any text", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 220 }),
      fc.constantFrom("", "\n", "W".repeat(200), "^~_>("),
    );
    const more = fc.record({ name: text, company: text, address_line1: text, city: text, postal_code: text });
    const country = fc.constantFrom("US", "GB", "JP", "AE", "BR", "XX");
    fc.assert(
      fc.property(more, country, text, fc.boolean(), fc.webUrl(), (address, code, order_number, is_test, qr_text) => {
        const recipient: ContactAddress = { ...facts.recipient, ...address, country: code };
        const { drawing } = drawLabel({ ...facts, recipient, sender: recipient, order_number, test: is_test, qr_text });
        expect(layoutProblems(drawing.operations)).toEqual([]);
        for (const line of textsOf(drawing.operations)) expect(line).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e]/u);
      }),
      tries(40),
    );
  });
});

describe("addresses", () => {
  const abroad = (more: Partial<ContactAddress>): ContactAddress => ({
    ...facts.recipient,
    company: null,
    address_line2: null,
    ...more,
  });

  test("are in the order of their country, with its name abroad", () => {
    const berlin = abroad({
      name: "Anna",
      address_line1: "Am Ufer 3",
      city: "Berlin",
      state: null,
      postal_code: "10999",
      country: "DE",
    });
    expect(addressLines(berlin, "US")).toEqual(["Anna", "Am Ufer 3", "10999 Berlin", "GERMANY"]);
    expect(addressLines(berlin, "DE")).toEqual(["Anna", "Am Ufer 3", "10999 Berlin"]);
  });

  test("in East Asian scripts start with the largest unit", () => {
    const tokyo = abroad({
      name: "山田 太郎",
      company: "株式会社見本",
      address_line1: "神南1-2-3",
      city: "渋谷区",
      state: "東京都",
      postal_code: "150-0041",
      country: "JP",
    });
    const lines = ["〒150-0041", "東京都渋谷区", "神南1-2-3", "株式会社見本", "山田 太郎"];
    expect(addressLines(tokyo, "JP")).toEqual(lines);
    expect(addressLines(tokyo, "US")).toEqual([...lines, "JAPAN"]);
    const latin = {
      name: "Taro Yamada",
      company: null,
      address_line1: "1-2-3 Jinnan",
      city: "Shibuya-ku",
      state: "Tokyo",
    };
    expect(addressLines({ ...tokyo, ...latin }, "US")).toEqual([
      "Taro Yamada",
      "1-2-3 Jinnan, Shibuya-ku, Tokyo",
      "150-0041",
      "JAPAN",
    ]);
  });

  test("keep the city and the postal code even if the country's format omits them", () => {
    for (const country of Object.keys(countries.getAlpha2Codes())) {
      const text = addressLines(abroad({ country, city: "Somewhere", postal_code: "12345" }), "US").join("\n");
      expect([country, text.includes("Somewhere"), text.includes("12345")]).toEqual([country, true, true]);
    }
  });

  test("get a valid postal barcode for every country", () => {
    expect(postalBarcode(facts.recipient, "US")).toBe("(420)90210");
    expect(postalBarcode(abroad({ postal_code: "90210-1234" }), "US")).toBe("(420)902101234");
    expect(postalBarcode(abroad({ country: "GB", postal_code: "sw1a 1aa" }), "US")).toBe("(421)826SW1A1AA");
    for (const postal_code of [null, "", "^XZ", "1234567890"])
      expect(postalBarcode(abroad({ postal_code }), "US")).toBeNull();
    for (const country of Object.keys(countries.getAlpha2Codes())) {
      const text = postalBarcode(abroad({ country }), country === "US" ? "CA" : "US");
      if (text !== null) expect(code128Bars(text, true).width).toBeGreaterThan(0);
    }
  });
});

test("an invalid tracking number of our own is a programming error", () => {
  for (const tracking_number of ["", "WH^XA", "wh1", "東京", "A".repeat(25)]) {
    const wrong: LabelFacts = { ...facts, tracking_number };
    expect(() => drawLabel(wrong)).toThrow("assertion failed");
  }
});
