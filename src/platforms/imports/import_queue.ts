import { assert, type Fault } from "../../core/faults.ts";
import { retryWait } from "../../core/retry.ts";
import { transition } from "../../core/transitions.ts";
import { allotOrderId } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import type { ClaimedWork } from "../../storage/queue.ts";
import { hasApiAccess } from "../connection.ts";
import { getConnection, listActiveConnections } from "../connections.sql.ts";
import type { PlatformChange, PlatformNotification, PlatformOrder, StoreConnection } from "../platform.ts";
import {
  awaitsPayment,
  type ImportAction,
  importStarts,
  importTransitions,
  isGivenUp,
  isQueued,
} from "../platforms.transitions.ts";
import { noteImportEnd } from "../stock_updates/stock_needs.ts";
import { withMatchedSkus } from "../stock_updates/unimported_units.ts";
import type { ImportClaim, ImportedLine, OrderImport, SeenPlatformOrder } from "./import.ts";
import { giveUpAt, ignored_by_choice, linesLeft, payloadAfter, platformRetries, reasonOf } from "./import.ts";
import {
  findImports,
  importQueue,
  insertImport,
  lockImport,
  lockImportIn,
  lockImportOf,
  saveImport,
} from "./imports.sql.ts";

const no_reason = { error_code: null, error_message: null };

function reasonIn(problem: Fault | null) {
  if (problem === null) return no_reason;
  const { code, message } = reasonOf(problem, []);
  return { error_code: code, error_message: message };
}

/** An order as received; null to fetch it, with the reason if it was received and could not be read. */
type ReceivedOrder = Pick<PlatformNotification, "order" | "problem">;

/**
 * Queues an order of a store for import. The first notification allots the order's id, which never changes. Why a
 * received order could not be read is kept as the import's reason until it is processed.
 */
export async function queueImport(
  tx: Tx,
  connection: StoreConnection,
  external_id: string,
  received: ReceivedOrder,
): Promise<OrderImport> {
  tx.wake(importQueue.job, tx.now);
  const known = await lockImportOf(tx, connection.id, external_id);
  if (known !== null) return queueAgain(tx, connection, known, received);
  const inserted = await insertImport(tx, newImport(tx, connection, external_id, await allotOrderId(tx), received));
  if (inserted !== null) return inserted;
  // Another notification of the same order was inserted concurrently.
  const other = await lockImportOf(tx, connection.id, external_id);
  assert(other !== null, "the conflicting import exists");
  return queueAgain(tx, connection, other, received);
}

function newImport(
  tx: Tx,
  { id: connection_id, merchant_id }: StoreConnection,
  external_id: string,
  order_id: number,
  { order: payload, problem }: ReceivedOrder,
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
    ...reasonIn(problem),
    created_at: tx.now,
    updated_at: tx.now,
    imported_at: null,
  };
}

async function queueAgain(tx: Tx, connection: StoreConnection, before: OrderImport, { order, problem }: ReceivedOrder) {
  const payload = payloadAfter(before, order, hasApiAccess(connection));
  const queued = { ...requeued(tx, before, "queue"), ...reasonIn(problem), payload, revision: before.revision + 1 };
  await saveImport(tx, queued);
  return queued;
}

/** Returns the import with new attempts, due now; or after the current attempt, if a server is working on it. */
function requeued(tx: Tx, before: OrderImport, action: ImportAction): OrderImport {
  const status = transition(importTransitions, action, before.status);
  const busy = isQueued(before.status) && before.leased_until !== null && (before.next_at ?? 0) > tx.now;
  const next_at = busy ? before.next_at : tx.now;
  return { ...before, status, attempts: 0, next_at, give_up_at: giveUpAt(tx.now), ...no_reason };
}

/**
 * Queues the changed orders of a store that are missing or outdated here. Returns their number. Failed imports are
 * tried again if their order changed after `failed_since` (ms, the shop's clock).
 */
export async function queueChanged(
  tx: Tx,
  connection: StoreConnection,
  changes: readonly PlatformChange[],
  failed_since = 0,
): Promise<number> {
  const found = await findImports(
    tx,
    connection.id,
    changes.map(({ external_id }) => external_id),
  );
  const known = new Map(found.map((record) => [record.external_id, record]));
  const missed = changes.filter(({ external_id, updated_at }) => {
    const record = known.get(external_id);
    if (record === undefined) return true;
    if (isGivenUp(record.status) && updated_at <= failed_since) return false;
    return !isQueued(record.status) && (record.external_updated_at ?? 0) < updated_at;
  });
  // Sorted by id, so that imports are locked in a fixed order; a notification locks only its own.
  for (const { external_id } of missed.toSorted(byExternalId)) await queueImport(tx, connection, external_id, unread);
  return missed.length;
}

const unread: ReceivedOrder = { order: null, problem: null };

const byExternalId = (a: PlatformChange, b: PlatformChange) => (a.external_id < b.external_id ? -1 : 1);

/**
 * Queues an import that is waiting, ignored or failed again. The order is fetched again if the API can be called.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function retryImport(tx: Tx, connection_id: string, id: string): Promise<OrderImport> {
  const connection = await getConnection(tx, connection_id);
  const before = await lockImportIn(tx, connection.id, id);
  const payload = hasApiAccess(connection) ? null : before.payload;
  const queued = { ...requeued(tx, before, "retry"), payload, updated_at: tx.now };
  await saveImport(tx, queued);
  tx.wake(importQueue.job, tx.now);
  return queued;
}

/**
 * Claims the import that has been due longest of each active connection on which this server is not busy, for three
 * minutes. Without a recorded result it is due again after that.
 */
export async function claimImports(tx: Tx, busy: ReadonlySet<number>): Promise<ClaimedWork<ImportClaim>> {
  const free = (await listActiveConnections(tx)).filter(({ id }) => !busy.has(id));
  // The claimed connections are considered again when their imports are done.
  return importQueue.claimLanes(tx, free, async (connection) => {
    const [record] = await importQueue.claim(tx, { lane: connection.id, limit: 1 });
    return record === undefined ? null : { connection, import: record };
  });
}

/** Locks a claimed import; null when the claim expired and another server took it over. */
export async function lockClaimed(tx: Tx, { import: { id, leased_until } }: ImportClaim): Promise<OrderImport | null> {
  const current = await lockImport(tx, id);
  return current !== null && isQueued(current.status) && current.leased_until === leased_until ? current : null;
}

/** The result of processing an import. */
interface ImportOutcome {
  readonly action: ImportAction;
  readonly code: string | null;
  readonly message: string | null;
  /** The time of the order's last change at the platform (ms), and its digests. */
  readonly external_updated_at: number;
  readonly seen: SeenPlatformOrder | null;
  readonly lines: readonly ImportedLine[];
}

/** Records the result of a claimed, locked import. If a newer notification has arrived, it is due again immediately. */
export async function settleImport(
  tx: Tx,
  current: OrderImport,
  claim: ImportClaim,
  outcome: ImportOutcome,
): Promise<OrderImport> {
  const { action, code, message, external_updated_at, seen, lines } = outcome;
  const done = { ...current, external_updated_at, seen, lines, leased_until: null, next_at: null };
  const is_outdated = current.revision !== claim.import.revision;
  const status = is_outdated ? current.status : transition(importTransitions, action, current.status);
  const settled: OrderImport = {
    ...done,
    status,
    ...(is_outdated ? { next_at: tx.now } : { error_code: code, error_message: message }),
    // Waiting orders and test orders keep their payload: they may have to be processed again without being fetched.
    payload: is_outdated || awaitsPayment(status) || ignored_by_choice.includes(code ?? "") ? current.payload : null,
    imported_at: action === "import" ? tx.now : current.imported_at,
  };
  await saveImport(tx, settled);
  // Units that were counted as sold, and are not imported after all.
  const dropped = action === "ignore" && !is_outdated ? current.lines.map(({ sku }) => sku) : [];
  await noteImportEnd(tx, claim.connection, dropped);
  return settled;
}

/**
 * Records a failed attempt, and the lines of the order if it was received. It is retried later unless a retry cannot
 * help or two days have passed. Returns null when another server took over the import.
 */
export async function failImport(
  tx: Tx,
  claim: ImportClaim,
  reason: ReturnType<typeof reasonOf>,
  received: PlatformOrder | null = null,
): Promise<OrderImport | null> {
  const current = await lockClaimed(tx, claim);
  if (current === null) return null;
  const { code: error_code, message: error_message, permanent, retry_after_seconds } = reason;
  const is_outdated = current.revision !== claim.import.revision;
  const next_at = is_outdated ? tx.now : tx.now + retryWait(platformRetries, current.attempts, retry_after_seconds);
  const ends = !is_outdated && (permanent || next_at > current.give_up_at);
  const failed: OrderImport = {
    ...current,
    status: ends ? transition(importTransitions, "give_up", current.status) : current.status,
    next_at: ends ? null : next_at,
    leased_until: null,
    error_code,
    error_message,
    lines:
      received === null || current.imported_at !== null
        ? current.lines
        : linesLeft(claim.connection.platform, await withMatchedSkus(tx, current.connection_id, received)),
  };
  await saveImport(tx, failed);
  await noteImportEnd(tx, claim.connection, []);
  return failed;
}
