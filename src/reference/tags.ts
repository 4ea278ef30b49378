// The chapters of the reference, in the order in which they are read.

/** One chapter: the operations whose path it matches. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

/** The chapters. A path belongs to the first that matches it. */
export const tags: readonly Tag[] = [
  {
    name: "Orders",
    description:
      "An order reserves stock as soon as it is created, and moves from `pending` over `processing`, `fulfilled` and" +
      " `shipped` to `delivered`. An action takes the missing steps before it by itself. `allowed_actions` lists what" +
      " can be done next.",
    paths: /^\/orders|^\/pick-lists/,
  },
  {
    name: "Search",
    description: "One search over orders, parcels, products, customers, stock and what comes and goes.",
    paths: /^\/search/,
  },
  {
    name: "Products",
    description: "The catalogue: simple products, and bundles that are sold as one and picked as their parts.",
    paths: /^\/products/,
  },
  {
    name: "Reservations",
    description: "Stock that is promised before there is an order. The order with that number takes it over.",
    paths: /^\/inventory\/(?:reserv|release)/,
  },
  {
    name: "Warehouses",
    description: "Warehouses, their zones and bins, and what moved between them.",
    paths: /^\/inventory\/(?:locations|movements|putbacks)/,
  },
  {
    name: "Lots",
    description: "Batches with their expiry: hold, quarantine or recall one, and trace it to the parcels it went into.",
    paths: /^\/inventory\/lots/,
  },
  {
    name: "Cycle counts",
    description: "Counting what lies in the bins, comparing it with the ledger, and posting the difference.",
    paths: /^\/inventory\/counts/,
  },
  {
    name: "Receipts",
    description: "Deliveries that are expected, and what of them has arrived.",
    paths: /^\/inventory\/receipts/,
  },
  { name: "Transfers", description: "Stock on its way between two warehouses.", paths: /^\/inventory\/transfers/ },
  {
    name: "Inventory",
    description:
      "Levels of stock. `available` can be promised, `reserved` is promised and has not left, `total` is both." +
      " Every change is a row in the ledger.",
    paths: /^\/inventory/,
  },
  {
    name: "Customers",
    description: "Who orders, and where they live. These answers have no envelope; refusals do.",
    paths: /^\/customers/,
  },
  {
    name: "Addresses",
    description:
      "Whether an address can be delivered to, as far as it can be known. Addresses of customers and orders are" +
      " checked when they are stored; what was found is their `verification`.",
    paths: /^\/addresses/,
  },
  {
    name: "Rate cards",
    description:
      "What the built-in carrier charges, by zone and weight; how zones are chosen, and the days on which it rests." +
      " The cards of a first start are samples, invented: put your own in their place.",
    paths: /^\/shipping\/(?:rate-cards|zones|holidays)/,
  },
  {
    name: "Shipping",
    description: "What a parcel costs, and the labels that are bought for it.",
    paths: /^\/(?:shipping|labels)/,
  },
  { name: "Tracking", description: "Where a parcel is.", paths: /^\/tracking|^\/t\// },
  {
    name: "Returns",
    description: "What comes back: created, received, inspected, refunded.",
    paths: /^\/returns/,
  },
  {
    name: "Platforms",
    description: "Shops whose orders come in by themselves.",
    paths: /^\/platforms|^\/webhooks\/(?:bigcommerce|shopify|woocommerce|platforms)/,
  },
  {
    name: "Webhooks",
    description:
      "Subscriptions to events, what was sent to them and how it went. Each delivery is signed: see the webhooks.",
    paths: /^\/webhooks/,
  },
  {
    name: "Reports",
    description:
      "What leaves today and what waits, and figures over days, weeks and months: each report as JSON and as CSV." +
      " Days are those of the first warehouse's time zone.",
    paths: /^\/(?:overview|reports)/,
  },
  { name: "Events", description: "What happened, to be read again.", paths: /^\/event/ },
  {
    name: "Users",
    description:
      "People who sign in to the dashboard, what their roles may do, and where they are signed in. There is one set" +
      " of them for both worlds: it takes a live key, or a user.",
    paths: /^\/(?:users|roles)/,
  },
  { name: "Keys", description: "API keys: made, rotated and revoked.", paths: /^\/keys/ },
  { name: "Audit trail", description: "Who did what, and when.", paths: /^\/audit/ },
  { name: "Sandbox", description: "Test mode's own clock and tools.", paths: /^\/sandbox/ },
  { name: "Service", description: "The service itself, and this document.", paths: /./ },
];

/** The chapter of a path below the version. */
export function tagOf(path: string): string {
  return tags.find(({ paths }) => paths.test(path))?.name ?? "Service";
}
