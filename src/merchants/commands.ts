import { isDeepStrictEqual } from "node:util";
import { takeTurn } from "../database/lease.ts";
import type { Tx } from "../database/store.ts";
import { assert } from "../kit/assert.ts";
import { Fault, invalid } from "../kit/fault.ts";
import { move } from "../kit/moves.ts";
import type { Merchant } from "./merchant.ts";
import { checkCode, type Left, type MerchantFields, merchantDefaults, readFields, refuseLeft } from "./rules.ts";
import type { CreateMerchant, UpdateMerchant } from "./schemas.ts";
import { isClosed, merchantMoves, merchantStarts } from "./status.ts";
import {
  areDated,
  dateMerchants,
  insertMerchant,
  listMerchants,
  lockMerchant,
  lockMerchantAlone,
  putMerchant,
  saveMerchant,
} from "./store.ts";

/**
 * Makes a merchant, in the live world. What the request leaves out it has of the house: the currency of the first
 * merchant, and `timezone`, where there is one. Refuses: validation_failed.
 */
export async function createMerchant(tx: Tx, input: CreateMerchant, timezone: string | null): Promise<Merchant> {
  const { code, name } = input;
  checkCode(code);
  const [first] = await listMerchants(tx);
  assert(first, "a house has a merchant from its first start");
  const fields: MerchantFields = {
    ...merchantDefaults,
    name,
    currency: first.currency,
    timezone: timezone ?? first.timezone,
    ...readFields(input, name),
  };
  const [created_at, updated_at] = [tx.now, tx.now];
  const moments = { created_at, updated_at, suspended_at: null, closed_at: null };
  const made = await insertMerchant(tx, { ...fields, ...moments, code, status: merchantStarts, version: 1 });
  if (made === null) throw invalid("code", "belongs to another merchant", "duplicate");
  return made;
}

/**
 * Changes the given fields of a merchant; without a change it stays as it was.
 * Refuses: resource_missing, validation_failed, immutable_field.
 */
export async function updateMerchant(tx: Tx, id: string, input: UpdateMerchant): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  if (input.code !== undefined && input.code !== before.code) {
    throw new Fault("immutable_field", "A merchant's code cannot change: others call it by that.", {
      fields: [{ field: "code", code: "immutable_field", message: "cannot change" }],
    });
  }
  const after = { ...before, ...readFields(input, input.name ?? before.name) };
  return isDeepStrictEqual(after, before) ? before : saveMerchant(tx, after);
}

/**
 * Lets a merchant's orders come in and wait: nothing of them goes to the floor until it is reactivated.
 * Refuses: resource_missing, invalid_state_transition.
 */
export async function suspendMerchant(tx: Tx, id: string): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  const status = move(merchantMoves, "suspend", before.status);
  tx.wake("orders.hold_suspended", tx.now);
  return saveMerchant(tx, { ...before, status, suspended_at: tx.now });
}

/** Lets a suspended merchant's orders go on. Refuses: resource_missing, invalid_state_transition. */
export async function reactivateMerchant(tx: Tx, id: string): Promise<Merchant> {
  const before = await lockMerchant(tx, id);
  const status = move(merchantMoves, "reactivate", before.status);
  tx.wake("orders.hold_suspended", tx.now);
  return saveMerchant(tx, { ...before, status, suspended_at: null });
}

/** What of a merchant is still there: asked in the transaction that closes it, and before it of the test world. */
export interface Leftovers {
  readonly test: Left;
  readonly live: (tx: Tx, merchant: Merchant) => Promise<Left>;
}

/**
 * Closes a merchant for good. Nothing of it may be left in either world, and a house keeps one.
 * Refuses: resource_missing, invalid_state_transition, merchant_not_empty.
 */
export async function closeMerchant(tx: Tx, id: string, left: Leftovers): Promise<Merchant> {
  // Two that are closed at the same moment would leave none.
  await takeTurn(tx, "merchants.close");
  const before = await lockMerchantAlone(tx, id);
  const status = move(merchantMoves, "close", before.status);
  const others = (await listMerchants(tx)).filter((one) => one.id !== before.id && !isClosed(one.status));
  if (others.length === 0) {
    throw new Fault("invalid_state_transition", "This is the only merchant: a house has one at least.", {
      from: before.status,
      action: "close",
      allowed_actions: [],
    });
  }
  refuseLeft(before, "live", await left.live(tx, before));
  refuseLeft(before, "test", left.test);
  return saveMerchant(tx, { ...before, status, closed_at: tx.now });
}

/** Gives the first merchant, which comes with the database, its moments, at the first start. */
export async function ensureMerchant(tx: Tx): Promise<void> {
  if (!(await areDated(tx))) await dateMerchants(tx);
}

/** Puts the live world's merchants down in the test world, where they are missing or not the same. */
export async function putMerchants(tx: Tx, merchants: readonly Merchant[]): Promise<void> {
  for (const merchant of merchants) await putMerchant(tx, merchant);
  tx.wake("orders.hold_suspended", tx.now);
}
