import { plural } from "./format.ts";

export const auditTexts = {
  search: "Search name, action, target, request or address",
  csv: "CSV",
  who: "User or key",
  what: "Action",
  target: "Target",
  environment: "Environment",
  environments: { live: "Live", test: "Test" },
  address: "IP address",
  request: "Request",
  actor: "User or key (ID)",
  action: "Action",
  from: "From",
  before: "Before",
  more: (count: number) => `and ${count} more`,
  emptyTitle: "No entries yet",
  emptyText: "Every user action is listed here, with its time, IP address and target.",
  // Replace the words of the operation's name.
  actions: {
    signIn: "Signed in",
    signInFailed: "Failed to sign in",
    signOut: "Signed out",
    openDeviceLink: "Opened the link of a floor device",
    setUp: "Set up Packhouse",
    beginViewAs: "Started viewing as merchant",
    endViewAs: "Stopped viewing as merchant",
    actOnOrders: "Bulk action on orders",
  } as Readonly<Record<string, string>>,
} as const;

export const backupTexts = {
  title: "Backups",
  intro: "Automatic copies of all live and test data.",
  now: "Back up now",
  started: "Backup queued.",
  late: "Backups are late",
  lateText: "Two scheduled backups were missed. See the list below.",
  last: "Last backup",
  lastOf: "Data as of",
  lastPlace: "File",
  next: "Next backup",
  proven: "Last verified",
  provenHint: "Test-restored weekly.",
  shipped: "Replicated until",
  ships: "Changes are replicated every ten seconds.",
  pending: (size: string) => `${size} pending.`,
  shippedLate: "Replication is behind; changes since then are at risk.",
  never: "Not yet",
  settings: "Settings",
  every: "Frequency",
  everyOf: (minutes: number) =>
    minutes === 60 ? "Every hour" : minutes % 60 === 0 ? `Every ${minutes / 60} hours` : `Every ${minutes} minutes`,
  keep: "Retention",
  keepOf: (hours: number, days: number, months: number) =>
    `One per hour for ${hours} hours, one per day for ${days} days, one per month for ${months} months`,
  key: "Secret key",
  keyOf: (with_key: boolean) =>
    with_key ? "Included: protect backups like the key itself" : "Not included: store a copy somewhere else",
  setBy: "Set by flags of packhouse serve and read at startup.",
  none: "No backups are configured",
  noneText:
    "If this disk fails, all data is lost. Set a location on another disk or machine, then restart the service.",
  example: "Example",
  exampleLines: ["packhouse serve --backup-to /mnt/backups", "packhouse serve --backup-to s3://bucket/packhouse"],
  exampleText: "On the command line, packhouse backup creates a backup at any time and packhouse restore restores one.",
  runs: "Runs",
  kind: "Type",
  kinds: { backup: "Backup", restore_test: "Restore test" },
  tookOf: (seconds: number) => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
  emptyTitle: "No backups yet",
  emptyText: "Recent backups and restore tests are listed here.",
} as const;

export const mailTexts = {
  intro: "The mail server Packhouse uses, and the emails it sends.",
  server: "Mail server",
  tls: "Encryption",
  tlsOf: {
    always: "TLS (always)",
    when_offered: "TLS (if the server supports it)",
    never: "None: others can read the password and emails in transit",
  },
  from: "From",
  to: "Operator",
  setBy: "Set by environment variables and read at startup.",
  sends: "Emails sent",
  wouldSend: "Emails that would be sent",
  toWhom: { operator: "to the operator", invited: "to the invited person" },
  kinds: { notices: "Notices", invitations: "Invitations" },
  test: "Send test",
  testToHint: "Leave blank to send to the operator.",
  testing: "Waiting for the mail server. This can take up to 20 seconds.",
  accepted: (to: string) => `The mail server accepted the email to ${to}.`,
  acceptedText: "Check that it arrives. If not, check the spam folder and the mail server's log.",
  rejected: (to: string) => `The mail server rejected the email to ${to}.`,
  rejectedOf: (addresses: string) => `Rejected: ${addresses}.`,
  answer: "Server response",
  none: "No mail server is configured",
  noneText:
    "No email is sent. Notices appear only in the dashboard, and you send invitation links yourself. To send email," +
    " set these variables and restart the service.",
  variables: [
    ["PACKHOUSE_SMTP_URL", "The mail server URL, with user and password. Required."],
    ["PACKHOUSE_MAIL_TO", "Addresses that receive notices, separated by commas. Required."],
    ["PACKHOUSE_MAIL_FROM", "The sender. Default: the first address in PACKHOUSE_MAIL_TO."],
  ],
  example: "Example",
  exampleLines: [
    "PACKHOUSE_SMTP_URL='smtp://user:password@mail.example.com:587'",
    "PACKHOUSE_MAIL_TO='ops@example.com'",
    "PACKHOUSE_MAIL_FROM='packhouse@example.com'",
  ],
  exampleText: "With smtps:// the connection uses TLS from the start, usually on port 465.",
} as const;

export const metricTexts = {
  requests: "Requests per second",
  classes: { "2xx": "Succeeded", "3xx": "Not modified", "4xx": "Client error", "5xx": "Server error" },
  duration: "Request duration",
  p50: "Median",
  p99: "99th percentile",
  milliseconds: (value: string) => `${value} ms`,
  deliveries: "Webhook deliveries per second",
  delivered: "Delivered",
  failed: "Failed",
  waiting: "Pending deliveries",
  size: "Database size",
  memory: "Memory usage",
  time: "Time",
  period: "Period",
  periods: { "1": "1 hour", "6": "6 hours", "24": "24 hours" },
  emptyTitle: "No metrics yet",
  emptyText: "The first values appear a minute after startup, then every 30 seconds.",
  note: "Since this server started, up to 24 hours. For longer periods, use Prometheus with /metrics.",
} as const;

export const referenceTexts = {
  title: "API reference",
  open: "Open reference",
  text: "Every endpoint with parameters, responses, errors and examples. Try requests in the browser.",
  tryTitle: "Try requests",
  trySession: "While you're signed in, requests run as you, on live data.",
  tryTest: "For test mode, use a test key.",
  tryKey: "If you enter an API key, it's used instead of your session.",
  makeKey: "Create API key",
  files: "For developers",
  document: "OpenAPI document (3.1)",
  guides: "Guides",
  errors: "Error codes",
  base: "API base URL",
} as const;

const timeOf = (time: number, unit: "days" | "years") =>
  unit === "days" ? plural(time, "day", "days") : plural(time, "year", "years");

export const retentionTexts = {
  title: "Retention",
  intro: "How long each record type is kept. Older records are deleted nightly.",
  environmentOf: {
    live: "These periods apply to live data. Test data has its own.",
    test: "These periods apply to test data. Live data has its own.",
  },
  saved: "Saved. Takes effect tonight.",
  shorterTitle:
    "Tonight, records older than the new periods are deleted. A longer period later doesn't bring them back.",
  shorter: (label: string, from: string, to: string) => `${label}: ${to} instead of ${from}`,
  forever: "forever",
  time: timeOf,
  takes: (costs: string) =>
    costs === "Nothing."
      ? "Uses no space."
      : /^(?:About|Up to|\d)/.test(costs)
        ? `Uses ${costs.charAt(0).toLowerCase()}${costs.slice(1)}`
        : costs,
  default_time: (default_time: number | null, unit: "days" | "years") =>
    default_time === null
      ? "Leave blank to keep forever (default)."
      : `Leave blank for the default of ${timeOf(default_time, unit)}.`,
  limits: (least: number, most: number, unit: "days" | "years") =>
    least === most ? `Always ${timeOf(least, unit)}.` : `From ${least} to ${timeOf(most, unit)}.`,
  groups: {
    people: "Customers' personal data",
    events: "Events and webhooks",
    partners: "Stores and carriers",
    acts: "Requests and actions",
  },
  kinds: {
    closed_orders: ["people", "Names and addresses in closed orders"],
    label_documents: ["people", "Label files from carriers"],
    idle_customers: ["people", "Customers with no remaining orders"],
    commercial_records: ["people", "Commercial records"],
    event_payloads: ["events", "Event payloads"],
    delivery_log: ["events", "Webhook deliveries"],
    webhook_responses: ["events", "Receiver responses"],
    platform_orders: ["partners", "Store orders that were not imported"],
    platform_notifications: ["partners", "Store notifications"],
    carrier_callbacks: ["partners", "Carrier callbacks"],
    unclaimed_scans: ["partners", "Scans for unknown parcels"],
    request_log: ["acts", "Request log"],
    audit_trail: ["acts", "Audit trail"],
    invitations: ["acts", "Closed invitations"],
    stored_responses: ["acts", "Stored responses for repeated requests"],
  },
} as const;

export const serverTexts = {
  title: "Servers",
  intro: "The servers currently running in this installation.",
  host: "Host",
  current: "current",
  version: "Version",
  number: "Number",
  migration: "Last migration",
  started: "Started",
  one: "Single server. Use PostgreSQL to run more than one.",
  several: "These servers share one PostgreSQL database. Servers that stop responding disappear after a few seconds.",
  unlike: "The servers run different versions. To finish the upgrade, restart the older ones.",
} as const;
