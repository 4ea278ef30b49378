import { textWidth } from "./fonts.ts";

/** Text made to fit: the lines, the size at which all of them fit, and whether some of it had to go. */
export interface Fitted {
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

/** The height of a line in relation to its size. */
export const lineHeight = 1.2;
const step = 2;

/** Shrinks and wraps the lines into the room, at words where it can. What still does not fit ends in an ellipsis. */
export function fitLines(lines: readonly string[], room: Room): Fitted {
  for (let size = room.most; size > room.least; size -= step) {
    const wrapped = wrapAll(lines, size, room);
    if (wrapped.length * size * lineHeight <= room.height) return { lines: wrapped, size, shortened: false };
  }
  const size = room.least;
  const wrapped = wrapAll(lines, size, room);
  const count = Math.max(1, Math.floor(room.height / (size * lineHeight)));
  if (wrapped.length <= count) return { lines: wrapped, size, shortened: false };
  // Long lines give way first: the last line of an address, its town and country, matters most.
  const each = Math.max(1, Math.floor(count / lines.length));
  const cut = lines.flatMap((line) => cutLines(wrap(line, size, room), each, size, room));
  return { lines: cutLines(cut, count, size, room), size, shortened: true };
}

/** Shrinks one line into a width, and cuts it when it is too long even at the least size. */
export function fitLine(text: string, room: Omit<Room, "height">): Fitted {
  for (let size = room.most; size >= room.least; size -= step) {
    if (textWidth(text, size, room.bold) <= room.width) return { lines: [text], size, shortened: false };
  }
  return { lines: [ellipsis(text, room.least, room)], size: room.least, shortened: true };
}

type Width = Pick<Room, "width" | "bold">;

function wrapAll(lines: readonly string[], size: number, room: Width): string[] {
  return lines.flatMap((line) => wrap(line, size, room));
}

function wrap(line: string, size: number, room: Width): string[] {
  const result: string[] = [];
  let current = "";
  for (const word of line.split(" ").flatMap((whole) => pieces(whole, size, room))) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (textWidth(longer, size, room.bold) <= room.width) {
      current = longer;
    } else {
      if (current !== "") result.push(current);
      current = word;
    }
  }
  if (current !== "") result.push(current);
  return result;
}

/** A word, broken anywhere if it is wider than the room. */
function pieces(word: string, size: number, room: Width): string[] {
  if (textWidth(word, size, room.bold) <= room.width) return [word];
  const result: string[] = [];
  let piece = "";
  for (const character of word) {
    if (piece !== "" && textWidth(piece + character, size, room.bold) > room.width) {
      result.push(piece);
      piece = "";
    }
    piece += character;
  }
  return [...result, piece];
}

function cutLines(lines: readonly string[], count: number, size: number, room: Width): string[] {
  if (lines.length <= count) return [...lines];
  const kept = lines.slice(0, count);
  return [...kept.slice(0, -1), ellipsis(`${kept.at(-1) ?? ""} …`, size, room)];
}

function ellipsis(text: string, size: number, room: Width): string {
  if (textWidth(text, size, room.bold) <= room.width) return text;
  const characters = [...text];
  let kept = "";
  for (const character of characters) {
    if (textWidth(`${kept}${character}…`, size, room.bold) > room.width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}
