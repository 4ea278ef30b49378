import type { Column } from "../../kit/sheet.ts";
import type { OverrideField } from "./schemas.ts";

const column = (name: keyof OverrideField, meaning: string, example: string): Column => {
  return { name, path: [name], kind: "text", meaning, example };
};

/** The columns of a file of zone overrides. */
export const overrideColumns: readonly Column[] = [
  column("zone", "The zone of parcels that go there.", "3"),
  column("country", "Two letters; required in every row except one of a continent.", "US"),
  column("postal_code", "One postal code.", "10001"),
  column("postal_prefix", "The first characters of postal codes.", "V6B"),
  column("postal_from", "The first of a range of postal codes, or of their first characters.", "995"),
  column("postal_to", "The last of that range.", "999"),
  column("city", "A city; `state` tells cities of one name apart.", "Portland"),
  column("state", "A state, by its letters.", "OR"),
  column("continent", "One of `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`.", "EU"),
];

/** The columns of a file of a carrier's zone charts. */
export const chartColumns: readonly Column[] = [
  {
    name: "origin",
    path: ["origin"],
    kind: "text",
    meaning: "The first characters of the origin's postal codes.",
    example: "432",
  },
  {
    name: "destination",
    path: ["destination"],
    kind: "text",
    meaning: "The first characters of the destination's postal codes, or a range with a dash.",
    example: "005-009",
  },
  { name: "zone", path: ["zone"], kind: "text", meaning: "The zone.", example: "5" },
  {
    name: "origin_country",
    path: ["origin_country"],
    kind: "text",
    meaning: "Two letters. By default `US`, or `CA` if the code has Canada's form.",
    example: "US",
  },
  {
    name: "destination_country",
    path: ["destination_country"],
    kind: "text",
    meaning: "The same for the destination.",
    example: "US",
  },
];
