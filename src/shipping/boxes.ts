import { isPostOfficeBox } from "../addresses/rules.ts";
import type { Address } from "./address.ts";
import type { Message, Offer } from "./offer.ts";

// Carriers that deliver to a door only. A service of theirs that the post takes on at the end may do so all the same.
const to_doors_only: readonly string[] = [
  ...["amazon_shipping", "canpar", "dhl", "dhl_express", "dpd", "fedex", "gls", "lasership", "ontrac"],
  ...["purolator", "tnt", "ups", "veho"],
];

/** What to tell beside rates to a box at a post office: once of each carrier that offers some and delivers to doors. */
export function boxMessages<Sold extends { readonly offer: Offer; readonly account_id: number | null }>(
  sold: readonly Sold[],
  to: Address | null,
): (Message & Pick<Sold, "account_id">)[] {
  if (to === null) return [];
  const carriers = new Map(sold.map((one) => [one.offer.carrier, one]));
  return [...carriers].flatMap(([carrier, { account_id }]) =>
    boxWarnings(carrier, to).map(({ code, message }) => {
      return { account_id, carrier, service: null, level: "warning" as const, code, message: `It ${message}.` };
    }),
  );
}

/** What to tell of a label to a box at a post office, by a carrier that delivers to doors only; nothing for others. */
export function boxWarnings(carrier: string, to: Address) {
  if (!to_doors_only.includes(carrier) || !isPostOfficeBox(to)) return [];
  const message = `is a box at a post office, to which ${carrier} delivers with few of its services or none`;
  return [{ field: "to_address.street1", code: "po_box" as const, message }];
}
