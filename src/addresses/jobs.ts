import { writePieces } from "../database/pieces.ts";
import type { Store } from "../database/store.ts";
import type { Service } from "../http/service.ts";
import { loadZips } from "./commands.ts";
import { releaseCarried } from "./postal/store.ts";
import { whereToLoad } from "./store.ts";

/** Loads the ZIP codes that the program carries, where the table does not have them, a piece at a time. */
export async function loadPostalCodes(store: Store, service: Service): Promise<void> {
  if ((await store.read(whereToLoad)) === null) return;
  await writePieces(store, service, loadZips);
  releaseCarried();
}
