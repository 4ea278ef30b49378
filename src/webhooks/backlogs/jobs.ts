import { writePieces } from "../../database/pieces.ts";
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { listWaiting } from "../deliveries/store.ts";
import { trimBacklog } from "./commands.ts";

/** Skips deliveries beyond the limits of a backlog, some in each transaction. */
export async function trimBacklogs(store: Store, service: Service): Promise<void> {
  const waiting = (await store.read(listWaiting)).filter((one) => one.first_at !== null || one.late_at !== null);
  for (const { id } of waiting) {
    await writePieces(store, service, (tx) => trimBacklog(tx, id, service.mail !== null));
  }
}
