// The tables of the guide *Privacy*, drawn from those that the erasure and the settings go by.
import { otherRecords, personalRecords } from "../privacy/records.ts";
import { retention, retentionKinds } from "../retention/rules.ts";

/** What an erasure does, kind by kind; which tables tell of nobody who orders; and how long everything is kept. */
export function privacyTables(): string {
  return [
    "## What an erasure does with each kind of record",
    "",
    "| records | goes | stays |",
    "|---|---|---|",
    ...personalRecords.map(({ kind, columns, rows_deleted }) => {
      const names = (kept: boolean) => {
        const some = Object.entries(columns).filter(([, treatment]) => (treatment === "kept") === kept);
        return some.map(([name]) => `\`${name}\``).join(", ");
      };
      const [gone, kept] = rows_deleted ? ["the whole row", "–"] : [names(false) || "–", names(true) || "–"];
      return `| ${kind.replaceAll("_", " ")} | ${gone} | ${kept} |`;
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
