// How a carrier is asked about one label, through the account that the label is bought with.
import type { Store } from "../../../database/store.ts";
import type { Service } from "../../../http/service.ts";
import { Fault } from "../../../kit/fault.ts";
import { findAccount } from "../../accounts/store.ts";
import { accessTo, refusalOf } from "../../carriers/access.ts";
import type { Ctx, OutsideCarrier } from "../../carriers/connector.ts";
import { outsideCarriersOf } from "../../carriers/table.ts";
import type { Label } from "../label.ts";
import type { LabelNews } from "./commands.ts";

/** What a call to a carrier needs: the store, the service, and what to do after its answers. */
export interface At {
  readonly store: Store;
  readonly service: Service;
  readonly news: LabelNews;
  /** Why a carrier did not do what was asked, as it is told to who asks; the carrier's own words unless given. */
  readonly refusal?: (label: Label, fault: Fault) => Fault;
}

/** A connector, and all that it needs to call for one account. */
export interface Seller {
  readonly connector: OutsideCarrier;
  readonly ctx: Ctx;
}

/** How to call the carrier of a label, or the Fault that says why it cannot be called. */
export async function sellerOf({ store, service }: At, { account_id }: Label): Promise<Seller | Fault> {
  const account = account_id === null ? null : await store.read((db) => findAccount(db, account_id));
  const connector = account === null ? undefined : outsideCarriersOf(service)[account.connector];
  if (account !== null && connector !== undefined) {
    return { connector, ctx: accessTo(account, connector, store, service) };
  }
  return new Fault("carrier_unauthorized", "The carrier account of this label was deleted.");
}

/** A carrier's answer; or why there is none, and whether the request certainly had no effect. */
type Said<Thing> = { readonly said: Thing } | { readonly fault: Fault; readonly certain: boolean };

/** Asks a carrier. Errors are answered, not thrown. */
export async function asked<Thing>(
  { connector, ctx }: Seller,
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
