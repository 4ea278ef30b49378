import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { notify } from "../notices/commands.ts";
import { attemptsSettled, dispatcherOf } from "./dispatcher.ts";

/** A round of `webhooks.deliver`: begins to send what is due. */
export async function deliverDue(store: Store, service: Service): Promise<number | null> {
  const dispatcher = dispatcherOf(store, service, (tx, entered) => notify(tx, entered, service.mail !== null));
  await dispatcher.turn();
  return null;
}

/** Waits until every attempt under way is over and recorded. */
export async function deliveriesSettled(store: Store): Promise<void> {
  await attemptsSettled(store);
}
