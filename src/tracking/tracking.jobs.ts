import { wireId } from "../core/ids.ts";
import type { Service } from "../http/service.ts";
import { laneJob } from "../outbound/lanes.ts";
import { retentionIn } from "../privacy/retention_settings.sql.ts";
import { listUndeletedAccounts } from "../shipping/carriers/accounts.sql.ts";
import { accessTo, refusalOf } from "../shipping/carriers/call_carrier.ts";
import type { CarrierContext, OutsideCarrier } from "../shipping/carriers/connector.ts";
import { outsideCarriersOf } from "../shipping/carriers/connectors.ts";
import type { TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import { type Store, writeChunks } from "../storage/database.ts";
import { forgetCallbacks } from "./carrier_callbacks.ts";
import { claimPolls, type PollClaim, recordPolled, recordPollFailed, simulateDueNumbers } from "./poll_carriers.ts";
import { pollQueue } from "./polling.sql.ts";
import { unknown_carrier } from "./tracking_events.ts";
import type { TrackingRecord } from "./tracking_record.ts";

const batch_size = 500;

/** Deletes callbacks, and stored updates of unknown numbers, that are older than their retention. */
export async function deleteOldCallbacks(store: Store, service: Service): Promise<void> {
  await writeChunks(store, service, async (tx) => {
    return forgetCallbacks(tx, await retentionIn(tx, service), batch_size);
  });
}

const { round, settled } = laneJob<PollClaim>(pollQueue.job, "a carrier's response could not be recorded", {
  claim: async (tx, busy, service) => {
    const connectors = outsideCarriersOf(service);
    const accounts = (await listUndeletedAccounts(tx)).filter(({ id }) => !busy.has(id));
    const pollable = accounts.flatMap((account) => {
      const connector = connectors[account.connector];
      return connector?.track || connector?.follow ? { ...account, follows: connector.follow !== undefined } : [];
    });
    return claimPolls(tx, pollable);
  },
  work: async (claim, store, service) => {
    const connector = outsideCarriersOf(service)[claim.connection.connector];
    if (connector !== undefined) await poll(claim, connector, store, service);
  },
});

/** Waits until all polls have ended and are recorded. */
export const pollsSettled = settled;

/**
 * The job `tracking.poll`: starts the due polls, and in test data the simulated carrier's reports. Returns the next
 * due time (ms), or null.
 */
export async function pollDue(store: Store, service: Service): Promise<number | null> {
  const simulated_at = store.mode === "test" ? await store.write(simulateDueNumbers) : null;
  const polled_at = await round(store, service);
  return simulated_at === null || polled_at === null ? (simulated_at ?? polled_at) : Math.min(simulated_at, polled_at);
}

async function poll(claim: PollClaim, connector: OutsideCarrier, store: Store, service: Service): Promise<void> {
  const ctx = accessTo(claim.connection, connector, store, service);
  let updates: readonly TrackingUpdate[];
  try {
    updates = await ask(claim, connector, ctx);
  } catch (error) {
    const fault = refusalOf(error, ctx, service.log);
    await store.write((tx) => recordPollFailed(tx, claim, fault));
    const { mode } = store;
    const account = wireId("carrier_account", claim.connection.id);
    const facts = { mode, account, parcels: claim.records.length, code: fault.code, reason: fault.message };
    service.log.warn("a poll of a carrier failed", facts);
    return;
  }
  await store.write((tx) => recordPolled(tx, claim, updates));
}

async function ask(
  { kind, records }: PollClaim,
  connector: OutsideCarrier,
  ctx: CarrierContext,
): Promise<readonly TrackingUpdate[]> {
  const numbers = records.map(numberOf);
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
