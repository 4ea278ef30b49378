import { isDeepStrictEqual } from "node:util";
import { assert, Fault, invalid } from "../core/faults.ts";
import { transition } from "../core/transitions.ts";
import type { Tx } from "../storage/database.ts";
import { takeTurn } from "../storage/leases.ts";
import type { CreateMerchant, UpdateMerchant } from "./merchant.schema.ts";
import { isClosed, merchantStarts, merchantTransitions } from "./merchant.transitions.ts";
import type { Merchant } from "./merchant.ts";
import {
  checkCode,
  type MerchantFields,
  merchantDefaults,
  type OpenMerchantWork,
  readFields,
  refuseOpenWork,
} from "./merchant.ts";
import {
  areDated,
  dateMerchants,
  insertMerchant,
  listMerchants,
  lockMerchant,
  lockMerchantAlone,
  putMerchant,
  saveMerchant,
} from "./merchants.sql.ts";

/**
 * Creates a merchant in live. The defaults are the currency of the first merchant and `timezone`.
 * Refuses: validation_failed.
 */
export async function createMerchant(tx: Tx, input: CreateMerchant, timezone: string | null): Promise<Merchant> {
  const { code, name } = input;
  checkCode(code);
  const [first] = await listMerchants(tx);
  assert(first, "there is a merchant from the first start on");
  const fields: MerchantFields = {
    ...merchantDefaults,
    name,
    currency: first.currency,
    timezone: timezone ?? first.timezone,
    ...readFields(input, name),
  };
  const [created_at, updated_at] = [tx.now, tx.now];
  const moments = { created_at, updated_at, suspended_at: null, closed_at: null };
  const made = await insertMerchant(tx, { ...fields, ...moments, code, status: merchantStarts, revision: 1 });
  if (made === null) throw invalid("code", "belongs to another merchant", "duplicate");
  return made;
}

/**
 * Changes fields of a merchant. Without a difference nothing is written.
 * Refuses: resource_missing, validation_failed, immutable_field.
 */
export async function updateMerchant(tx: Tx, id: string, input: UpdateMerchant): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  if (input.code !== undefined && input.code !== before.code) {
    throw new Fault("immutable_field", "A merchant's code cannot be changed.", {
      fields: [{ field: "code", code: "immutable_field", message: "cannot change" }],
    });
  }
  const after = { ...before, ...readFields(input, input.name ?? before.name) };
  return isDeepStrictEqual(after, before) ? before : saveMerchant(tx, after);
}

/**
 * Suspends a merchant: orders are accepted, but none is sent to picking until it is reactivated.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function suspendMerchant(tx: Tx, id: string): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  const status = transition(merchantTransitions, "suspend", before.status);
  tx.wake("orders.hold_suspended", tx.now);
  return saveMerchant(tx, { ...before, status, suspended_at: tx.now });
}

/** Reactivates a suspended merchant and releases its orders. Refuses: resource_missing, invalid_state_transition. */
export async function reactivateMerchant(tx: Tx, id: string): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  const status = transition(merchantTransitions, "reactivate", before.status);
  tx.wake("orders.hold_suspended", tx.now);
  return saveMerchant(tx, { ...before, status, suspended_at: null });
}

/** Open orders and stock of a merchant: in live read by the closing transaction, in test read before it. */
export interface OpenWorkSource {
  readonly test: OpenMerchantWork;
  readonly live: (tx: Tx, merchant: Merchant) => Promise<OpenMerchantWork>;
}

/**
 * Permanently closes a merchant, which must have no open orders or stock and must not be the only one.
 * Refuses: resource_missing, invalid_state_transition, merchant_not_empty.
 */
export async function closeMerchant(tx: Tx, id: string, left: OpenWorkSource): Promise<Merchant> {
  // Two merchants that are closed at once could leave none.
  await takeTurn(tx, "merchants.close");
  const before = await lockMerchantAlone(tx, id);
  const status = transition(merchantTransitions, "close", before.status);
  const others = (await listMerchants(tx)).filter((one) => one.id !== before.id && !isClosed(one.status));
  if (others.length === 0) {
    throw new Fault("invalid_state_transition", "The only merchant cannot be closed.", {
      from: before.status,
      action: "close",
      allowed_actions: [],
    });
  }
  refuseOpenWork(before, "live", await left.live(tx, before));
  refuseOpenWork(before, "test", left.test);
  return saveMerchant(tx, { ...before, status, closed_at: tx.now });
}

/** Sets the timestamps of the first merchant, which comes with the database, at the first start. */
export async function ensureMerchant(tx: Tx): Promise<void> {
  if (!(await areDated(tx))) await dateMerchants(tx);
}

/** Stores live merchants in test where they are missing or differ. */
export async function putMerchants(tx: Tx, merchants: readonly Merchant[]): Promise<void> {
  for (const merchant of merchants) await putMerchant(tx, merchant);
  tx.wake("orders.hold_suspended", tx.now);
}
