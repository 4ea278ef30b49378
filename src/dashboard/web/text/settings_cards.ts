// The settings as their overview lists and searches them.
import { plural } from "./format.ts";
import { titles } from "./navigation.ts";
import { printingTexts } from "./printing.ts";
import { shippingTexts } from "./shipping.ts";
import { ruleTexts } from "./shipping_rules.ts";
import { toteTexts } from "./waves.ts";

/** An entry of the settings: its title, what it is for in one line, and search words. */
export interface SettingsEntry {
  readonly title: string;
  readonly line: string;
  /** Other words for it, and single settings that it contains. */
  readonly keywords: readonly string[];
}

/** The groups of the settings, in order. Merchant users see `account` and `developers`. */
export const settingsGroups = {
  account: { title: "Account", line: "Your team, your stores and your customers' data." },
  warehouse: { title: "Warehouse", line: "Your warehouses and the people who work in them." },
  merchants: { title: "Merchants", line: "The companies you ship for, with their stores." },
  shipping: { title: "Shipping", line: "Carriers, prices, zones and days without pickup." },
  developers: { title: "Developers", line: "API keys, webhooks and logs for integrations." },
  system: { title: "System", line: "Backups, servers, email, audit trail and retention." },
} as const satisfies Readonly<Record<string, Omit<SettingsEntry, "keywords">>>;

/** The entries of the settings. */
export const entries = {
  warehouses: {
    title: titles.warehouses,
    line: "Addresses, time zones, cut-off times and bin zones.",
    keywords: ["location", "building", "depot", "ship from", "origin address", "cut-off", "opening hours", "time zone"],
  },
  printers: {
    title: printingTexts.printers,
    line: printingTexts.printersLine,
    keywords: ["Zebra", "ZPL", "label printer", "IPP", "A4", "test page", "print job", "reprint"],
  },
  stations: {
    title: printingTexts.stations,
    line: printingTexts.stationsLine,
    keywords: ["packing table", "pack bench", "printer", "workstation"],
  },
  totes: {
    title: toteTexts.title,
    line: toteTexts.line,
    keywords: ["box", "bin", "cart", "trolley", "slot", "pick into", "barcode"],
  },
  cartons: {
    title: printingTexts.cartons,
    line: printingTexts.cartonsLine,
    keywords: ["box", "carton size", "packaging", "tare weight", "dimensions"],
  },
  users: {
    title: titles.users,
    line: "Who can sign in and what they may do.",
    keywords: ["team", "staff", "employee", "invitation", "invite", "role", "permission", "access", "disable user"],
  },
  floorDevices: {
    title: titles.floorDevices,
    line: "Scanners and tablets for sign-in with badge and PIN.",
    keywords: ["badge", "PIN", "handheld", "scanner", "tablet", "kiosk", "device", "QR code"],
  },
  profile: {
    title: titles.profile,
    line: "Your name, password, two-factor authentication and sessions.",
    keywords: ["second factor", "2FA", "authenticator app", "recovery codes", "change password", "sign out", "login"],
  },
  merchants: {
    title: titles.merchants,
    line: "Details, status, sender and return address of each merchant.",
    keywords: ["client", "brand", "company", "currency", "color", "suspend", "sender", "label permission", "contact"],
  },
  branding: {
    title: titles.branding,
    line: "The logo, color and contact that buyers see.",
    keywords: ["logo", "brand", "tracking page", "accent color", "support email", "buyer", "website", "message"],
  },
  stores: {
    title: titles.platforms,
    line: "Connected stores that send orders and receive tracking.",
    keywords: ["Shopify", "WooCommerce", "BigCommerce", "platform", "shop", "order import", "integration", "connect"],
  },
  privacy: {
    title: titles.privacy,
    line: "Exports and erasures of customers' personal data.",
    keywords: ["GDPR", "CCPA", "data request", "personal data", "delete customer", "erase", "export personal data"],
  },
  carriers: {
    title: shippingTexts.accounts.title,
    line: "Carrier accounts that sell labels, and your own services.",
    keywords: ["carrier account", "UPS", "USPS", "FedEx", "EasyPost", "Shippo", "credentials", "callback", "provider"],
  },
  rules: {
    title: ruleTexts.title,
    line: "How new orders ship: service, carton, insurance, warehouse and holds.",
    keywords: ["routing", "carrier", "service", "automation", "mapping", "cheapest", "fastest", "insurance", "box"],
  },
  rateCards: {
    title: shippingTexts.cards.title,
    line: "Prices of your own services by zone and weight.",
    keywords: ["price list", "surcharge", "fuel", "residential", "transit days", "cut-off", "tariff", "service"],
  },
  zones: {
    title: shippingTexts.zones.title,
    line: "Zone map, overrides and zone charts.",
    keywords: ["zone chart", "zone override", "distance", "ZIP code", "postal code"],
  },
  holidays: {
    title: shippingTexts.holidays.title,
    line: "Days without pickup or delivery, by carrier.",
    keywords: ["calendar", "closed", "day off", "pickup days", "delivery date"],
  },
  keys: {
    title: titles.keys,
    line: "Access for stores, scripts and other programs.",
    keywords: ["token", "secret", "rate limit", "IP allowlist", "allowed addresses", "revoke", "rotate", "credentials"],
  },
  webhooks: {
    title: titles.webhooks,
    line: "Signed messages to your servers when something changes.",
    keywords: [
      "endpoint",
      "subscription",
      "delivery log",
      "signing secret",
      "retry",
      "redeliver",
      "callback",
      "notice",
    ],
  },
  events: {
    title: titles.events,
    line: "Everything that happened, as webhooks report it.",
    keywords: ["event log", "event type", "payload", "history"],
  },
  requests: {
    title: titles.requests,
    line: "API requests with responses, errors and durations.",
    keywords: ["API log", "debug", "status code", "request ID", "idempotency"],
  },
  reference: {
    title: titles.reference,
    line: "Every endpoint, with examples to try.",
    keywords: ["documentation", "docs", "OpenAPI", "guides", "error codes", "endpoint", "Swagger"],
  },
  backups: {
    title: titles.backups,
    line: "Automatic copies of all data, and when they were verified.",
    keywords: ["restore", "snapshot", "disaster recovery", "S3", "archive", "replication"],
  },
  servers: {
    title: titles.servers,
    line: "The running servers and their versions.",
    keywords: ["version", "upgrade", "update", "migration", "host", "PostgreSQL"],
  },
  metrics: {
    title: titles.metrics,
    line: "Requests, durations, deliveries and memory over time.",
    keywords: ["performance", "monitoring", "Prometheus", "latency", "database size", "memory", "load"],
  },
  mail: {
    title: titles.mail,
    line: "Mail server, recipients and a test message.",
    keywords: ["SMTP", "mail server", "sender", "notification", "alerts", "test email"],
  },
  audit: {
    title: titles.audit,
    line: "Who did what and when, with IP addresses.",
    keywords: ["audit log", "activity", "sign-in history", "who changed", "security", "compliance"],
  },
  retention: {
    title: titles.retention,
    line: "How long each type of record is kept.",
    keywords: ["delete old records", "retention period", "data lifetime", "purge", "storage period", "keep"],
  },
} as const satisfies Readonly<Record<string, SettingsEntry>>;

/** The texts of the overview. */
export const overviewTexts = {
  search: "Search settings",
  nothing: (typed: string) => `No settings match “${typed}”.`,
  nothingHint: "Try another word, such as password, carrier or backup.",
  found: (value: number) => plural(value, "setting found", "settings found"),
  includes: (keywords: readonly string[]) => `Includes ${keywords.join(", ")}`,
  states: {
    merchants: (value: number) => plural(value, "merchant", "merchants"),
    stores: (value: number) => plural(value, "store", "stores"),
    warehouses: (value: number) => plural(value, "warehouse", "warehouses"),
    users: (value: number) => plural(value, "user", "users"),
    keys: (value: number) => plural(value, "key", "keys"),
    webhooks: (value: number) => plural(value, "webhook", "webhooks"),
    erasures: (value: number) => plural(value, "erasure", "erasures"),
    rateCards: (value: number) => plural(value, "rate card", "rate cards"),
    accounts: (value: number) => plural(value, "carrier account", "carrier accounts"),
    servers: (value: number, version: string) => `${plural(value, "server", "servers")}, version ${version}`,
    none: "None yet",
    noAccounts: "No carrier accounts",
    factorOn: "Two-factor authentication on",
    factorOff: "Two-factor authentication off",
    lastBackup: (ago: string) => `Last backup ${ago}`,
    backupsLate: "Backups are late",
    notSetUp: "Not set up",
    unlike: "Different versions",
    last: (ago: string) => `Last entry ${ago}`,
  },
} as const;
