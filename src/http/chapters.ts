// The chapters of the reference, in reading order.

export const chapters = [
  {
    name: "Orders",
    description:
      "An order reserves stock as soon as it is created, and moves from `pending` through `processing`, `fulfilled`" +
      " and `shipped` to `delivered`. An action performs any missing steps before it. `allowed_actions` lists what" +
      " can be done next.",
  },
  {
    name: "Search",
    description: "One search over orders, parcels, products, customers, stock, receipts and transfers.",
  },
  {
    name: "Products",
    description: "The catalog: simple products, and bundles that are sold as one item and picked as components.",
  },
  {
    name: "Reservations",
    description:
      "Stock that is reserved before its order exists. The order with the same number takes over the reservation.",
  },
  {
    name: "Warehouses",
    description: "Warehouses, their zones and bins, and stock movements between them.",
  },
  {
    name: "Lots",
    description:
      "Lots with their expiry dates: hold, quarantine or recall a lot, and trace it to the parcels that contain it.",
  },
  {
    name: "Cycle counts",
    description: "Count the stock in bins, compare it with the ledger, and post the difference.",
  },
  {
    name: "Receipts",
    description: "Inbound shipments: what is expected, and what has been received.",
  },
  { name: "Transfers", description: "Stock in transit between two warehouses." },
  {
    name: "Inventory",
    description:
      "Stock levels. `available` can be reserved now, `reserved` is allocated to orders that have not shipped," +
      " `total` is the sum of both. Every change is a row in the ledger.",
  },
  {
    name: "Customers",
    description: "Customers and their addresses. These responses have no envelope; errors do.",
  },
  {
    name: "Addresses",
    description:
      "Address verification. Addresses of customers and orders are checked when they are stored; the result is" +
      " their `verification`.",
  },
  {
    name: "Rate cards",
    description:
      "The prices of the built-in carrier by zone and weight, how zones are determined, and the carrier's holidays." +
      " A new installation has invented sample rate cards: replace them with your own.",
  },
  {
    name: "Shipping",
    description: "Rates for parcels, and labels.",
  },
  { name: "Tracking", description: "Parcel tracking." },
  {
    name: "Returns",
    description: "Returns: create, receive, inspect, refund.",
  },
  {
    name: "Platforms",
    description: "Connected stores whose orders are imported automatically.",
  },
  {
    name: "Webhooks",
    description: "Subscriptions to events, their deliveries and the results. Each delivery is signed.",
  },
  {
    name: "Reports",
    description:
      "Orders due today, and figures by day, week and month. Each report is available as JSON and as CSV." +
      " Days are in the time zone of the first warehouse.",
  },
  {
    name: "Billing",
    description:
      "Billable activity by merchant, recorded as it happens, and stock in storage at the end of each day. Prices" +
      " and invoices are not included.",
  },
  { name: "Events", description: "Past events." },
  {
    name: "Merchants",
    description:
      "The merchants whose stock the warehouse holds and whose orders it ships. With only one merchant, requests" +
      " never have to name it.",
  },
  {
    name: "Users",
    description:
      "People who sign in to the dashboard, their roles and permissions, and their sessions. Users are shared by" +
      " live and test data, so these routes take a live key or a user.",
  },
  { name: "Keys", description: "API keys: create, rotate, revoke." },
  {
    name: "Privacy",
    description: "Export and erase a person's data, and set how long each type of record is kept.",
  },
  { name: "Audit trail", description: "Who changed what, and when." },
  { name: "Service", description: "The service itself, and this reference." },
] as const satisfies readonly { readonly name: string; readonly description: string }[];

/** The name of a chapter. */
export type Chapter = (typeof chapters)[number]["name"];
