import { plural } from "./format.ts";

/** The words of the audit trail. */
export const auditTexts = {
  search: "Search name, action, target, request or address",
  csv: "CSV",
  when: "When",
  who: "Who",
  what: "Action",
  target: "Target",
  details: "Details",
  world: "World",
  worlds: { live: "Live", test: "Test" },
  address: "IP address",
  request: "Request",
  answer: "Answer",
  actor: "Who (id)",
  action: "Action",
  from: "From",
  before: "Before",
  fields: "Fields",
  more: (count: number) => `and ${count} more`,
  emptyTitle: "No entries yet",
  emptyText: "Every action of a user is listed here, with its time, IP address and target.",
  // Where the words of the operation alone would be odd.
  actions: {
    signIn: "Signed in",
    signInFailed: "Failed to sign in",
    signOut: "Signed out",
    setUp: "Set up Packhouse",
    beginViewAs: "Began to look on as a merchant",
    endViewAs: "Stopped looking on as a merchant",
  } as Readonly<Record<string, string>>,
} as const;

/** The texts of the screen about backups. */
export const backupTexts = {
  title: "Backups",
  intro: "Copies of all data, live and test, that the service makes by itself while it runs.",
  now: "Back up now",
  started: "A backup was asked for. It begins at once, or after the one that goes on.",
  state: "State",
  late: "Backups are late",
  lateText: "Two could have been made since the last one. The list below tells what became of each.",
  last: "Last backup",
  lastOf: "Data as of",
  lastSize: "Size",
  lastPlace: "File",
  next: "Next one",
  proven: "Last one proven",
  provenHint: "Once a week the last backup is restored aside and verified.",
  shipped: "Shipped until",
  ships: "Every ten seconds what is committed goes there.",
  waits: (size: string) => `${size} wait.`,
  shippedLate: "Nothing has come there since: a lost disk would cost what was committed after it.",
  never: "not yet",
  settings: "Settings",
  place: "Place",
  every: "How often",
  everyOf: (minutes: number) =>
    minutes === 60 ? "every hour" : minutes % 60 === 0 ? `every ${minutes / 60} hours` : `every ${minutes} minutes`,
  keep: "Kept",
  keepOf: (hours: number, days: number, months: number) =>
    `the last one of each of ${hours} hours, ${days} days and ${months} months`,
  key: "Secret key",
  keyOf: (with_key: boolean) =>
    with_key ? "in each backup: keep them as you keep the key" : "not in them: keep it in another place",
  setBy: "Flags of packhouse serve set these values. The service reads them when it starts.",
  none: "No backups are made",
  noneText:
    "Until a place is set, nothing is copied: a lost disk is all data lost. Set a place on another disk or another" +
    " machine and start the service again.",
  example: "Example",
  exampleLines: ["packhouse serve --backup-to /mnt/backups", "packhouse serve --backup-to s3://bucket/packhouse"],
  exampleText: "On the command line, packhouse backup makes one at any time, and packhouse restore reads one.",
  runs: "Runs",
  created: "When",
  kind: "What",
  kinds: { backup: "Backup", proof: "Proof" },
  status: "Status",
  size: "Size",
  took: "Took",
  tookOf: (seconds: number) => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
  where: "Place",
  error: "Problem",
  emptyTitle: "No backup was made yet",
  emptyText: "Each backup that the service makes, and each proof of one, is listed here for a while.",
} as const;

/** The texts of the screen about e-mail. */
export const mailTexts = {
  title: "Mail",
  intro: "The mail server that Packhouse uses, and the e-mails that it sends.",
  server: "Mail server",
  tls: "Encryption",
  tlsOf: {
    always: "TLS, always",
    when_offered: "TLS when the server offers it",
    never: "none: others can read the password and the e-mails in transit",
  },
  from: "From",
  to: "Operator",
  setBy: "Environment variables set these values. The service reads them when it starts.",
  sends: "E-mails sent",
  wouldSend: "E-mails that would be sent",
  toWhom: { operator: "to the operator", invited: "to the person who is invited" },
  kinds: { notices: "Notices", invitations: "Invitations" },
  test: "Send a test",
  testTitle: "Test",
  testTo: "To",
  testToHint: "Empty: to the operator.",
  testing: "Waiting for the mail server. This takes up to 20 seconds.",
  taken: (to: string) => `The mail server accepted the e-mail to ${to}.`,
  takenText: "Check whether it arrives. If not, check the spam folder and the log of the mail server.",
  notTaken: (to: string) => `The mail server did not accept the e-mail to ${to}.`,
  refusedOf: (addresses: string) => `It refused ${addresses}.`,
  said: "Its answer",
  none: "No mail server is set",
  noneText:
    "No e-mail is sent: notices are shown only in the dashboard, and you send the links of invitations yourself." +
    " To send e-mail, set these variables and restart the service.",
  variables: [
    ["PACKHOUSE_SMTP_URL", "The mail server, with user and password. Required."],
    ["PACKHOUSE_MAIL_TO", "The addresses that receive notices, separated by commas. Required."],
    ["PACKHOUSE_MAIL_FROM", "The sender. By default the first address of PACKHOUSE_MAIL_TO."],
  ],
  example: "Example",
  exampleLines: [
    "PACKHOUSE_SMTP_URL='smtp://user:password@mail.example.com:587'",
    "PACKHOUSE_MAIL_TO='ops@example.com'",
    "PACKHOUSE_MAIL_FROM='packhouse@example.com'",
  ],
  exampleText: "With smtps:// the connection uses TLS from the start, usually on port 465.",
} as const;

/** The words of the screen of figures. */
export const metricTexts = {
  requests: "Requests per second",
  classes: { "2xx": "Succeeded", "3xx": "Not modified", "4xx": "Refused", "5xx": "Failed" },
  duration: "Request duration",
  p50: "Median",
  p99: "99th percentile",
  milliseconds: (value: string) => `${value} ms`,
  deliveries: "Webhook deliveries per second",
  arrived: "Arrived",
  failed: "Failed",
  waiting: "Deliveries waiting",
  size: "Size of the database",
  memory: "Memory of the service",
  now: "now",
  time: "Time",
  period: "Period",
  periods: { "1": "1 hour", "6": "6 hours", "24": "24 hours" },
  emptyTitle: "No metrics yet",
  emptyText: "The first values appear a minute after the start, then every half minute.",
  note: "Since this server started, at most 24 hours. For longer periods, let Prometheus read /metrics.",
} as const;

/** The words of the screen that leads to the reference of the API. */
export const referenceTexts = {
  title: "API reference",
  open: "Open the reference",
  text: "Every route with its fields, answers, refusals and examples. Requests can be tried out there.",
  tryTitle: "Trying requests out",
  trySession: "While you are signed in, the reference acts as you, in the live world unless you say otherwise.",
  tryTest: "For the test world, add the header Packhouse-World: test, or enter an API key of that world.",
  tryKey: "An API key that you enter there counts in place of your session.",
  makeKey: "Make an API key",
  files: "For programs",
  document: "Description of the API (OpenAPI 3.1)",
  errors: "All errors and what they mean",
  base: "Address of the API",
} as const;

const timeOf = (time: number, unit: "days" | "years") =>
  unit === "days" ? plural(time, "day", "days") : plural(time, "year", "years");

/** The texts of the screen about how long records are kept. */
export const retentionTexts = {
  title: "Retention",
  intro: "For how long each kind of record is kept. What is older is deleted in the night.",
  worldOf: {
    live: "These are the times of the live data. The test data have their own.",
    test: "These are the times of the test data. The live data have their own.",
  },
  saved: "The times are saved. They count from the next night on.",
  shorterTitle: "The next night deletes what is older than the new times. A longer time later brings nothing back.",
  shorter: (label: string, from: string, to: string) => `${label}: ${to} instead of ${from}`,
  forGood: "for good",
  time: timeOf,
  takes: (costs: string) =>
    costs === "Nothing." ? "It takes no room." : `It takes ${costs.charAt(0).toLowerCase()}${costs.slice(1)}`,
  usual: (usual: number | null, unit: "days" | "years") =>
    usual === null ? "Empty: kept for good, as is usual." : `Empty: ${timeOf(usual, unit)}, as is usual.`,
  limits: (least: number, most: number, unit: "days" | "years") =>
    least === most ? `Always ${timeOf(least, unit)}.` : `From ${least} to ${timeOf(most, unit)}.`,
  groups: {
    people: "People who order",
    events: "Events and webhooks",
    partners: "Stores and carriers",
    acts: "Requests and acts",
  },
  kinds: {
    closed_orders: ["people", "Names and addresses in ended orders"],
    label_documents: ["people", "Documents of carriers' labels"],
    idle_customers: ["people", "Customers without orders that name them"],
    commercial_records: ["people", "Commercial records"],
    event_payloads: ["events", "Payloads of events"],
    delivery_log: ["events", "Deliveries to webhooks"],
    receiver_answers: ["events", "Answers of receivers"],
    platform_orders: ["partners", "Orders of stores that were not imported"],
    platform_notifications: ["partners", "Notifications of stores"],
    carrier_callbacks: ["partners", "Callbacks of carriers"],
    unclaimed_scans: ["partners", "Scans of unknown parcels"],
    request_log: ["acts", "Log of requests"],
    audit_trail: ["acts", "Audit trail"],
    invitations: ["acts", "Invitations that are over"],
    kept_answers: ["acts", "Answers for repeated requests"],
  },
} as const;

/** The texts of the screen about the servers that run. */
export const serverTexts = {
  title: "Servers",
  intro: "The servers of this installation that run now.",
  host: "Machine",
  answers: "answers you",
  status: "Status",
  version: "Version",
  number: "Number",
  migration: "Last migration",
  started: "Started",
  seen: "Last seen",
  one: "The data belongs to this one process. Several servers run where they share a PostgreSQL database.",
  several: "They share one PostgreSQL database. One that ends without a word is gone from the list after some seconds.",
  unlike: "They are of different versions. End the upgrade: restart the older ones.",
} as const;
