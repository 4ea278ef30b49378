import { shapeText } from "../text/shaping.ts";
import type { TextOperation } from "./drawing.ts";

/** A text as SVG outlines, so that nothing depends on the fonts of a machine. `scale` is pixels to a dot. */
export function textOutlines(operation: TextOperation, scale: number): string {
  const { text, bold, white, align } = operation;
  const { runs, width } = shapeText(text, bold);
  const size = operation.size * scale;
  const before = { left: 0, center: width / 2, right: width }[align];
  const colour = white ? "#fff" : "#000";
  // The pen's place, in ems from the left end of the text.
  let pen = 0;
  let outlines = "";
  for (const { face, glyphs } of runs) {
    const font = face.font();
    const em = font.unitsPerEm;
    // Light letters get a line around them where bold ones are wanted, as wide as in a PDF.
    const heavy = bold && face.light ? ` stroke="${colour}" stroke-width="${em / 40}"` : "";
    outlines += `<g transform="scale(${1 / em} ${-1 / em})"${heavy}>`;
    for (const glyph of glyphs) {
      const data = font.getGlyph(glyph.id)?.path.toSVG() ?? "";
      const place = `translate(${(pen + glyph.x) * em} ${glyph.y * em})`;
      if (data !== "") outlines += `<path transform="${place}" d="${data}"/>`;
      pen += glyph.advance;
    }
    outlines += "</g>";
  }
  // Outlines are curves, so they are the one thing drawn with soft edges.
  const place = `translate(${operation.x * scale - before * size} ${operation.y * scale}) scale(${size})`;
  const look = `fill="${colour}" shape-rendering="geometricPrecision"`;
  return `<g transform="${place}" ${look}>${outlines}</g>`;
}
