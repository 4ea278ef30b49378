import { isPostOfficeBox } from "../addresses/rules.ts";
import type { Address } from "./address.ts";

// Carriers that deliver to a door only. A service of theirs that the post takes on at the end may do so all the same.
const to_doors_only: readonly string[] = [
  ...["amazon_shipping", "canpar", "dhl", "dhl_express", "dpd", "fedex", "gls", "lasership", "ontrac"],
  ...["purolator", "tnt", "ups", "veho"],
];

/** What to tell of a label to a box at a post office, by a carrier that delivers to doors only; nothing for others. */
export function boxWarnings(carrier: string, to: Address) {
  if (!to_doors_only.includes(carrier) || !isPostOfficeBox(to)) return [];
  const message = `is a box at a post office, to which ${carrier} delivers with few of its services or none`;
  return [{ field: "to_address.street1", code: "po_box" as const, message }];
}
