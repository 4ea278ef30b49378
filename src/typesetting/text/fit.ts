import { onFirstUse } from "../../kit/first_use.ts";
import { anyOfScripts } from "./scripts.ts";
import { shapedWidth } from "./shaping.ts";
import { wrapText } from "./wrapping.ts";

/** Text made to fit: the lines, the size at which all of them fit, and whether some of it had to go. */
interface Fitted {
  readonly lines: readonly string[];
  readonly size: number;
  readonly shortened: boolean;
}

/** The room for a text, in dots: the largest size that fits is taken, and below `least` text is cut. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly most: number;
  readonly least: number;
  readonly bold: boolean;
}

// Scripts whose letters stand on top of each other.
const tall = new RegExp(anyOfScripts("Myanmar", "Khmer"), "u");
const step = 2;

/** The height of each of these lines in relation to its size. */
export function lineHeight(lines: readonly string[]): number {
  return lines.some((line) => tall.test(line)) ? 1.6 : 1.2;
}

/** Shrinks and wraps the lines into the room, at words where it can. What still does not fit ends in an ellipsis. */
export function fitLines(lines: readonly string[], room: Room): Fitted {
  const high = lineHeight(lines);
  for (let size = room.most; size > room.least; size -= step) {
    const wrapped = wrapAll(lines, size, room);
    if (wrapped.length * size * high <= room.height) return { lines: wrapped, size, shortened: false };
  }
  const size = room.least;
  const wrapped = wrapAll(lines, size, room);
  const count = Math.max(1, Math.floor(room.height / (size * high)));
  if (wrapped.length <= count) return { lines: wrapped, size, shortened: false };
  // Long lines give way first: the last line of an address, its town and country, matters most.
  const each = Math.max(1, Math.floor(count / lines.length));
  const cut = lines.flatMap((line) => cutLines(wrapAll([line], size, room), each, size, room));
  return { lines: cutLines(cut, count, size, room), size, shortened: true };
}

/** Shrinks one line into a width, and cuts it when it is too long even at the least size. */
export function fitLine(text: string, room: Omit<Room, "height">): Fitted {
  const ems = shapedWidth(text, 1, room.bold);
  for (let size = room.most; size >= room.least; size -= step) {
    if (ems * size <= room.width) return { lines: [text], size, shortened: false };
  }
  return { lines: [ellipsis(text, room.least, room)], size: room.least, shortened: true };
}

type Width = Pick<Room, "width" | "bold">;

function wrapAll(lines: readonly string[], size: number, { width, bold }: Width): string[] {
  return lines.flatMap((line) => wrapText(line, { width, size, bold }));
}

function cutLines(lines: readonly string[], count: number, size: number, room: Width): string[] {
  if (lines.length <= count) return [...lines];
  const kept = lines.slice(0, count);
  return [...kept.slice(0, -1), ellipsis(`${kept.at(-1) ?? ""} …`, size, room)];
}

const graphemes = onFirstUse(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

function ellipsis(text: string, size: number, room: Width): string {
  if (shapedWidth(text, size, room.bold) <= room.width) return text;
  let kept = "";
  for (const { segment } of graphemes().segment(text)) {
    if (shapedWidth(`${kept}${segment}…`, size, room.bold) > room.width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
