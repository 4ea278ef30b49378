// The chapters of the reference, in the order in which they are read.

/** The chapters. */
export const chapters = [
  {
    name: "Orders",
    description:
      "An order reserves stock as soon as it is created, and moves from `pending` over `processing`, `fulfilled` and" +
      " `shipped` to `delivered`. An action performs the missing steps before it. `allowed_actions` lists what" +
      " can be done next.",
  },
  {
    name: "Search",
    description: "One search over orders, parcels, products, customers, stock, receipts and transfers.",
  },
  {
    name: "Products",
    description: "The catalogue: simple products, and bundles that are sold as one and picked as their parts.",
  },
  {
    name: "Reservations",
    description: "Stock that is reserved before its order exists. The order with that number takes it over.",
  },
  {
    name: "Warehouses",
    description: "Warehouses, their zones and bins, and what moved between them.",
  },
  {
    name: "Lots",
    description: "Batches with their expiry: hold, quarantine or recall one, and trace it to the parcels it went into.",
  },
  {
    name: "Cycle counts",
    description: "Counting what lies in the bins, comparing it with the ledger, and posting the difference.",
  },
  {
    name: "Receipts",
    description: "Expected deliveries, and what has arrived of them.",
  },
  { name: "Transfers", description: "Stock on its way between two warehouses." },
  {
    name: "Inventory",
    description:
      "Levels of stock. `available` can be reserved now, `reserved` is held for orders and has not left," +
      " `total` is both. Every change is a row in the ledger.",
  },
  {
    name: "Customers",
    description: "Who orders, and where they live. These answers have no envelope; refusals do.",
  },
  {
    name: "Addresses",
    description:
      "Whether an address can be delivered to, as far as that is known. Addresses of customers and orders are" +
      " checked when they are stored; the result is their `verification`.",
  },
  {
    name: "Rate cards",
    description:
      "What the built-in carrier charges, by zone and weight; how zones are chosen, and the days on which it rests." +
      " The rate cards of a first start are invented samples: replace them with your own.",
  },
  {
    name: "Shipping",
    description: "What a parcel costs, and the labels that are bought for it.",
  },
  { name: "Tracking", description: "Where a parcel is." },
  {
    name: "Returns",
    description: "What comes back: created, received, inspected, refunded.",
  },
  {
    name: "Platforms",
    description: "Shops whose orders are imported automatically.",
  },
  {
    name: "Webhooks",
    description:
      "Subscriptions to events, their deliveries and the results. Each delivery is signed: see the webhooks.",
  },
  {
    name: "Reports",
    description:
      "What leaves today and what waits, and figures over days, weeks and months: each report as JSON and as CSV." +
      " Days are those of the first warehouse's time zone.",
  },
  {
    name: "Billing",
    description:
      "What was done for merchants, told by each act as it happened, and what lay where on each day. Prices and" +
      " invoices are made elsewhere, of these.",
  },
  { name: "Events", description: "Events that happened, to be read again." },
  {
    name: "Merchants",
    description:
      "Those whose goods lie in the house and whose orders leave it. With one merchant nothing has to name it; with" +
      " several see the guide *Several merchants*.",
  },
  {
    name: "Users",
    description:
      "People who sign in to the dashboard, what their roles may do, and where they are signed in. There is one set" +
      " of them for both worlds: it takes a live key, or a user.",
  },
  { name: "Keys", description: "API keys: made, rotated and revoked." },
  {
    name: "Privacy",
    description:
      "What is known of a person who orders, told and erased; and for how long each kind of record is kept. See the" +
      " guide *Privacy*.",
  },
  { name: "Audit trail", description: "Who did what, and when." },
  { name: "Service", description: "The service itself, and this document." },
] as const satisfies readonly { readonly name: string; readonly description: string }[];

/** The name of a chapter. */
export type Chapter = (typeof chapters)[number]["name"];
