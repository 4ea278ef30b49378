import { create, type Font } from "@cantoo/fontkit";
import regularPath from "dejavu-fonts-ttf/ttf/DejaVuSans.ttf" with { type: "file" };
import boldPath from "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf" with { type: "file" };
import { assert } from "../../kit/assert.ts";
import { readFontFile } from "./typefaces.ts";

/** A glyph's way on the page: its outline as SVG path data and its width, both in font units with y upwards. */
export interface Glyph {
  readonly outline: string;
  readonly advance: number;
}

/** One weight of DejaVu Sans, as the writers and the layout need it. */
export interface Face {
  readonly bytes: Uint8Array;
  /** Font units in one em. */
  readonly em: number;
  has(code_point: number): boolean;
  glyph(code_point: number): Glyph;
}

let regular: Face | undefined;
let bold: Face | undefined;

/** The regular or bold face. It is read from the program itself on the first use and kept. */
export function faceOf(is_bold: boolean): Face {
  if (is_bold) {
    bold ??= openFace(boldPath);
    return bold;
  }
  regular ??= openFace(regularPath);
  return regular;
}

/** The width of a text in the unit of `size`, without kerning and ligatures, which no writer uses. */
export function textWidth(text: string, size: number, is_bold: boolean): number {
  const face = faceOf(is_bold);
  let units = 0;
  for (const character of text) units += face.glyph(character.codePointAt(0) ?? 0).advance;
  return (units * size) / face.em;
}

/** Whether both weights can draw the character. */
export function isDrawable(code_point: number): boolean {
  return faceOf(false).has(code_point) && faceOf(true).has(code_point);
}

function openFace(path: string): Face {
  const bytes = readFontFile(path);
  const font = create(bytes) as Font;
  const glyphs = new Map<number, Glyph>();
  const read = (code_point: number): Glyph => {
    const glyph = font.glyphForCodePoint(code_point);
    assert(glyph !== null, `the font has no glyph for ${code_point}`);
    return { outline: glyph.path.toSVG(), advance: glyph.advanceWidth };
  };
  return {
    bytes,
    em: font.unitsPerEm,
    has: (code_point) => font.hasGlyphForCodePoint(code_point),
    glyph: (code_point) => {
      const known = glyphs.get(code_point);
      if (known !== undefined) return known;
      const glyph = read(code_point);
      glyphs.set(code_point, glyph);
      return glyph;
    },
  };
}
