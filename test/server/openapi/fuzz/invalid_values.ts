// Ways to make a valid body invalid.
import fc from "fast-check";

/** Changes a body in one place. The result may still be valid. */
export type Spoil = (body: unknown) => unknown;

const strange = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  "",
  " ",
  "x".repeat(3000),
  "\u0000",
  "１",
  [],
  {},
  [[]],
  { a: 1 },
  "2026-13-45",
  "1e2",
];

/** One change of a body: any value in it, the fields of any object in it, or its size. */
export const spoils: fc.Arbitrary<Spoil> = fc
  .record({
    at: fc.nat(60),
    how: fc.nat(3),
    value: fc.constantFrom(...strange),
    field: fc.constantFrom("id2", "__proto", "SKU", "quantity "),
  })
  .map(({ at, how, value, field }) => (body: unknown) => {
    const copy = structuredClone(body);
    const places = placesOf(copy);
    const place = places[at % Math.max(places.length, 1)];
    if (place === undefined) return how === 0 ? value : { [field]: value };
    const { holder, key } = place;
    if (how === 0) delete holder[key];
    else if (how === 1) holder[field] = value;
    else holder[key] = value;
    return copy;
  });

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesOf(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesOf(holder[key])]);
}
