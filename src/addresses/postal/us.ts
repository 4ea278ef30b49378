import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import packedPath from "./us.tsv.gz" with { type: "file" };

/** A ZIP code of the United States, its city as GeoNames calls it, and the two letters of its state. */
export interface ZipPlace {
  readonly zip: number;
  readonly city: string;
  readonly state: string;
}

/** As the file has it, with where it lies in thousandths of a degree. */
export interface ZipLine extends ZipPlace {
  readonly latitude_e3: number;
  readonly longitude_e3: number;
}

/** Counts up whenever the carried file says something else, so that databases take it anew. */
export const edition = 1;

// It is wanted for a moment after the first start only: nothing keeps it in memory longer than that.
let unpacked: WeakRef<{ readonly text: string }> | undefined;

function carried(): string {
  const known = unpacked?.deref();
  if (known !== undefined) return known.text;
  // Its letters are those of ASCII, which take a byte each.
  const fresh = { text: gunzipSync(readFileSync(packedPath)).toString("latin1") };
  unpacked = new WeakRef(fresh);
  return fresh.text;
}

/** Where the program itself says that these ZIP codes are; those that it does not know are left out. */
export function carriedPlaces(zips: readonly number[]): ZipPlace[] {
  const text = carried();
  return zips.flatMap((zip) => {
    const key = `${String(zip).padStart(5, "0")}\t`;
    const at = text.startsWith(key) ? 0 : text.indexOf(`\n${key}`) + 1;
    if (at === 0 && !text.startsWith(key)) return [];
    const { latitude_e3: _, longitude_e3: __, ...place } = readLine(text.slice(at, text.indexOf("\n", at)));
    return [place];
  });
}

/** So many lines of the carried file from a place in it on, and where to go on; null when that was all. */
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
    ...{ zip: Number(zip), city, state },
    ...{ latitude_e3: thousandths(latitude), longitude_e3: thousandths(longitude) },
  };
}
