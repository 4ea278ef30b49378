import { plural } from "./format.ts";

const at_most = 5;
/** The first of these, and how many more there are; nothing where there are none. */
function few(names: readonly string[], one: string, many: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > at_most ? ` and ${names.length - at_most} more` : "";
  return [`${names.length === 1 ? one : many} ${names.slice(0, at_most).join(", ")}${more}`];
}

/** The texts about what is known of people who order, and how it is erased. */
export const privacyTexts = {
  title: "Privacy",
  intro: "What is known of a person who orders is told to that person, or erased.",
  tell: "Tell all that is known",
  tellTitle: (name: string) => `Tell all that is known of ${name}?`,
  tellText:
    "A file with every record of the person is saved on this device: give it to that person alone. The audit trail" +
    " keeps that you asked for it. With many events it takes some minutes.",
  tellEmailTitle: "Tell all that is known",
  tellAct: "Save the file",
  told: (records: number, file: string) =>
    records === 0
      ? `Nothing is known. The file ${file} says so.`
      : `${plural(records, "record is", "records are")} in the file ${file}.`,
  email: "E-mail",
  erase: "Erase…",
  eraseByEmail: "Erase by e-mail address…",
  tellByEmail: "Tell what is known…",
  eraseTitle: (name: string) => `Erase ${name}?`,
  eraseEmailTitle: "Erase by e-mail address",
  eraseText: "This cannot be undone.",
  emailText: "It is about all customers who have the address or had it, and about what names it without a customer",
  ofAll: ", of all merchants",
  ofOne: (name: string) => `, of ${name} alone`,
  goes: "Goes",
  goesText:
    "Names, addresses, telephone numbers, e-mail addresses and notes: in the customer, orders, labels, scans and" +
    " returns, and in orders of stores. Events about them and stored responses lose all of their data. The rest goes" +
    " from logs when its retention time is over; the erasure shows the date.",
  stays: "Stays",
  staysText:
    "What was sold, sent, paid and moved, without a name. Stock, reports and what is billed do not change. The" +
    " erasure says by which law it stays.",
  hand: "By hand",
  handText: "Printed papers, exported files, mailboxes, stores and carriers. The erasure lists what is to be done.",
  afterDays: "Wait for open orders, and then so many days",
  afterDaysHelp:
    "Empty: nothing is erased while an order is open. With a number from 0 to 365 it waits until the last open order" +
    " has ended, and so many days more, such as those in which goods may be sent back.",
  callOff: "Call it off",
  callOffTitle: "Call the erasure off?",
  callOffText: "Nothing was erased yet. The person stays in the records, and may be erased later.",
  calledOff: "The erasure was called off.",
  stay: "Let it wait",
  eraseAct: "Erase for good",
  begun: (name: string) => `The erasure of ${name} has begun.`,
  openOrders: (orders: readonly string[], returns: readonly string[], labels: readonly string[]) => {
    const named = [...few(orders, "order", "orders"), ...few(returns, "return", "returns")];
    const all = [...named, ...few(labels, "label", "labels")].join(" and ");
    const one = orders.length + returns.length + labels.length === 1;
    return one
      ? `Nothing is erased yet: ${all} still needs the address. Finish or cancel it first, or enter below how many` +
          " days after its end the erasure begins."
      : `Nothing is erased yet: ${all} still need the address. Finish or cancel them first, or enter below how many` +
          " days after the last of them the erasure begins.";
  },
  erasure: "Erasure",
  status: "Status",
  statusOf: {
    waiting: "It waits for open orders, returns and labels to end.",
    running: "It goes through records and events.",
    done: "It has ended.",
  },
  asked: "Asked for",
  ended: "Ended",
  restGoneBy: "Gone from logs by",
  looksAgain: "Looks again",
  waitsDays: "Waits",
  waitsDaysOf: (days: number) =>
    days === 0
      ? "until the last open order has ended"
      : `until the last open order has ended, and ${plural(days, "day", "days")} more`,
  customers: "Customers",
  noCustomers: "none: what names the address without a customer",
  reaches: "Reaches",
  reachesAll: "all merchants",
  records: "Records",
  erased: "What was erased",
  erasedSoFar: "What was erased so far",
  listedBelow: ["`receivers` lists", "below stand"],
  nothingErased: "No record had to be changed.",
  nothingYet: "No record has been changed yet.",
  byHand: "What you do by hand",
  receivers: "Webhooks that were sent events of the person, or may have been",
  tellReceivers: "Tell who runs them to erase it as well.",
  noReceivers: "None of the webhooks that you see was sent events of the person.",
  kept: "What stays, and why",
  keptFor: (time: string) => `Kept ${time.startsWith("for ") ? time : `for ${time}`}.`,
  keptLaw: (law: string) => `Law: ${law}.`,
  listTitle: "Erasures",
  emptyTitle: "Nobody was erased yet",
  emptyText: "On the page of a customer, or here by an e-mail address, you tell a person what is known, and erase it.",
  customerErased: "This customer was erased. What is left names nobody.",
  customerWaits: "This customer is erased once its open orders have ended.",
  customerRuns: "This customer is being erased.",
  kinds: {
    customers: "Customers",
    addresses: "Addresses",
    search_words: "Words to search by",
    orders: "Orders",
    order_lines: "Lines of orders",
    holds: "Holds",
    history: "History of orders",
    shipments: "Parcels",
    labels: "Labels",
    label_documents: "Documents of labels",
    tracking: "Tracking",
    scans: "Scans of carriers",
    waiting_scans: "Scans without a parcel",
    returns: "Returns",
    return_items: "Lines of returns",
    inspections: "Inspections",
    refunds: "Refunds",
    reports_to_platforms: "Reports to stores",
    imports: "Orders of stores",
    notifications: "Notifications of stores",
    events: "Events",
    delivery_log: "Deliveries to webhooks",
    kept_answers: "Kept answers",
    request_log: "Requests in the log",
  },
} as const;
