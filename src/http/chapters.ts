// The chapters of the reference, in reading order.

export const chapters = [
  {
    name: "Orders",
    description:
      "An order reserves stock as soon as it is created, and moves from `pending` through `processing`, `fulfilled`" +
      " and `shipped` to `delivered`. An action performs the missing steps before it, so a client may create an" +
      " order and then simply ship it. `allowed_actions` of an order lists what it allows now.",
  },
  {
    name: "Search",
    description:
      "One search over orders, parcels, products, customers, stock, receipts and transfers, for a search box.",
  },
  {
    name: "Products",
    description:
      "The catalog: simple products, and bundles, which are sold as one item and picked as their components." +
      " Everything else refers to a product by its `id` or its SKU.",
  },
  {
    name: "Reservations",
    description:
      "Stock that a shop reserves before it creates the order, for example during checkout. A reservation expires" +
      " unless it is extended; the order with the same number takes it over.",
  },
  {
    name: "Warehouses",
    description:
      "Warehouses with their zones and bins, the ledger of stock movements, and restock tasks for units that go" +
      " back to the shelf.",
  },
  {
    name: "Floor",
    description:
      "Work on the warehouse floor: what a scanned code is, waves and totes, packing, printing, and everything that" +
      " needs a person.",
  },
  {
    name: "Lots",
    description:
      "Lots with their expiry dates. Hold, quarantine or recall a lot, and trace it to the orders and parcels that" +
      " contain it.",
  },
  {
    name: "Cycle counts",
    description:
      "Count the stock in bins while the warehouse keeps working, review the differences from the ledger, and post" +
      " them.",
  },
  { name: "Receipts", description: "Inbound deliveries: what a supplier announced, and what has arrived." },
  {
    name: "Transfers",
    description:
      "Stock moved from one warehouse to another. Between shipping and receiving, it is in transit and in the stock" +
      " of neither.",
  },
  {
    name: "Inventory",
    description:
      "Stock levels by SKU, and the changes that people make to them. `available` can be reserved now, `reserved`" +
      " is allocated and has not shipped, `total` is their sum. Every change is a row in the ledger.",
  },
  {
    name: "Imports",
    description:
      "Imports of CSV files in steps: upload a file and map its columns, see what each row would change, run it, and" +
      " get the rejected rows as a file to correct. Scripts can use the imports of each kind in one request instead.",
  },
  { name: "Customers", description: "Customers and their addresses. These responses have no envelope; errors do." },
  {
    name: "Addresses",
    description:
      "Address verification without storing anything. Addresses of customers and orders are verified when they are" +
      " stored; the result is their `verification`.",
  },
  {
    name: "Rate cards",
    description:
      "The prices of the built-in carrier by zone and weight, how zones are determined, and the holidays of all" +
      " carriers. A new installation has invented sample rate cards: replace them with your own.",
  },
  {
    name: "Shipping",
    description:
      "Compare rates, buy, print and void labels, hand parcels to carriers with manifests, and connect your own" +
      " carrier accounts.",
  },
  {
    name: "Shipping rules",
    description:
      "Rules that choose the carrier and service, carton, insurance, warehouse, priority, hold and packing note of" +
      " new orders. They never change what a person or client set.",
  },
  {
    name: "Tracking",
    description:
      "Where parcels are. Carriers report scans by themselves; an update is also a `shipment.*` event. Numbers from" +
      " elsewhere can be tracked, too.",
  },
  {
    name: "Returns",
    description:
      "What buyers send back: create a return, receive and inspect its units, put them back in stock or write them" +
      " off, and record the refund.",
  },
  {
    name: "Platforms",
    description:
      "Connected BigCommerce, Shopify and WooCommerce stores. Their orders are imported automatically, and shipped" +
      " parcels are reported back.",
  },
  {
    name: "Webhooks",
    description:
      "Subscriptions to events, their signed deliveries with every attempt, and notices about what needs attention.",
  },
  {
    name: "Reports",
    description:
      "Orders due today, and figures by day, week and month. Each report is available as JSON and as CSV. Days are" +
      " in the time zone of the first warehouse.",
  },
  {
    name: "Billing",
    description:
      "Billable activity by merchant, recorded as it happens, and stock in storage at the end of each day. Prices" +
      " and invoices are not included.",
  },
  {
    name: "Events",
    description:
      "What has happened, in order, with the data that webhooks deliver: read it to catch up after an outage, or" +
      " instead of webhooks.",
  },
  {
    name: "Merchants",
    description:
      "The merchants whose stock the warehouse holds and whose orders it ships. With only one merchant, requests" +
      " never have to name it.",
  },
  {
    name: "Users",
    description:
      "People who sign in to the dashboard, with their roles, sessions and second factors. Users are shared by live" +
      " and test data, so these routes take a live key or a user.",
  },
  { name: "Keys", description: "API keys: create, limit, rotate and revoke them. The secret is shown once." },
  {
    name: "Files",
    description:
      "Uploaded files, such as logos. Upload a file, then name it in the record that uses it. A file that no record" +
      " uses is deleted after a day.",
  },
  {
    name: "Privacy",
    description:
      "Export or erase the personal data of a customer or an email address, and set how long each type of record is" +
      " kept.",
  },
  {
    name: "Audit trail",
    description: "Who changed what, and when: one entry for each write that took effect, with its request.",
  },
  {
    name: "Service",
    description:
      "The running service: health, metrics, servers, backups, email, recent requests, error codes and this" +
      " document.",
  },
] as const satisfies readonly { readonly name: string; readonly description: string }[];

/** The name of a chapter. */
export type Chapter = (typeof chapters)[number]["name"];
