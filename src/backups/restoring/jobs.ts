// The act of the clock that carries out what was decided about what has waited since a restore.
import { writePieces } from "../../database/pieces.ts";
import { awaitsSettling } from "../../database/restorations.ts";
import type { Store } from "../../database/store.ts";
import { settleSome } from "./commands.ts";

/** Carries out what was decided on the command line, which wakes no job of this process. */
export async function carryOutDecision(store: Store, service: { readonly ending: AbortSignal }): Promise<void> {
  if (await store.readLatest(awaitsSettling)) await writePieces(store, service, settleSome);
}

/** A round of `backups.settle_restored`. */
export async function settleRestored(store: Store): Promise<number | null> {
  return (await store.write(settleSome)) ? store.clock.now() : null;
}
