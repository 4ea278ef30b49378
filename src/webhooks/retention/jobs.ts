import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Forgets what was delivered longer ago than the operator wants it kept, some in each transaction. */
export async function forgetOldDeliveries(store: Store, { event_retention_days }: Service): Promise<void> {
  const forgetSome = () => store.write((tx) => forgetOld(tx, event_retention_days, forgotten_together_max));
  for (let more = true; more; ) more = await forgetSome();
}
