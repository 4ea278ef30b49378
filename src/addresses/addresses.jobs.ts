// Stands alone because jobs are a layer of their own: loads the bundled ZIP codes.
import type { Service } from "../http/service.ts";
import type { Store } from "../storage/database.ts";
import { writeChunks } from "../storage/database.ts";
import { releaseCarried } from "./carried_zip_codes.ts";
import { loadZips } from "./verify_address.ts";
import { nextZipToLoad } from "./zip_codes.sql.ts";

/** Loads the bundled ZIP codes into the table in batches, unless they are already there. */
export async function loadPostalCodes(store: Store, service: Service): Promise<void> {
  if ((await store.read(nextZipToLoad)) === null) return;
  await writeChunks(store, service, loadZips);
  releaseCarried();
}
