import type { Store } from "../database/store.ts";
import { forgetOldEntries } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes entries of the audit trail that are too old, some in each transaction. */
export async function forgetOldActs(store: Store): Promise<void> {
  const forgetSome = () => store.write((tx) => forgetOldEntries(tx, forgotten_together_max));
  for (let more = true; more; ) more = await forgetSome();
}
