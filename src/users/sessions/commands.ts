import type { Tx } from "../../database/store.ts";
import { noteSignIn } from "../store.ts";
import { hashOf, type Session, session_ms, tokenOf } from "./session.ts";
import { deleteExpiredSessions, endSessionCalled, insertSession } from "./store.ts";

/** The client that signs in. */
interface Origin {
  readonly ip: string | null;
  readonly user_agent: string | null;
  /** The token of the browser's session until now, which ends. */
  readonly previous: string | null;
}

/**
 * Begins a session. Its token is always new, whatever the browser sent. `random` is 32 random bytes.
 */
export async function beginSession(
  tx: Tx,
  user_id: number,
  { ip, user_agent, previous }: Origin,
  random: Uint8Array,
): Promise<{ session: Session; token: string }> {
  const token = tokenOf(random);
  if (previous !== null) await endSessionCalled(tx, hashOf(previous));
  await deleteExpiredSessions(tx);
  await noteSignIn(tx, user_id);
  const times = { created_at: tx.now, last_seen_at: tx.now, expires_at: tx.now + session_ms };
  return { token, session: await insertSession(tx, { user_id, hash: hashOf(token), ip, user_agent, ...times }) };
}
