// The billing at the end of the day, and additional billed time.
import { closeStorage } from "../../../../src/billing/storage_days.jobs.ts";
import type { Teller } from "./record_example.ts";

const until_closed_ms = 3 * 3_600_000;

/** Runs when the day is nearly over in the warehouse; it is totaled soon after midnight. */
export async function billing({ app, mode, tell, warehouse_id }: Teller): Promise<void> {
  const body = { minutes: 45, description: "Relabelled 200 jars", approved_by: "Anna Acker", location: warehouse_id };
  await tell("createBillableEvent", { body });
  await tell("listBillableEvents", { query: { kind: "pick", limit: "2" } });
  await tell("exportBillableEvents", { query: { kind: "pick" } });
  app.clocks[mode].advance(until_closed_ms);
  await closeStorage(app.service.stores[mode], app.service);
  await tell("listStorageDays", { query: { limit: "2" } });
  await tell("exportStorageDays");
}
