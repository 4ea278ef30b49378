import { plural } from "./format.ts";

const at_most = 5;
/** Lists the first names and the number of others, for example "orders A, B and 2 more". Empty for no names. */
function few(names: readonly string[], one: string, many: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > at_most ? ` and ${names.length - at_most} more` : "";
  return [`${names.length === 1 ? one : many} ${names.slice(0, at_most).join(", ")}${more}`];
}

export const privacyTexts = {
  title: "Privacy",
  intro: "Export or erase a customer's personal data.",
  export: "Export personal data",
  exportTitle: (name: string) => `Export personal data of ${name}?`,
  exportText:
    "A file with every record of this person is saved on this device. Share it only with that person. The export is" +
    " recorded in the audit trail. With many events, it can take a few minutes.",
  exportEmailTitle: "Export personal data",
  exportAct: "Save file",
  exported: (records: number, file: string) =>
    records === 0
      ? `No records found. See the file ${file}.`
      : `${plural(records, "record", "records")} exported to ${file}.`,
  erase: "Erase…",
  eraseByEmail: "Erase by email address…",
  exportByEmail: "Export personal data…",
  eraseTitle: (name: string) => `Erase ${name}?`,
  eraseEmailTitle: "Erase by email address",
  eraseText: "This can't be undone.",
  emailText: "Covers every customer who has or had this address, and records that contain it without a customer",
  ofAll: ", for all merchants",
  ofOne: (name: string) => `, for ${name} only`,
  goes: "Erased",
  goesText:
    "Names, addresses, phone numbers, email addresses and notes in the customer record, orders, store orders, labels," +
    " scans and returns. All uploaded files of orders and customers, and saved views that name the person. Events" +
    " about the person and stored responses lose all their data. Other log entries are deleted at the end of their" +
    " retention period; the erasure shows the date.",
  stays: "Kept",
  staysText:
    "Sales, shipments, payments and stock movements, without names. Stock, reports and billing don't change. The" +
    " erasure names the legal basis.",
  hand: "Manual steps",
  handText: "Printed documents, exported files, mailboxes, stores and carriers. The erasure lists what to do.",
  afterDays: "Days to wait after the last open order",
  afterDaysHelp:
    "Leave blank to erase now; this is refused while an order is open. Enter 0 to 365 to wait until the last open" +
    " order ends and then this number of days, for example your return period.",
  cancelErasure: "Cancel erasure",
  cancelTitle: "Cancel erasure?",
  cancelText: "Nothing has been erased yet. You can start another erasure later.",
  erasureCancelled: "Erasure cancelled.",
  stay: "Keep waiting",
  eraseAct: "Erase permanently",
  begun: (name: string) => `Erasure of ${name} started.`,
  openOrders: (orders: readonly string[], returns: readonly string[], labels: readonly string[]) => {
    const named = [...few(orders, "order", "orders"), ...few(returns, "return", "returns")];
    const all = [...named, ...few(labels, "label", "labels")].join(" and ");
    const one = orders.length + returns.length + labels.length === 1;
    return one
      ? `Nothing was erased: ${all} still needs the address. Finish or cancel it first, or enter below how many days` +
          " after its end the erasure starts."
      : `Nothing was erased: ${all} still need the address. Finish or cancel them first, or enter below how many days` +
          " after the last one ends the erasure starts.";
  },
  erasure: "Erasure",
  statusOf: {
    waiting: "Waiting for open orders, returns and labels to end.",
    running: "Erasing records and events.",
    done: "Done.",
  },
  requested: "Requested",
  ended: "Completed",
  restGoneBy: "Deleted from logs by",
  nextCheck: "Next check",
  waitsDays: "Waiting period",
  waitsDaysOf: (days: number) =>
    days === 0
      ? "until the last open order ends"
      : `until the last open order ends, plus ${plural(days, "day", "days")}`,
  customers: "Customers",
  noCustomers: "None (records that contain the address without a customer)",
  reaches: "Scope",
  reachesAll: "All merchants",
  records: "Records",
  erased: "Erased records",
  erasedSoFar: "Erased so far",
  listedBelow: ["`receivers` lists", "listed below are"],
  nothingErased: "No records contained personal data.",
  nothingYet: "Nothing erased yet.",
  byHand: "Manual steps",
  receivers: "Webhooks that received events about this person, or may have",
  tellReceivers: "Ask their operators to erase this data too.",
  noReceivers: "None of the webhooks you can see received events about this person.",
  kept: "Kept records, and why",
  keptFor: (time: string) => `Kept ${time.startsWith("for ") ? time : `for ${time}`}.`,
  keptLaw: (law: string) => `Law: ${law}.`,
  listTitle: "Erasures",
  emptyTitle: "No erasure requests",
  emptyText: "Export or erase personal data from a customer's page, or here by email address.",
  customerErased: "This customer was erased. The remaining records contain no personal data.",
  customerWaits: "This customer will be erased once their open orders have ended.",
  customerRuns: "This customer is being erased.",
  kinds: {
    customers: "Customers",
    addresses: "Addresses",
    search_words: "Search index",
    tags: "Order tags",
    staff_notes: "Staff notes",
    order_words: "Search index of orders",
    orders: "Orders",
    order_lines: "Order lines",
    holds: "Holds",
    history: "Order history",
    shipments: "Parcels",
    labels: "Labels",
    label_documents: "Label files",
    printed_documents: "Printed documents",
    tracking: "Tracking",
    scans: "Carrier scans",
    waiting_scans: "Scans without a parcel",
    returns: "Returns",
    return_items: "Return items",
    inspections: "Inspections",
    refunds: "Refunds",
    reports_to_platforms: "Shipment reports to stores",
    imports: "Store orders",
    uploads: "Uploaded files",
    imported_files: "Contents of uploaded files",
    imported_rows: "Rows of uploaded files",
    column_mappings: "Column mappings of uploads",
    saved_views: "Saved views",
    notifications: "Store notifications",
    events: "Events",
    delivery_log: "Webhook deliveries",
    stored_responses: "Stored responses",
    request_log: "Request log",
  },
} as const;
