import type { Store } from "../../database/store.ts";
import { forgetCallbacks } from "./commands.ts";

const forgotten_together_max = 500;

/** Deletes callbacks after thirty days, and updates of numbers that never became known after ninety. */
export async function forgetOldCallbacks(store: Store): Promise<void> {
  for (let more = true; more; ) more = await store.write((tx) => forgetCallbacks(tx, forgotten_together_max));
}
