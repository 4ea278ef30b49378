// Processes an import: one order here for each destination of a platform's order.

import { asFault, Fault } from "../../core/faults.ts";
import { refuseForClosed } from "../../merchants/directory.sql.ts";
import { allotOrderId, findOrders } from "../../orders/orders.sql.ts";
import type { Tx } from "../../storage/database.ts";
import { findState, saveState } from "../connection_states.sql.ts";
import type { PlatformOrder, StoreConnection } from "../platform.ts";
import { withMatchedSkus } from "../stock_updates/unimported_units.ts";
import {
  type ImportClaim,
  type ImportPart,
  isAddressHidden,
  linesLeft,
  type OrderImport,
  outcomeOf,
  seenOf,
  stepOf,
  test_order,
  treatedBy,
} from "./import.ts";
import { act, note, notes } from "./import_order.ts";
import { lockClaimed, settleImport } from "./import_queue.ts";
import { listPartsOf, savePart } from "./imports.sql.ts";
/**
 * Processes a platform's order by its state: creates, changes, cancels or ignores it. For a closed merchant nothing is
 * created or changed, and the import records why. Returns null when another server took over the import.
 * Refuses: validation_failed, duplicate_order_number.
 * Emits: order.created, order.cancelled.
 */
export async function processOrderImport(
  tx: Tx,
  claim: ImportClaim,
  order: PlatformOrder,
): Promise<OrderImport | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const { connection } = claim;
  const { pickup_orders } = connection;
  const parts = await listPartsOf(tx, [before.id]);
  const exists = (await findOrders(tx, [before.order_id])).length > 0;
  const matched = await withMatchedSkus(tx, connection.id, order);
  const received = treatedBy(connection, exists && isWhole(before, matched, parts) ? asOne(matched) : matched);
  const step = stepOf(received, before, exists, pickup_orders);
  const { external_updated_at, seen, lines } = before;
  if (step === "nothing") {
    const state = seen?.state ?? received.state;
    const outcome = outcomeOf({ ...received, state }, exists, pickup_orders);
    return settleImport(tx, before, claim, { ...outcome, external_updated_at: external_updated_at ?? 0, seen, lines });
  }
  await noteHiddenAddress(tx, connection, received);
  if (step === "create" && received.is_test === true && tx.mode === "live" && connection.test_orders === "ignore") {
    const reason = { code: test_order, message: "It is a test order, and the connection does not import these." };
    const read = { external_updated_at: received.updated_at, seen: seenOf(received), lines };
    return settleImport(tx, before, claim, { action: "ignore", ...reason, ...read });
  }
  if (step === "create" || step === "change") {
    const refused = await refuseForClosed(tx, connection.merchant_id).catch(asFault);
    if (refused instanceof Fault) {
      if (exists) await note(tx, { connection, order_id: before.order_id }, notes.closed);
      const { code, message } = refused;
      const read = { external_updated_at: received.updated_at, seen: seenOf(received), lines };
      return settleImport(tx, before, claim, { action: exists ? "import" : "ignore", code, message, ...read });
    }
  }
  const done = await act(tx, { connection, received, order_id: before.order_id, seen, known: lines }, step);
  const others_exist = await processParts(tx, { connection, record: before, received, parts });
  return settleImport(tx, before, claim, {
    ...outcomeOf(received, exists || step === "create" || others_exist, pickup_orders),
    external_updated_at: received.updated_at,
    seen: seenOf(received),
    lines: step === "wait" ? linesLeft(connection.platform, asOne(received)) : done,
  });
}

/** Records whether the platform withholds the addresses of a store's orders, as the newest one shows. */
async function noteHiddenAddress(tx: Tx, { id, platform }: StoreConnection, received: PlatformOrder): Promise<void> {
  if (platform !== "shopify" || received.address === null) return;
  const is_hidden = isAddressHidden(platform, received);
  const state = await findState(tx, id);
  if (is_hidden === ((state?.addresses_hidden_at ?? null) !== null)) return;
  await saveState(tx, id, { addresses_hidden_at: is_hidden ? tx.now : null });
}

const gone_after_attempts = 6;

/**
 * Handles an order that the platform does not find. Some platforms announce an order before it can be read, so the
 * fetch is retried a few times. The order is not cancelled here, since the address may have been wrong. Returns null
 * when another server took over the import. Refuses: platform_error.
 */
export async function processMissingOrder(tx: Tx, claim: ImportClaim): Promise<OrderImport | null> {
  const before = await lockClaimed(tx, claim);
  if (before === null) return null;
  const exists = (await findOrders(tx, [before.order_id])).length > 0;
  if (!exists && before.attempts < gone_after_attempts) {
    throw new Fault("platform_error", `The platform does not have order ${before.external_id}.`);
  }
  const { external_updated_at, seen, lines } = before;
  const received = { external_updated_at: external_updated_at ?? 0, seen, lines };
  if (!exists) {
    const reason = { code: "gone", message: "The platform does not have the order." };
    return settleImport(tx, before, claim, { action: "ignore", ...reason, ...received });
  }
  const parts = await listPartsOf(tx, [before.id]);
  for (const { order_id } of [before, ...parts]) await note(tx, { connection: claim.connection, order_id }, notes.gone);
  return settleImport(tx, before, claim, { action: "import", code: null, message: null, ...received });
}

interface PartsInput {
  readonly connection: StoreConnection;
  readonly record: OrderImport;
  readonly received: PlatformOrder;
  readonly parts: readonly ImportPart[];
}

/** Processes the orders of other destinations. Returns whether there are any. */
async function processParts(tx: Tx, { connection, record, received, parts }: PartsInput): Promise<boolean> {
  const { others = [] } = received;
  const isOf = (part: ImportPart) => (other: PlatformOrder) => other.destination === part.destination;
  for (const part of parts) {
    // The goods of a destination that is gone are no longer to be sent there.
    const other = others.find(isOf(part)) ?? { ...received, state: "cancelled", lines: [] };
    await processPart(tx, { connection, record, received: other }, part);
  }
  let last = Math.max(1, ...parts.map(({ part }) => part));
  for (const other of others.filter((one) => !parts.some((part) => isOf(part)(one)))) {
    const numbered = { ...other, number: `${received.number}-${last + 1}` };
    if (await processPart(tx, { connection, record, received: numbered }, null, last + 1)) last += 1;
  }
  return last > 1;
}

/** Processes the order of a destination. Returns whether there is one. */
async function processPart(
  tx: Tx,
  { connection, record, received: order }: Omit<PartsInput, "parts">,
  known: ImportPart | null,
  part = known?.part ?? 0,
): Promise<boolean> {
  const received = treatedBy(connection, order);
  const step = stepOf(received, record, known !== null, connection.pickup_orders);
  if (known === null && step !== "create") return false;
  const { order_id, seen, lines } = known ?? { order_id: await allotOrderId(tx), seen: null, lines: [] };
  const done = await act(tx, { connection, received, order_id, seen, known: lines }, step);
  const destination = known?.destination ?? received.destination ?? "";
  await savePart(tx, record, { part, destination, order_id, seen: seenOf(received), lines: done });
  return true;
}

/** Whether an order with several destinations is one order here: older releases imported it so. */
function isWhole(
  { lines }: Pick<OrderImport, "lines">,
  { others = [] }: PlatformOrder,
  parts: readonly ImportPart[],
): boolean {
  const theirs = new Set(others.flatMap((other) => other.lines.map(({ external_id }) => external_id)));
  return parts.length === 0 && lines.some(({ external_id }) => theirs.has(external_id));
}

/** An order with several destinations as one. */
function asOne({ others = [], ...order }: PlatformOrder): PlatformOrder {
  return {
    ...order,
    lines: [order, ...others].flatMap(({ lines }) => lines),
    shipping_amount_cents: others.reduce(
      (sum, other) => sum + other.shipping_amount_cents,
      order.shipping_amount_cents,
    ),
  };
}
