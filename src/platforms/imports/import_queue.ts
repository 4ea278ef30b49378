import { assert } from "../../core/faults.ts";
import { transition } from "../../core/transitions.ts";
import { allotOrderId } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { noteHeld } from "../../storage/servers.ts";
import { getConnection, listActiveConnections } from "../connections.sql.ts";
import type { PlatformChange, PlatformOrder, StoreConnection } from "../platform.ts";
import {
  awaitsPayment,
  type ImportAction,
  importStarts,
  importTransitions,
  isQueued,
} from "../platforms.transitions.ts";
import type { ImportClaim, ImportedLine, OrderImport, SeenPlatformOrder } from "./import.ts";
import { giveUpAt, payloadAfter, type reasonOf, retryWait } from "./import.ts";
import {
  findImports,
  insertImport,
  leaseImports,
  lockDue,
  lockImport,
  lockImportIn,
  lockImportOf,
  nextImportAt,
  saveImport,
} from "./imports.sql.ts";

const no_reason = { error_code: null, error_message: null };

/**
 * Queues an order of a store for import, as it was received, or with null to be fetched. The first time it gets its id
 * here, which it keeps for ever.
 */
export async function queueImport(
  tx: Tx,
  connection: StoreConnection,
  external_id: string,
  order: PlatformOrder | null,
): Promise<OrderImport> {
  tx.wake("platforms.import", tx.now);
  const known = await lockImportOf(tx, connection.id, external_id);
  if (known !== null) return queueAgain(tx, connection, known, order);
  const fresh = await insertImport(tx, newImport(tx, connection, external_id, await allotOrderId(tx), order));
  if (fresh !== null) return fresh;
  // Another notification of the same order was a moment faster.
  const other = await lockImportOf(tx, connection.id, external_id);
  assert(other !== null, "an import that stands in the way is there");
  return queueAgain(tx, connection, other, order);
}

function newImport(
  tx: Tx,
  { id: connection_id, merchant_id }: StoreConnection,
  external_id: string,
  order_id: number,
  payload: PlatformOrder | null,
): Omit<OrderImport, "id"> {
  return {
    merchant_id,
    connection_id,
    external_id,
    order_id,
    payload,
    status: importStarts,
    revision: 1,
    external_updated_at: null,
    seen: null,
    lines: [],
    attempts: 0,
    next_at: tx.now,
    leased_until: null,
    give_up_at: giveUpAt(tx.now),
    ...no_reason,
    created_at: tx.now,
    updated_at: tx.now,
    imported_at: null,
  };
}

async function queueAgain(tx: Tx, connection: StoreConnection, before: OrderImport, order: PlatformOrder | null) {
  const payload = payloadAfter(before, order, connection.api_token !== null);
  const queued = { ...requeued(tx, before, "queue"), payload, revision: before.revision + 1 };
  await saveImport(tx, queued);
  return queued;
}

/**
 * The import with a new budget of tries, due now unless a server is working on it; that server then sees to it
 * afterwards.
 */
function requeued(tx: Tx, before: OrderImport, action: ImportAction): OrderImport {
  const status = transition(importTransitions, action, before.status);
  const busy = isQueued(before.status) && before.leased_until !== null && (before.next_at ?? 0) > tx.now;
  const next_at = busy ? before.next_at : tx.now;
  return { ...before, status, attempts: 0, next_at, give_up_at: giveUpAt(tx.now), ...no_reason };
}

/** Queues those of a store's changed orders that are missing or outdated here, and answers how many there are. */
export async function queueChanged(
  tx: Tx,
  connection: StoreConnection,
  changes: readonly PlatformChange[],
): Promise<number> {
  const found = await findImports(
    tx,
    connection.id,
    changes.map(({ external_id }) => external_id),
  );
  const known = new Map(found.map((one) => [one.external_id, one]));
  const missed = changes.filter(({ external_id, updated_at }) => {
    const one = known.get(external_id);
    return one === undefined || (!isQueued(one.status) && (one.external_updated_at ?? 0) < updated_at);
  });
  // Locked one after another in the order of ids, since each notification locks only its own.
  for (const { external_id } of missed.toSorted(byExternalId)) await queueImport(tx, connection, external_id, null);
  return missed.length;
}

const byExternalId = (one: PlatformChange, other: PlatformChange) => (one.external_id < other.external_id ? -1 : 1);

/**
 * Queues an import again that waits, was ignored or failed; if the API can be called, the order is fetched anew.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function retryImport(tx: Tx, connection_id: string, id: string): Promise<OrderImport> {
  const connection = await getConnection(tx, connection_id);
  const before = await lockImportIn(tx, connection.id, id);
  const payload = connection.api_token === null ? before.payload : null;
  const queued = { ...requeued(tx, before, "retry"), payload, updated_at: tx.now };
  await saveImport(tx, queued);
  tx.wake("platforms.import", tx.now);
  return queued;
}

const lease_ms = 180_000;

/** What was claimed, and when there will be more to claim unless something happens before. */
interface ClaimedImports {
  readonly claims: readonly ImportClaim[];
  readonly next_at: number | null;
}

/**
 * Claims the import that has been due longest of each active connection on which this server is not busy, for three
 * minutes. One that was not recorded by then is due again.
 */
export async function claimImports(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedImports> {
  const idle = (await listActiveConnections(tx)).filter(({ id }) => !busy.has(id));
  const leased_until = tx.now + lease_ms;
  const claims: ImportClaim[] = [];
  const waiting: number[] = [];
  for (const connection of idle) {
    const due = await lockDue(tx, connection.id);
    if (due === null) waiting.push(connection.id);
    else claims.push({ connection, import: { ...due, leased_until, attempts: due.attempts + 1 } });
  }
  if (claims.length > 0) {
    const ids = claims.map((claim) => claim.import.id);
    await leaseImports(tx, ids, leased_until);
    await noteHeld(tx, "imports", ids, leased_until);
  }
  // The others are considered again when the claimed ones are done.
  return { claims, next_at: await nextImportAt(tx, waiting) };
}

/** The import of a claim, locked; null when the claim expired and another server took it. */
export async function lockClaimed(tx: Tx, { import: { id, leased_until } }: ImportClaim): Promise<OrderImport | null> {
  const now = await lockImport(tx, id);
  return now !== null && isQueued(now.status) && now.leased_until === leased_until ? now : null;
}

/** The import's state after its order was processed. */
interface ImportOutcome {
  readonly action: ImportAction;
  readonly code: string | null;
  readonly message: string | null;
  /** When the order had last changed at the platform, and its digest then. */
  readonly external_updated_at: number;
  readonly seen: SeenPlatformOrder | null;
  readonly lines: readonly ImportedLine[];
}

/**
 * Records that a claimed import, locked, was processed. If a newer notification arrived meanwhile, it is due at once.
 */
export async function settleImport(
  tx: Tx,
  now: OrderImport,
  claim: ImportClaim,
  outcome: ImportOutcome,
): Promise<OrderImport> {
  const { action, code, message, external_updated_at, seen, lines } = outcome;
  const done = { ...now, external_updated_at, seen, lines, leased_until: null, next_at: null };
  const isNews = now.revision !== claim.import.revision;
  const status = isNews ? now.status : transition(importTransitions, action, now.status);
  const settled: OrderImport = {
    ...done,
    status,
    ...(isNews ? { next_at: tx.now } : { error_code: code, error_message: message }),
    // A waiting order may have to be processed again as it was received, if it cannot be fetched.
    payload: isNews || awaitsPayment(status) ? now.payload : null,
    imported_at: action === "import" ? tx.now : now.imported_at,
  };
  await saveImport(tx, settled);
  return settled;
}

/**
 * Records a failed try: it is repeated later, unless that cannot help or two days have passed. Null when another server
 * took it over.
 */
export async function failImport(
  tx: Tx,
  claim: ImportClaim,
  reason: ReturnType<typeof reasonOf>,
): Promise<OrderImport | null> {
  const now = await lockClaimed(tx, claim);
  if (now === null) return null;
  const { code: error_code, message: error_message, permanent, retry_after_seconds } = reason;
  const isNews = now.revision !== claim.import.revision;
  const next_at = isNews ? tx.now : tx.now + retryWait(now.attempts, retry_after_seconds);
  const ends = !isNews && (permanent || next_at > now.give_up_at);
  const failed: OrderImport = {
    ...now,
    status: ends ? transition(importTransitions, "give_up", now.status) : now.status,
    next_at: ends ? null : next_at,
    leased_until: null,
    error_code,
    error_message,
  };
  await saveImport(tx, failed);
  return failed;
}
