// Carriers are polled for parcels by schedule: claimed in one transaction, asked in none, recorded in another.
import type { Store } from "../../database/store.ts";
import type { Service } from "../../http/service.ts";
import { wireId } from "../../kit/ids.ts";
import { Lanes } from "../../outbound/lanes.ts";
import { listKeptAccounts } from "../../shipping/accounts/store.ts";
import { accessTo, refusalOf } from "../../shipping/carriers/access.ts";
import type { Ctx, OutsideCarrier } from "../../shipping/carriers/connector.ts";
import { outsideCarriersOf } from "../../shipping/carriers/table.ts";
import type { TrackingUpdate } from "../../shipping/updates/update.ts";
import type { TrackingRecord } from "../record.ts";
import { unknown_carrier } from "../rules.ts";
import { poll_job } from "../store.ts";
import { claimLooks, type LookClaim, playNumbers, recordLooked, recordLookFailed } from "./commands.ts";

const lanes = new WeakMap<Store, Lanes<LookClaim>>();

/**
 * A round of `tracking.poll`: begins to poll carriers for what is due. In the sandbox the simulated carrier reports.
 */
export async function pollDue(store: Store, service: Service): Promise<number | null> {
  let own = lanes.get(store);
  if (own === undefined) {
    own = lanesOf(store, service);
    lanes.set(store, own);
  }
  const played_at = store.mode === "test" ? await store.write(playNumbers) : null;
  const asked_at = await own.round();
  return played_at === null || asked_at === null ? (played_at ?? asked_at) : Math.min(played_at, asked_at);
}

/** Waits until every poll is answered and recorded. */
export async function pollsSettled(store: Store): Promise<void> {
  await lanes.get(store)?.settled();
}

function lanesOf(store: Store, service: Service): Lanes<LookClaim> {
  const connectors = outsideCarriersOf(service);
  return new Lanes({
    claim: (busy) =>
      store.write(async (tx) => {
        const accounts = (await listKeptAccounts(tx)).filter(({ id }) => !busy.has(id));
        const asked = accounts.flatMap((account) => {
          const connector = connectors[account.connector];
          return connector?.track || connector?.follow ? { account, follows: connector.follow !== undefined } : [];
        });
        return claimLooks(tx, asked);
      }),
    work: async (claim) => {
      const connector = connectors[claim.connection.connector];
      if (connector !== undefined) await look(claim, connector, store, service);
    },
    // The claim expires, and then it is tried again.
    failed: (error) =>
      service.log.error("a carrier's answer was not recorded", { mode: store.mode, error: String(error) }),
    idle: () => store.write(async (tx) => tx.wake(poll_job, tx.now)),
  });
}

async function look(claim: LookClaim, connector: OutsideCarrier, store: Store, service: Service): Promise<void> {
  const ctx = accessTo(claim.connection, connector, store, service);
  let updates: readonly TrackingUpdate[];
  try {
    updates = await ask(claim, connector, ctx);
  } catch (error) {
    const fault = refusalOf(error, ctx, service.log);
    await store.write((tx) => recordLookFailed(tx, claim, fault));
    const { mode } = store;
    const account = wireId("carrier_account", claim.connection.id);
    const facts = { mode, account, parcels: claim.looks.length, code: fault.code, reason: fault.message };
    service.log.warn("a carrier did not answer a poll for parcels", facts);
    return;
  }
  await store.write((tx) => recordLooked(tx, claim, updates));
}

async function ask(
  { kind, looks }: LookClaim,
  connector: OutsideCarrier,
  ctx: Ctx,
): Promise<readonly TrackingUpdate[]> {
  const numbers = looks.map(numberOf);
  const [first] = numbers;
  if (kind === "follow" && connector.follow !== undefined && first !== undefined) {
    return [await connector.follow(first, ctx)];
  }
  return (await connector.track?.(numbers, ctx)) ?? [];
}

const numberOf = ({ tracking_number, carrier }: TrackingRecord) => ({
  tracking_number,
  carrier: carrier === unknown_carrier ? null : carrier,
});
