// The guides, in reading order. Each is a page of its own, at `/docs/guides/<name>`.

import type { Chapter } from "../../http/chapters.ts";
import { otherRecords, personalRecords } from "../../privacy/personal_records.ts";
import { retention, retentionKinds } from "../../storage/retention.ts";
import addresses from "../guides/addresses.md" with { type: "text" };
import billing from "../guides/billing.md" with { type: "text" };
import commandLine from "../guides/command_line.md" with { type: "text" };
import conventions from "../guides/conventions.md" with { type: "text" };
import dates from "../guides/dates.md" with { type: "text" };
import files from "../guides/files.md" with { type: "text" };
import floor from "../guides/floor.md" with { type: "text" };
import installing from "../guides/installing.md" with { type: "text" };
import keys from "../guides/keys.md" with { type: "text" };
import limits from "../guides/limits.md" with { type: "text" };
import merchants from "../guides/merchants.md" with { type: "text" };
import orders from "../guides/orders.md" with { type: "text" };
import otherMachines from "../guides/other_machines.md" with { type: "text" };
import platforms from "../guides/platforms.md" with { type: "text" };
import privacy from "../guides/privacy.md" with { type: "text" };
import restoring from "../guides/restoring.md" with { type: "text" };
import running from "../guides/running.md" with { type: "text" };
import search from "../guides/search.md" with { type: "text" };
import settings from "../guides/settings.md" with { type: "text" };
import severalServers from "../guides/several_servers.md" with { type: "text" };
import shipping from "../guides/shipping.md" with { type: "text" };
import upgrading from "../guides/upgrading.md" with { type: "text" };
import users from "../guides/users.md" with { type: "text" };
import webhooks from "../guides/webhooks.md" with { type: "text" };

/** The tables of *Privacy*: what an erasure does by record type, which tables it skips, and all retention times. */
function privacyTables(): string {
  return [
    "## What an erasure does with each type of record",
    "",
    "| records | erased | expires | kept |",
    "|---|---|---|---|",
    ...personalRecords.map(({ kind, columns, rows_deleted }) => {
      const names = (isWanted: (treatment: string) => boolean) => {
        const matching = Object.entries(columns).filter(([, treatment]) => isWanted(treatment));
        return matching.map(([name]) => `\`${name}\``).join(", ") || "–";
      };
      const remaining = ["expires", "kept"].map((wanted) => names((treatment) => treatment === wanted));
      const erased = names((treatment) => treatment !== "expires" && treatment !== "kept");
      const cells = rows_deleted ? ["the whole row", "–", "–"] : [erased, ...remaining];
      return `| ${[kind.replaceAll("_", " "), ...cells].join(" | ")} |`;
    }),
    "",
    `Erasures do not touch these tables, which contain no data about buyers: ${othersByHolder()}.`,
    "",
    "## Retention",
    "",
    "| type | default | minimum | maximum | content, and cost |",
    "|---|---|---|---|---|",
    ...retentionKinds.map((kind) => {
      const { minimum, maximum, unit, description, costs, ...times } = retention[kind];
      const initial = times.default ?? "forever";
      return `| \`${kind}\` | ${initial} | ${minimum} | ${maximum} ${unit} | ${description} ${costs} |`;
    }),
  ].join("\n");
}

function othersByHolder(): string {
  const groups = Map.groupBy(Object.entries(otherRecords), ([, { holds }]) => holds);
  return [...groups]
    .map(([holds, tables]) => `${holds} (${tables.map(([name]) => `\`${name}\``).join(", ")})`)
    .join("; ");
}

/** A guide. Its text begins with its title, as a heading. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  /** What it explains, for lists of guides. */
  readonly summary: string;
  readonly text: string;
  /** The chapter of the reference that it belongs to; null for none. */
  readonly chapter: Chapter | null;
}

const guide = (name: string, text: string, summary: string, chapter: Chapter | null = null): Guide => {
  const [, title = name] = /^# (.+)$/m.exec(text) ?? [];
  return { name, title, summary, text: `${text.trim()}\n`, chapter };
};

const privacyText = `${privacy.trim()}\n\n${privacyTables()}`;

/** The guides by group. */
export const guides: Readonly<Record<string, readonly Guide[]>> = {
  "Using the API": [
    guide("conventions", conventions, "The rules of every route: identifiers, money, times, lists, errors, retries."),
    guide("limits", limits, "Rates, sizes, page lengths and how large responses are sent."),
    guide("dates", dates, "Which day a date means, and in which time zone."),
    guide("files", files, "Importing and exporting CSV files."),
    guide("keys", keys, "API keys: levels, IP addresses, rotation and rate limits.", "Keys"),
    guide("merchants", merchants, "One warehouse for several merchants: who sees and owns what.", "Merchants"),
    guide("orders", orders, "Finding orders, acting on many at once, and amounts.", "Orders"),
    guide("floor", floor, "What people do with goods in their hands: scanning, picking, packing, printing.", "Floor"),
    guide("addresses", addresses, "How addresses are checked, and what the results mean.", "Addresses"),
    guide("shipping", shipping, "Rates, carrier accounts, labels, customs and simulated carriers.", "Shipping"),
    guide("platforms", platforms, "Importing orders from BigCommerce, Shopify and WooCommerce.", "Platforms"),
    guide("webhooks", webhooks, "Subscriptions, signatures, retries and payloads.", "Webhooks"),
    guide("billing", billing, "Billable events and stock in storage.", "Billing"),
    guide("search", search, "One search over all records.", "Search"),
    guide("users", users, "Users, roles, memberships and invitations.", "Users"),
    guide("privacy", privacyText, "Exporting and erasing a person's data, and retention times.", "Privacy"),
  ],
  "Running Packhouse": [
    guide("installing", installing, "Packages, systemd, containers, TLS proxies, monitoring and logs."),
    guide("settings", settings, "Every flag and environment variable."),
    guide("command_line", commandLine, "Every command."),
    guide("other_machines", otherMachines, "TLS for browsers and scanners on other machines."),
    guide("several_servers", severalServers, "Several servers with one PostgreSQL database."),
    guide("running", running, "Health checks, metrics, backups, logs and shutdown."),
    guide("restoring", restoring, "What a restore does, and what waits for a decision afterwards."),
    guide("upgrading", upgrading, "Upgrading to a new version, and going back."),
  ],
};

const all = Object.values(guides).flat();

/** Returns the guide of a name, or undefined. */
export const guideNamed = (name: string): Guide | undefined => all.find((one) => one.name === name);

/** Returns the guide with a title, or undefined. */
export const guideTitled = (title: string): Guide | undefined => all.find((one) => one.title === title);

/** Returns the guide of a chapter, or undefined. */
export const guideOf = (chapter: Chapter): Guide | undefined => all.find((one) => one.chapter === chapter);

/** The path of a guide's page. */
export const guidePath = ({ name }: Guide): string => `/docs/guides/${name}`;
