import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { ZipLine, ZipPlace } from "./postal_codes.ts";
import packedPath from "./us.tsv.gz" with { type: "file" };

/** Incremented whenever the bundled file changes, so that databases load it again. */
export const edition = 1;

// In memory only while databases are being loaded.
let unpacked: string | null = null;

function carried(): string {
  // The file is ASCII, and Latin-1 strings take one byte per character.
  unpacked ??= gunzipSync(readFileSync(packedPath)).toString("latin1");
  return unpacked;
}

/** Frees the memory of the bundled file. It is read again when needed. */
export function releaseCarried(): void {
  unpacked = null;
}

/** The places of these ZIP codes in the bundled file. Unknown codes are left out. */
export function carriedPlaces(zips: readonly number[]): ZipPlace[] {
  const text = carried();
  return zips.flatMap((zip) => {
    const line = lineOf(text, String(zip).padStart(5, "0"));
    if (line === null) return [];
    const { latitude_e3: _, longitude_e3: __, ...place } = readLine(line);
    return [place];
  });
}

/** The line of a ZIP code, by binary search: the lines are sorted by code. */
function lineOf(text: string, zip: string): string | null {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = text.lastIndexOf("\n", Math.floor((low + high) / 2) - 1) + 1;
    const begin = Math.max(middle, low);
    const end = text.indexOf("\n", begin);
    const found = text.slice(begin, begin + zip.length);
    if (found === zip) return text.slice(begin, end);
    if (found < zip) low = end + 1;
    else high = begin;
  }
  return null;
}

/** `count` lines of the bundled file from a position on, and the next position; null at the end. */
export function carriedLines(from: number, count: number): { readonly lines: ZipLine[]; readonly next: number | null } {
  const text = carried();
  const lines: ZipLine[] = [];
  let at = from;
  for (; at < text.length && lines.length < count; at = text.indexOf("\n", at) + 1) {
    lines.push(readLine(text.slice(at, text.indexOf("\n", at))));
  }
  return { lines, next: at < text.length ? at : null };
}

function readLine(line: string): ZipLine {
  const [zip = "", city = "", state = "", latitude, longitude] = line.split("\t");
  const thousandths = (text: string | undefined) => Math.round(Number(text) * 1000);
  return {
    zip: Number(zip),
    city,
    state,
    latitude_e3: thousandths(latitude),
    longitude_e3: thousandths(longitude),
  };
}
