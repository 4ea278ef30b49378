// What customs ask of a parcel, whoever carries it: every product in it needs an origin and a weight of its own.
import { type FieldProblem, invalid, invalidFields } from "../kit/fault.ts";
import { wireId } from "../kit/ids.ts";
import type { Carriage, Content, End } from "./offer.ts";

/** Military post offices. The mail asks for a declaration for them although the parcel stays in the country. */
const military: readonly (string | null)[] = ["AA", "AE", "AP"];

/** The European Union and Monaco, whose goods cross no customs border among each other. */
const union = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK".split(" ");
/** Places of these countries beyond that border, such as the Canary Islands, by country and postal code. */
const beyond = /^(?:ES(?:35|38|51|52)|FR9[78]|DE(?:27498|78266)|IT(?:22061|23030|23041))/;

const isInUnion = ({ country, postal_code }: End) =>
  union.includes(country) && !beyond.test(country + (postal_code ?? ""));

/** Whether the parcel passes customs. */
export function needsDeclaration({ from, to }: Pick<Carriage, "from" | "to">): boolean {
  const crosses = from.country !== to.country && !(isInUnion(from) && isInUnion(to));
  return crosses || (to.country === "US" && military.includes(to.state?.toUpperCase() ?? null));
}

/**
 * Refuses a label for a parcel that passes customs while a product in it has no origin or no weight of its own.
 * Refuses: validation_failed, naming every product and what it lacks.
 */
export function refuseUndeclared(parcel: Pick<Carriage, "from" | "to" | "contents">): void {
  if (!needsDeclaration(parcel)) return;
  const { contents = [] } = parcel;
  if (contents.length === 0) {
    const message = "is required, because the parcel passes customs and its goods have to be declared";
    throw invalid("items", message, "required");
  }
  const problems = lackingForCustoms(contents);
  if (problems.length > 0) throw invalidFields(problems);
}

/** What products lack to be declared, each product once. */
export function lackingForCustoms(contents: readonly Content[]): FieldProblem[] {
  const products = new Map(contents.map((one) => [one.product_id, one]));
  return [...products.values()].flatMap(({ product_id, sku, weight, country_of_origin }) => {
    const remedy = `set it on product ${wireId("product", product_id)}`;
    const lacking = (field: string): FieldProblem => ({
      field: `products[${sku}].${field}`,
      code: "required",
      message: `is required, because the parcel passes customs: ${remedy}`,
    });
    return [
      ...(country_of_origin === null ? [lacking("customs.country_of_origin")] : []),
      ...(weight === null ? [lacking("weight")] : []),
    ];
  });
}
