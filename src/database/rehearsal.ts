import type { Tx } from "./store.ts";

/**
 * Does work within a transaction, all that comes at its end included, undoes it, and answers what it answered: how it
 * would have ended.
 */
export async function rehearsed<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  let ended: { readonly answer: T } | null = null;
  const undone = new Error("a rehearsal is undone");
  try {
    await tx.nested(async (part) => {
      ended = { answer: await part.nested(work) };
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return (ended as unknown as { readonly answer: T }).answer;
}
