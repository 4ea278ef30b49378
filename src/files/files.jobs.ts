// Stands alone because jobs are a layer of their own: removes the contents of files that nothing uses.
import type { Service } from "../http/service.ts";
import type { Store } from "../storage/database.ts";
import { deleteRemovedFile, fileRemovals } from "./files.sql.ts";

const removed_at_once = 20;

/** One round of `files.remove`. If a content cannot be removed, the claim ends after a while and it is tried again. */
export async function removeFiles(
  store: Store,
  { files, log }: Pick<Service, "files" | "log">,
): Promise<number | null> {
  const { claims, next_at } = await store.write((tx) => fileRemovals.claimNext(tx, removed_at_once));
  for (const { id, key, remove_at } of claims) {
    try {
      await files.remove(store.mode, key);
      await store.write((tx) => deleteRemovedFile(tx, { id, remove_at: remove_at ?? 0 }));
    } catch (error) {
      log.warn("the content of a file could not be removed yet", { file: id, error: String(error) });
    }
  }
  return next_at;
}
