// The guides: sections of the document's description, and texts of chapters.

import { otherRecords, personalRecords } from "../../privacy/personal_records.ts";
import { retention, retentionKinds } from "../../storage/retention.ts";
import addresses from "../guides/addresses.md" with { type: "text" };
import billing from "../guides/billing.md" with { type: "text" };
import commandLine from "../guides/command_line.md" with { type: "text" };
import conventions from "../guides/conventions.md" with { type: "text" };
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
      const { usual, least, most, unit, what, costs } = retention[kind];
      return `| \`${kind}\` | ${usual ?? "forever"} | ${least} | ${most} ${unit} | ${what} ${costs} |`;
    }),
  ].join("\n");
}

function othersByHolder(): string {
  const groups = Map.groupBy(Object.entries(otherRecords), ([, { holds }]) => holds);
  return [...groups]
    .map(([holds, tables]) => `${holds} (${tables.map(([name]) => `\`${name}\``).join(", ")})`)
    .join("; ");
}

/** Sections of the description in reading order, each with its heading. */
export const sections: readonly string[] = [
  conventions,
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

/** Longer texts of chapters, appended to the chapter's short description. */
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
