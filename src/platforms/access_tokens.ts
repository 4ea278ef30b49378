// Access tokens that a platform issues for a day. They are stored, and one server at a time renews them.

import { Fault } from "../core/faults.ts";
import { second_ms } from "../core/time.ts";
import type { Service } from "../http/service.ts";
import { partyTime } from "../outbound/caller.ts";
import type { Store, Tx } from "../storage/database.ts";
import {
  type ConnectionState,
  type IssuedToken,
  isTokenClaimed,
  storedToken,
  token_claim_ms,
  withToken,
} from "./connection_state.ts";
import { findState, lockState, saveState } from "./connection_states.sql.ts";
import { requeueFailures } from "./connections.ts";
import type { TokenSource } from "./connectors/connector.ts";
import type { StoreConnection } from "./platform.ts";

const poll_ms = 200;
const wait_ms = 30 * second_ms;

/**
 * Returns the source of a connection's access tokens. A token is renewed long before it expires, or when the platform
 * refuses it. A valid one is used while another server renews it, or if it cannot be renewed yet.
 */
export function tokenSource({ id }: Pick<StoreConnection, "id">, store: Store, service: Service): TokenSource {
  const { secret_key } = service;
  return async (refused, request) => {
    const stored = (state: ConnectionState | null) => storedToken(state, refused, secret_key, partyTime(store));
    const known = stored(await store.read((db) => findState(db, id)));
    if (known?.is_due === false) return known.token;
    for (const until = performance.now() + wait_ms; performance.now() < until; await Bun.sleep(poll_ms)) {
      const claim = await store.write((tx) => claimToken(tx, id, stored, partyTime(store)));
      if (claim.token !== null) return claim.token;
      if (claim.until !== null) return renew(claim.until, known?.token ?? null, request);
    }
    const words = "Another server is still requesting an access token from the platform.";
    throw new Fault("platform_error", words, { permanent: false });
  };

  async function renew(claim: number, valid: string | null, request: () => Promise<IssuedToken>): Promise<string> {
    try {
      const issued = await request();
      await store.write((tx) => recordToken(tx, id, claim, withToken(issued, secret_key, partyTime(store))));
      return issued.token;
    } catch (error) {
      const words = error instanceof Fault ? error.message : "An internal error occurred.";
      const failed = { token_error: words, token_failed_at: partyTime(store), token_claimed_until: null };
      await store.write((tx) => recordToken(tx, id, claim, failed));
      if (valid !== null && error instanceof Fault) return valid;
      throw error;
    }
  }
}

/** A token to use, or until when this server may request one. Neither while another server requests one. */
interface TokenClaim {
  readonly token: string | null;
  readonly until: number | null;
}

async function claimToken(
  tx: Tx,
  connection_id: number,
  stored: (state: ConnectionState) => { readonly token: string; readonly is_due: boolean } | null,
  now: number,
): Promise<TokenClaim> {
  const state = await lockState(tx, connection_id);
  const known = stored(state);
  if (known !== null && (!known.is_due || isTokenClaimed(state, now))) return { token: known.token, until: null };
  if (isTokenClaimed(state, now)) return { token: null, until: null };
  const until = now + token_claim_ms;
  await saveState(tx, connection_id, { token_claimed_until: until });
  return { token: null, until };
}

/**
 * Records the result of a request for a token, unless the connection's secrets have changed or another server has taken
 * over. After a failure, a new token lets failed imports and reports be tried again.
 */
async function recordToken(
  tx: Tx,
  connection_id: number,
  claim: number,
  result: Partial<Omit<ConnectionState, "connection_id">>,
): Promise<void> {
  const state = await lockState(tx, connection_id);
  if (state.token_claimed_until !== claim) return;
  await saveState(tx, connection_id, result);
  if (result.token_error === null && state.token_error !== null) await requeueFailures(tx, connection_id);
}
