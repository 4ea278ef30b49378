// A person requests access to their data and its erasure; the operator sets the retention periods.
import type { Teller } from "./record_example.ts";

/** The person, who has not ordered yet. */
export async function privacy({ app, tell, act }: Teller): Promise<void> {
  const charles = await act("createCustomer", {
    body: { email: "charles@example.com", first_name: "Charles", last_name: "Babbage" },
  });
  const path = { id: charles.id };
  await tell("discloseCustomer", { path, body: {} });
  await tell("discloseEmail", { body: { email: "nobody@example.com" } });
  const begun = await tell("eraseCustomer", { path, body: { after_days: 30 } });
  await app.runJobs();
  await tell("getErasure", { path: { id: begun.data.id } });
  await tell("eraseEmail", { body: { email: "nobody@example.com" } });
  await app.runJobs();
  await tell("listErasures", { query: { limit: "1" } });
  const waiting = await act("eraseEmail", { body: { email: "somebody@example.com" } });
  await tell("cancelErasure", { path: { id: waiting.data.id } });
  await tell("getRetention");
  await tell("updateRetention", { body: { closed_orders: 730 } });
}
