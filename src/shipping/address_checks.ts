import { postcodeValidatorExistsForCountry } from "postcode-validator";
import { isPostOfficeBox } from "../addresses/offline_verification.ts";
import { hasCities, isPostalCode } from "../addresses/postal_codes.ts";
import { type FieldProblem, invalid, invalidFields } from "../core/faults.ts";
import { type CompleteAddress, isCountry } from "../core/postal_address.ts";
import { readAddress, type ShippingOrigin } from "./address.ts";
import type { RateMessage, RateOffer } from "./offer.ts";
import { isUsState } from "./rates/delivery_date.ts";
import type { ShippingAddress } from "./shipping.schema.ts";

/** Reads and checks an optional address of a request; null if it is omitted. Refuses: validation_failed. */
export function readAddressField(
  field: "from_address" | "to_address",
  input: ShippingAddress | undefined,
): CompleteAddress | null {
  if (input === undefined) return null;
  const address = readAddress(input);
  checkAddress(field, address);
  return address;
}

/** Refuses an unknown country, a missing city, and in the US an unknown state or ZIP code. */
function checkAddress(
  field: "from_address" | "to_address",
  { country, city, state, postal_code }: CompleteAddress,
): void {
  if (!isCountry(country)) throw invalid(`${field}.country`, countryHint);
  if (city.trim() === "" && hasCities(country)) throw invalid(`${field}.city`, `is required in ${country}`, "required");
  if (country !== "US") return;
  const problems = [
    ...(isUsState(state ?? "")
      ? []
      : [badFormat(`${field}.state`, "must be the two letters of a US state or territory")]),
    ...postalProblems(`${field}.zip`, postal_code ?? "", country),
  ];
  if (problems.length > 0) throw invalidFields(problems);
}

const countryHint = "must be a two-letter country code, such as US";

/** Refuses the example address of a first start. Refuses: validation_failed. */
export function refuseExample({ name, example }: ShippingOrigin, field: "from_address" | "to_address"): void {
  if (!example) return;
  const message = `is required: warehouse ${name} still has its example address. Set the warehouse's address`;
  throw invalid(field, `${message}, or send ${field}`, "example_address");
}

/** The two ends of a shipment in a request. The default country is the US. */
interface EndsInput {
  readonly from_zip?: string | undefined;
  readonly to_zip?: string | undefined;
  readonly from_country?: string | undefined;
  readonly to_country?: string | undefined;
}

/** Refuses unknown countries and postal codes that do not match their country's format. Refuses: validation_failed. */
export function checkEnds(ends: EndsInput): void {
  const problems = (["from", "to"] as const).flatMap((end) => {
    const country = ends[`${end}_country`] ?? "US";
    if (!isCountry(country)) return [badFormat(`${end}_country`, countryHint)];
    const code = ends[`${end}_zip`];
    return code === undefined ? [] : postalProblems(`${end}_zip`, code, country);
  });
  if (problems.length > 0) throw invalidFields(problems);
}

function postalProblems(field: string, code: string, country: string): FieldProblem[] {
  if (!postcodeValidatorExistsForCountry(country) || isPostalCode(code, country)) return [];
  const forms: Readonly<Record<string, string>> = { US: "12345 or 12345-6789", CA: "K1A 0B1" };
  const form = country in forms ? `, such as ${forms[country]}` : "";
  return [badFormat(field, `must be a postal code of ${country}${form}`)];
}

const badFormat = (field: string, message: string): FieldProblem => ({ field, code: "invalid_format", message });

// Carriers that deliver to street addresses only. Their services with final delivery by the post office may still
// reach a PO box.
const street_only_carriers: readonly string[] = [
  "amazon_shipping",
  "canpar",
  "dhl",
  "dhl_express",
  "dpd",
  "fedex",
  "gls",
  "lasership",
  "ontrac",
  "purolator",
  "tnt",
  "ups",
  "veho",
];

/** The warnings next to rates to a PO box: one for each carrier with offers that delivers to street addresses only. */
export function boxMessages<Sold extends { readonly offer: RateOffer; readonly account_id: number | null }>(
  sold: readonly Sold[],
  to: CompleteAddress | null,
): (RateMessage & Pick<Sold, "account_id">)[] {
  if (to === null) return [];
  const carriers = new Map(sold.map((rate) => [rate.offer.carrier, rate]));
  return [...carriers].flatMap(([carrier, { account_id }]) =>
    boxWarnings(carrier, to).map(({ code, message }) => {
      return {
        account_id,
        carrier,
        service: null,
        level: "warning" as const,
        code,
        message: `The address ${message}.`,
      };
    }),
  );
}

/** The warning for a label to a PO box by a carrier that delivers to street addresses only; empty for others. */
export function boxWarnings(carrier: string, to: CompleteAddress) {
  if (!street_only_carriers.includes(carrier) || !isPostOfficeBox(to)) return [];
  const message = `is a PO box. ${carrier} delivers there with few services or none`;
  return [{ field: "to_address.street1", code: "po_box" as const, message }];
}
