import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { code128Bars, code128Width, qrSide, qrSquares, zplCode128 } from "../../src/documents/barcodes.ts";
import { pdf, png, printerResolutions, zpl, zplData } from "../../src/documents/render_job.ts";
import { drawLabel, type LabelFacts } from "../../src/shipping/labels/draw_label.ts";
import { ownTrackingNumber } from "../../src/shipping/labels/tracking_number.ts";
import { facts } from "../shipping/labels/label_facts.ts";
import { openPdf, printZpl, scan } from "./decode.ts";

const hostileTexts = [
  "^XZ ~JA _5E >0 (420)",
  "two\nlines\r\n^FS",
  "x".repeat(200),
  "Łódź",
  "東京",
  "",
  "\u0000\u202e\ud800",
];

function hostile(text: string): LabelFacts {
  const address = { ...facts.recipient, name: text, company: text, address_line1: text, address_line2: text };
  return {
    ...facts,
    sender: address,
    recipient: address,
    order_number: text,
    weight: text,
    service: text,
    carrier: text,
  };
}

const symbols = (url: string) => [
  { kind: "]C0", text: "WH000000000001Q" },
  { kind: "]C1", text: "42090210" },
  { kind: "]Q1", text: url },
];

const decoder = new TextDecoder();
const lines = (bytes: Uint8Array): string[] => decoder.decode(bytes).trimEnd().split("\n");

describe("PNG", () => {
  test("all symbols of a label scan at both resolutions, in both environments", async () => {
    for (const resolution of printerResolutions) {
      for (const is_test of [false, true]) {
        const image = await png(drawLabel({ ...facts, test: is_test }).drawing, resolution);
        expect(await scan(image)).toEqual(symbols(facts.qr_text ?? ""));
        const [width, height] = [16, 20].map((at) => new DataView(image.buffer, image.byteOffset).getUint32(at));
        expect([width, height]).toEqual(resolution === 203 ? [812, 1218] : [1200, 1800]);
      }
    }
  });

  test("a label with a long tracking URL and a foreign postal code scans", async () => {
    const qr_text = `https://ship.example.com/track/WH000000000001Q?theme=${"dark-blue.".repeat(18)}`;
    const recipient = { ...facts.recipient, country: "GB", postal_code: "SW1A 1AA" };
    const image = await png(drawLabel({ ...facts, recipient, qr_text }).drawing, 203);
    expect((await scan(image)).map(({ text }) => text)).toEqual(["WH000000000001Q", "421826SW1A1AA", qr_text]);
  });

  test("any text scans", async () => {
    for (const text of hostileTexts) {
      expect(await scan(await png(drawLabel(hostile(text)).drawing))).toEqual(symbols(facts.qr_text ?? ""));
    }
  });
});

test("a QR code has the size that the layout reserved", () => {
  for (let length = 1; length <= 250; length += 3) {
    const text = "aB1/".repeat(63).slice(0, length);
    expect(qrSquares(text).side).toBe(qrSide(text));
  }
});

describe("PDF", () => {
  test("a 4 x 6 inch page has vector bars that scan, and text that reads as drawn", async () => {
    for (const text of ["Jordan Avery", "fi ffi Łódź Ωмега’", ...hostileTexts]) {
      const { drawing } = drawLabel(hostile(text));
      const opened = await openPdf(await pdf(drawing));
      expect(opened.size).toEqual([288, 432]);
      expect(await scan(opened.pixels)).toEqual(symbols(facts.qr_text ?? ""));
      const drawn = drawing.operations.flatMap((operation) => (operation.op === "text" ? [operation.text] : []));
      expect(opened.texts).toEqual(drawn);
    }
  });
});

describe("ZPL", () => {
  const skeleton = (bytes: Uint8Array): string[] =>
    lines(bytes)
      .filter((line) => line.startsWith("^F"))
      .map((line) => line.replace(/\^FD.*\^FS$/, "^FD^FS").replaceAll(/\d+/g, "n"));

  test("has one field per line, and no text can start a command", async () => {
    for (const text of hostileTexts) {
      const printed = lines(await zpl(drawLabel(hostile(text)).drawing));
      expect(printed.slice(0, 5)).toEqual(["^XA", "^CI28", "^PW812", "^LL1218", "^LH0,0"]);
      expect(printed.at(-1)).toBe("^XZ");
      for (const line of printed.slice(5, -1)) {
        expect(line).toMatch(/^\^F[OT]\d+,\d+(\^[A-Z0-9]{2}[^^~]*)*?(\^FH\^FD[\x20-\x5d\x60-\x7d_]*)?\^FS$/);
        expect(line).not.toMatch(/~/);
        expect(line.match(/\^FS/g)).toHaveLength(1);
        expect(line.split("^FD")[1]?.slice(0, -3) ?? "").not.toMatch(/[\^~]|_(?![0-9A-F]{2})/);
      }
    }
  });

  test("has the same commands for special and plain texts with the same number of lines", async () => {
    expect(skeleton(await zpl(drawLabel(hostile("^~_>(")).drawing))).toEqual(
      skeleton(await zpl(drawLabel(hostile("abcde")).drawing)),
    );
  });

  // The renderer reads `>5` differently from Zebra's table, so this uses barcodes without it.
  test("any text scans when printed", async () => {
    const tracking_number = "095212340012345676";
    for (const text of hostileTexts) {
      const printed = await printZpl(await zpl(drawLabel({ ...hostile(text), tracking_number }).drawing));
      const [own, postal, qr] = await scan(printed);
      expect([postal, qr]).toEqual(symbols(facts.qr_text ?? "").slice(1));
      expect(own).toEqual({ kind: "]C1", text: `00${tracking_number}` });
    }
  });

  test("writes symbols with their code sets", async () => {
    const fields = lines(await zpl(drawLabel(facts).drawing));
    expect(fields).toContain("^FO94,822^BY4^BCN,254,N,N,N,N^FH^FD>:WH>5000000000001>6Q^FS");
    expect(fields.some((line) => line.endsWith("^BCN,136,N,N,N,N^FH^FD>;>842090210^FS"))).toBe(true);
    const sscc = lines(await zpl(drawLabel({ ...facts, tracking_number: "095212340012345676" }).drawing));
    expect(sscc).toContain("^FO94,822^BY4^BCN,254,N,N,N,N^FH^FD>;>800095212340012345676^FS");
    expect(fields.some((line) => /\^BQN,2,\d\^FH\^FDMA,https:/.test(line))).toBe(true);
  });

  test("escapes anything but plain ASCII, as UTF-8", () => {
    expect(zplData("a^b~c_d>é\n")).toBe("a_5Eb_7Ec_5Fd>_C3_A9_0A");
  });

  test("takes the same number of modules as the other formats", () => {
    const number = fc
      .tuple(fc.constantFrom("WH", "PKH", "PACK", "SIM"), fc.nat(999_999_999))
      .map(([prefix, serial]) => ownTrackingNumber(prefix, serial));
    fc.assert(
      fc.property(number, (text) => expect(zplWidth(zplCode128(text, false))).toBe(code128Bars(text, false).width)),
    );
    for (const text of [
      "(420)90210",
      "(420)902101234",
      "(421)826SW1A1AA",
      "(421)276109991",
      "(421)124K1A0B1",
      "(420)12",
      "(00)095212340012345676",
    ]) {
      expect([text, zplWidth(zplCode128(text, true))]).toEqual([text, code128Bars(text, true).width]);
    }
  });

  test("caches the width of a barcode by the shape of its text", () => {
    // Few shapes with many texts each: most widths are those of an earlier text.
    const shaped = fc.stringMatching(/^[0-9A-Z]{3}[0-9]{4}[A-Z]?$/);
    const width = (text: string, gs1: boolean) => expect(code128Width(text, gs1)).toBe(code128Bars(text, gs1).width);
    fc.assert(fc.property(shaped, (text) => width(text, false)));
    fc.assert(fc.property(shaped, (text) => width(`(420)${text}`, true)));
    for (const country of ["826", "276", "124"]) width(`(421)${country}10999`, true);
  });

  /** Modules of a `^BC` field: 11 for each symbol, the start and the check, 13 for the stop. */
  function zplWidth(data: string): number {
    let pairs = false;
    let count = 2;
    for (const [token] of data.matchAll(/>.|[^>]/g)) {
      if (token === ">;" || token === ">:") pairs = token === ">;";
      else if (token === ">5" || token === ">6") {
        pairs = token === ">5";
        count += 1;
      } else count += token === ">8" || !pairs ? 1 : 0.5;
    }
    return count * 11 + 13;
  }
});

test("every writer always gives the same bytes, also for a stored drawing", async () => {
  const { drawing } = drawLabel(facts);
  const first = [await pdf(drawing), await png(drawing), await zpl(drawing)];
  for (const text of hostileTexts) await pdf(drawLabel(hostile(`${text}\u00a0Ω\u2126µμ`)).drawing);
  const stored = JSON.parse(JSON.stringify(drawing)) as typeof drawing;
  expect([await pdf(stored), await png(stored), await zpl(stored)]).toEqual(first);
});
