import type { Book, Ink, Leaf } from "../books/book.ts";
import { printableLine } from "../text/shaping.ts";
import { unbrokenSize, wrapList, wrapText } from "../text/wrapping.ts";

/** Something that is drawn whole: a line of text, a bar code. Its height is in points. */
export interface Brick {
  readonly height: number;
  draw(leaf: Leaf, x: number, y: number): void;
}

/** A place on the pages: bricks are laid from here down, and a page is turned when it is full. */
export interface Flow {
  readonly left: number;
  readonly width: number;
  leaf: Leaf;
  y: number;
  readonly bottom: number;
  /** Where the first brick of a new page lies. */
  turn(): void;
}

export const margin = 36;
const foot_height = 26;
const head_height = 24;

/** Opens the first page; `head` is drawn at the top of every later one. */
export function openFlow(book: Book, head: (leaf: Leaf) => void): Flow {
  return {
    left: margin,
    width: book.size.width - 2 * margin,
    leaf: book.turn(),
    y: margin,
    bottom: book.size.height - margin - foot_height,
    turn() {
      this.leaf = book.turn();
      head(this.leaf);
      this.y = margin + head_height;
    },
  };
}

const line_height = 1.28;
const ascent = 0.94;

/** A text as bricks, one a line, wrapped into the width. */
export function textBricks(text: string, width: number, ink: Ink, align: "left" | "right" = "left"): Brick[] {
  const line = printableLine(text);
  const size = unbrokenSize(line, { width, size: ink.size, bold: ink.bold });
  return lineBricks(wrapText(line, { width, size, bold: ink.bold }), width, { ...ink, size }, align);
}

/** Texts with commas between them as bricks, one a line; none is broken that fits the width. */
export function listBricks(texts: readonly string[], width: number, ink: Ink): Brick[] {
  const lines = wrapList(texts.map(printableLine), { width, size: ink.size, bold: ink.bold });
  return lineBricks(lines, width, ink, "left");
}

function lineBricks(lines: readonly string[], width: number, ink: Ink, align: "left" | "right"): Brick[] {
  return lines.map((line) => ({
    height: ink.size * line_height,
    draw: (leaf, x, y) => leaf.text(align === "left" ? x : x + width, y + ink.size * ascent, line, ink, align),
  }));
}

/** Bricks below each other, with nothing between them; on a new page where they would not fit. */
export function lay(flow: Flow, bricks: readonly Brick[], x = flow.left): void {
  for (const brick of bricks) {
    if (flow.y + brick.height > flow.bottom) flow.turn();
    brick.draw(flow.leaf, x, flow.y);
    flow.y += brick.height;
  }
}

/** A stack of bricks at a place. */
export interface Stack {
  readonly x: number;
  readonly bricks: readonly Brick[];
}

/** Stacks beside each other, each as far as it goes: what does not fit goes on beside each other on the next page. */
export function laySideBySide(flow: Flow, stacks: readonly Stack[], turn = () => flow.turn()): void {
  let rest = stacks;
  for (;;) {
    const start = flow.y;
    let lowest = start;
    rest = rest.map(({ x, bricks }) => {
      let y = start;
      let laid = 0;
      for (const brick of bricks) {
        if (y + brick.height > flow.bottom) break;
        brick.draw(flow.leaf, x, y);
        y += brick.height;
        laid++;
      }
      lowest = Math.max(lowest, y);
      return { x, bricks: bricks.slice(laid) };
    });
    flow.y = lowest;
    if (rest.every(({ bricks }) => bricks.length === 0)) return;
    turn();
  }
}

/** The height of the highest stack. */
export function heightOf(stacks: readonly Stack[]): number {
  return Math.max(0, ...stacks.map(({ bricks }) => bricks.reduce((sum, { height }) => sum + height, 0)));
}
