import { money } from "./format.ts";

const orders = (count: number) => (count === 1 ? "1 order" : `${count} orders`);
const labels = (count: number) => (count === 1 ? "1 label" : `${count} labels`);

/** How much more or less than the rules' rate another one costs. */
function surplus(amount: number, currency: string): string {
  if (amount === 0) return "same price";
  return `${money(Math.abs(amount), currency)} ${amount > 0 ? "more" : "less"}`;
}

export const batchTexts = {
  title: (count: number) => `Ship ${orders(count)}`,
  start: "Buy labels, print and ship",
  none: "No orders selected",
  noneText: "Select orders in the list first.",
  toList: "Go to orders",
  steps: "Steps",
  forAll: "Service for all orders",
  asChosen: "As chosen for each order",
  cheapest: "Cheapest",
  weight: "Weight of each parcel",
  weightHelp: "Leave blank to use the products' weight.",
  method: "Requested",
  serviceOf: (number: string) => `Service for ${number}`,
  chooseService: "Choose…",
  asking: "Loading rates…",
  remove: (number: string) => `Take ${number} out`,
  buy: (count: number, total: string) => `Buy ${labels(count)} for ${total}`,
  retry: (count: number) => `Try ${labels(count)} again`,
  print: (count: number) => `Print ${labels(count)} and packing slips`,
  printAgain: "Print again",
  pickLists: "Print pick lists",
  ship: (count: number) => `Pick, pack and ship ${orders(count)}`,
  shipPacked: (count: number) => `Ship ${orders(count)}`,
  finish: "Back to orders",
  working: {
    buy: (done: number, total: number) => `Buying labels: ${done} of ${total}`,
    print: (done: number, total: number) => `Drawing pages: ${done} of ${total}`,
    ship: (done: number, total: number) => `Shipping: ${done} of ${total}`,
  },
  state: {
    bought: (count: number, total: string) => `${labels(count)} bought for ${total}`,
    waiting: (count: number) => `${labels(count)} waiting for the carrier`,
    printed: (count: number) => `${labels(count)} printed`,
    shipped: (count: number) => `${orders(count)} shipped`,
    skipped: (count: number) => `${orders(count)} skipped`,
    choose: (count: number) => `${orders(count)} without a service`,
    differ: (count: number, surplus: string) =>
      `${count === 1 ? "1 differs" : `${count} differ`} from the rules${surplus === "" ? "" : `, ${surplus}`}`,
  },
  file: "Open the file",
  fileReady: (pages: number) => (pages === 1 ? "The file has 1 page." : `The file has ${pages} pages.`),
  notPrinted: "Not printed:",
  notDrawn: "The file could not be drawn. Print again.",
  isBought: "Bought",
  isPrinted: "Printed",
  waits: "Waiting for carrier",
  chosenFor: (choice: string) => `Chosen for it: ${choice}`,
  differs: "Not by rule",
  byRule: (service: string, price: string) => `Rule: ${service}, ${price}`,
  surplus,
  changed: "Its weight, size or address has changed since these rates were loaded. Try again to load new ones.",
  inParcels: "All of its units are in parcels without labels.",
  noRates: "No rates for this package.",
  notNow: "Can't be shipped in its current status.",
  held: (reasons: string) => `On hold: ${reasons}`,
  short: (units: number) => (units === 1 ? "1 unit short" : `${units} units short`),
  shipped: (count: number) => `${orders(count)} shipped.`,
  unread: (count: number) => `${orders(count)} could not be read.`,
  keys: {
    next: "Do the next step",
    buy: "Buy labels",
    print: "Print",
    ship: "Ship",
    retry: "Try failed labels again",
    differ: "Show only orders that differ from the rules",
  },
} as const;
