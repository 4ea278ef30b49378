// How a carrier is asked about one label, with the account that the label is bought with.
import type { Store } from "../../../database/store.ts";
import type { Service } from "../../../http/service.ts";
import { Fault } from "../../../kit/fault.ts";
import { findAccount } from "../../accounts/store.ts";
import { accessTo, refusalOf } from "../../carriers/access.ts";
import type { Ctx, OutsideCarrier } from "../../carriers/connector.ts";
import { outsideCarriersOf } from "../../carriers/table.ts";
import type { Label } from "../label.ts";
import type { LabelNews } from "./commands.ts";

/** Where the data is, whose carriers are asked, and what follows from their answers. */
export interface At {
  readonly store: Store;
  readonly service: Service;
  readonly news: LabelNews;
}

/** A carrier's counter: the connector, and all that it needs to call for one account. */
export interface Counter {
  readonly connector: OutsideCarrier;
  readonly ctx: Ctx;
}

/** The counter at which a label is bought and voided, or the Fault that says why there is none. */
export async function counterOf({ store, service }: At, { account_id }: Label): Promise<Counter | Fault> {
  const account = account_id === null ? null : await store.read((db) => findAccount(db, account_id));
  const connector = account === null ? undefined : outsideCarriersOf(service)[account.connector];
  if (account !== null && connector !== undefined) {
    return { connector, ctx: accessTo(account, connector, store, service) };
  }
  return new Fault("carrier_unauthorized", "The carrier account that the label is bought with is gone.");
}

/** What a carrier said; or why it said nothing, and whether it is certain that nothing was done. */
type Said<Thing> = { readonly said: Thing } | { readonly fault: Fault; readonly certain: boolean };

/** Asks a carrier. Whatever goes wrong is told, not thrown. */
export async function asked<Thing>(
  { connector, ctx }: Counter,
  { service }: At,
  ask: (connector: OutsideCarrier, ctx: Ctx) => Promise<Thing>,
): Promise<Said<Thing>> {
  try {
    return { said: await ask(connector, ctx) };
  } catch (error) {
    const certain = error instanceof Fault && error.code !== "carrier_timeout";
    return { fault: refusalOf(error, ctx, service.log), certain };
  }
}
