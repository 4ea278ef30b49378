import type { Store } from "../../database/store.ts";
import { forgetOld } from "./commands.ts";

const forgotten_together_max = 500;

/** Forgets notifications after four days, and what was told of orders that came to nothing after thirty. */
export async function forgetNotifications(store: Store): Promise<void> {
  for (let more = true; more; ) more = await store.write((tx) => forgetOld(tx, forgotten_together_max));
}
