// Each service that sells for many carriers names them in its own way. Here each carrier has one code.

// Contracts under which a carrier is sold. They are not carriers of their own.
const contract = /(?:default)?(?:account)?$/i;

const codes: Readonly<Record<string, string>> = {
  amazonmws: "amazon",
  amazonshipping: "amazon",
  australiapost: "australia_post",
  canadapost: "canada_post",
  deutschepost: "deutsche_post",
  dhlecs: "dhl_ecommerce",
  dhlexpress: "dhl_express",
  royalmail: "royal_mail",
  upsdap: "ups",
  uspsship: "usps",
};

/** A carrier's code: `usps` for `USPS` and `UspsAccount`, `dhl_express` for `DHL Express` and `DhlExpressDefault`. */
export function carrierCode(name: string): string {
  const plain = name
    .trim()
    .replace(contract, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");
  return codes[plain] ?? plain;
}

const names: Readonly<Record<string, string>> = {
  dhl_ecommerce: "DHL eCommerce",
  dhl_express: "DHL Express",
  dpd: "DPD",
  fedex: "FedEx",
  tnt: "TNT",
  ups: "UPS",
  usps: "USPS",
};

/** A carrier's name for people, by its code, where no name was given. */
export function carrierName(code: string): string {
  return names[code] ?? serviceName(code);
}

/** A service's name for people: `Ground Advantage` for `GroundAdvantage`, `Fedex 2 Day` for `FEDEX_2_DAY`. */
export function serviceName(code: string): string {
  const words = code.includes("_")
    ? code.toLowerCase().split("_")
    : code.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").split(" ");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
