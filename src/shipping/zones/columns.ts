import type { Column } from "../../kit/sheet.ts";
import type { OverrideField } from "./schemas.ts";

const column = (name: keyof OverrideField, meaning: string, example: string): Column => {
  return { name, path: [name], kind: "text", meaning, example };
};

/** The columns of a file of zones that were set for places. */
export const overrideColumns: readonly Column[] = [
  column("zone", "The zone of whatever goes there.", "3"),
  column("country", "Two letters; every row needs it but one of a continent.", "US"),
  column("postal_code", "One postal code.", "10001"),
  column("postal_prefix", "How postal codes begin.", "V6B"),
  column("postal_from", "The first of a range of codes or of their beginnings.", "995"),
  column("postal_to", "The last of that range.", "999"),
  column("city", "A city; `state` may say which of that name.", "Portland"),
  column("state", "A state, by its letters.", "OR"),
  column("continent", "One of `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`.", "EU"),
];

/** The columns of a file of a carrier's zones. */
export const chartColumns: readonly Column[] = [
  {
    name: "origin",
    path: ["origin"],
    kind: "text",
    meaning: "How the postal codes begin from which the row holds.",
    example: "432",
  },
  {
    name: "destination",
    path: ["destination"],
    kind: "text",
    meaning: "How the postal codes begin to which it holds, or a range with a dash.",
    example: "005-009",
  },
  { name: "zone", path: ["zone"], kind: "text", meaning: "The zone.", example: "5" },
  {
    name: "origin_country",
    path: ["origin_country"],
    kind: "text",
    meaning: "Two letters; `US`, or `CA` by the form of the code, unless given.",
    example: "US",
  },
  {
    name: "destination_country",
    path: ["destination_country"],
    kind: "text",
    meaning: "The same of the destination.",
    example: "US",
  },
];
