// The manager's reports: the overview of today, and every report.
import type { Teller } from "./record_example.ts";

const grouped = { group_by: "week" };

/** Runs at the end of the day, when there is something to report. */
export async function reports({ tell }: Teller): Promise<void> {
  await tell("getOverview");
  for (const [name, query] of [
    ["Orders", grouped],
    ["OnTime", grouped],
    ["UnitsPicked", { group_by: "hour" }],
    ["CarrierCost", grouped],
    ["Sales", { limit: "2" }],
    ["StockAgeing", { limit: "2" }],
    ["StockTurns", { limit: "2" }],
    ["FillRate", grouped],
  ] as const) {
    await tell(`get${name}Report`, { query });
    await tell(`export${name}Report`, "limit" in query ? {} : { query });
  }
}
