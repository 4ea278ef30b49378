import type { Call } from "../../http/call.ts";
import { type AskerWithPeople, listPeople } from "./store.ts";

/**
 * Who asks, as far as it counts for what is told of who did something. It is found between transactions: the live
 * world alone knows people.
 */
export async function askerOf({ merchant_id, actor, store, live }: Call): Promise<AskerWithPeople> {
  const isKnown = merchant_id === null || store.mode === live.mode;
  const people = isKnown ? [] : await live.scoped({ sees: merchant_id, makes: null }).read(listPeople);
  return { merchant_id, actor, people };
}
