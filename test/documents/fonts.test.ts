import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { create, type Font } from "@cantoo/fontkit";
import { dejaVu, notoEmoji, notoSans, notoSansCjk } from "../../src/documents/typefaces.ts";

const folder = join(import.meta.dir, "../../src/documents/fonts");
const files = readdirSync(folder);
const packed = files.filter((name) => name.endsWith(".zst"));
const carried = [dejaVu.regular, dejaVu.bold, notoEmoji, notoSansCjk, ...Object.values(notoSans)];

/** The names of the fonts in a file. */
function namesIn(bytes: Uint8Array): string[] {
  const read = create(bytes);
  return ("fonts" in read ? (read.fonts as Font[]) : [read]).map(({ postscriptName }) => String(postscriptName));
}

test("every compressed file is a font in use and contains what its name says", async () => {
  const known = new Map<string, string[]>();
  for (const file of carried) {
    // Both ways to decompress give the same file.
    const at_once = file.bytes();
    await file.unpack();
    expect(file.bytes()).toBe(at_once);
    const names = namesIn(at_once);
    known.set(names.length > 1 ? "NotoSansCJK.ttc" : `${names[0]?.replace("-Regular", "")}.ttf`, names);
  }
  expect([...known.keys()].map((name) => `${name}.zst`).sort()).toEqual(packed.sort());
  expect(known.get("NotoSansCJK.ttc")).toEqual(["NotoSansSC-Regular", "NotoSansJP-Regular", "NotoSansKR-Regular"]);
});

test("every font family has its license next to it", async () => {
  const cjk = ["NotoSansSC", "NotoSansJP", "NotoSansKR"];
  const families = packed.flatMap((name) => {
    const family = name.replace(/(?:-Bold)?\.tt[cf]\.zst$/, "");
    return family === "NotoSansCJK" ? cjk : [family];
  });
  const licences = files.filter((name) => name.endsWith(".LICENSE")).map((name) => name.replace(".LICENSE", ""));
  expect(licences.sort()).toEqual([...new Set(families)].sort());
  for (const licence of licences) {
    const text = await Bun.file(join(folder, `${licence}.LICENSE`)).text();
    expect(text).toMatch(licence === "DejaVuSans" ? /Bitstream Vera/ : /SIL OPEN FONT LICENSE/i);
  }
});
