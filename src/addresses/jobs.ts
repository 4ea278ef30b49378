import type { Store } from "../database/store.ts";
import { loadZips } from "./commands.ts";
import { releaseCarried } from "./postal/store.ts";
import { whereToLoad } from "./store.ts";

/** Loads the ZIP codes that the program carries, where the table does not have them, a piece at a time. */
export async function loadPostalCodes(store: Store): Promise<void> {
  let more = (await store.read(whereToLoad)) !== null;
  if (!more) return;
  while (more) more = await store.write(loadZips);
  releaseCarried();
}
