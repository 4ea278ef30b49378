// The tables of the guide *Privacy*, drawn from those that the erasure and the settings go by.
import { otherRecords, personalRecords } from "../privacy/records.ts";
import { retention, retentionKinds } from "../retention/rules.ts";

/** What an erasure does, kind by kind; which tables tell of nobody who orders; and how long everything is kept. */
export function privacyTables(): string {
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
