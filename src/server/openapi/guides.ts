// The tables of the guide *Privacy*, drawn from those that the erasure and the settings go by.

import { otherRecords, personalRecords } from "../../privacy/personal_records.ts";
import { retention, retentionKinds } from "../../storage/retention.ts";
import addresses from "../guides/addresses.md" with { type: "text" };
import billing from "../guides/billing.md" with { type: "text" };
import commandLine from "../guides/command_line.md" with { type: "text" };
import dates from "../guides/dates.md" with { type: "text" };
import files from "../guides/files.md" with { type: "text" };
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

/** What an erasure does, kind by kind; which tables tell of nobody who orders; and how long everything is kept. */
function privacyTables(): string {
  return [
    "## What an erasure does with each kind of record",
    "",
    "| records | goes | expires | stays |",
    "|---|---|---|---|",
    ...personalRecords.map(({ kind, columns, rows_deleted }) => {
      const names = (isWanted: (treatment: string) => boolean) => {
        const some = Object.entries(columns).filter(([, treatment]) => isWanted(treatment));
        return some.map(([name]) => `\`${name}\``).join(", ") || "–";
      };
      const staying = ["expires", "kept"].map((one) => names((treatment) => treatment === one));
      const gone = names((treatment) => treatment !== "expires" && treatment !== "kept");
      const cells = rows_deleted ? ["the whole row", "–", "–"] : [gone, ...staying];
      return `| ${[kind.replaceAll("_", " "), ...cells].join(" | ")} |`;
    }),
    "",
    `No erasure reaches these tables, which tell of nobody who orders: ${othersByHolder()}.`,
    "",
    "## How long each kind is kept",
    "",
    "| kind | usual | least | most | what, and what it costs |",
    "|---|---|---|---|---|",
    ...retentionKinds.map((kind) => {
      const { usual, least, most, unit, what, costs } = retention[kind];
      return `| \`${kind}\` | ${usual ?? "for good"} | ${least} | ${most} ${unit} | ${what} ${costs} |`;
    }),
  ].join("\n");
}

function othersByHolder(): string {
  const groups = Map.groupBy(Object.entries(otherRecords), ([, { holds }]) => holds);
  return [...groups]
    .map(([holds, tables]) => `${holds} (${tables.map(([name]) => `\`${name}\``).join(", ")})`)
    .join("; ");
}

// What there is to know beside single calls: sections of the description, and more on some chapters.

/** Sections of the description, each with its heading, in the order in which they are read. */
export const sections: readonly string[] = [
  limits,
  dates,
  files,
  merchants,
  installing,
  settings,
  commandLine,
  otherMachines,
  severalServers,
  running,
  restoring,
  upgrading,
];

/** What there is to know of a chapter as a whole, where its first sentences are not enough. */
export const chapterGuides: Readonly<Record<string, string>> = {
  Addresses: addresses,
  Billing: billing,
  Keys: keys,
  Orders: orders,
  Platforms: platforms,
  Privacy: `${privacy}\n${privacyTables()}`,
  Search: search,
  Shipping: shipping,
  Users: users,
  Webhooks: webhooks,
};
