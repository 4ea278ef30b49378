import type { Store, Tx } from "./store.ts";

/**
 * Does work in transactions of one piece each, until a piece answers that no more is left. A service that is about to
 * stop does not wait for the rest: the next round goes on with it.
 */
export async function writePieces(
  store: Store,
  { ending }: { readonly ending: AbortSignal },
  piece: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  for (let more = true; more && !ending.aborted; ) more = await store.write(piece);
}
