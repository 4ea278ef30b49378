import { takeTurn } from "../../database/lease.ts";
import type { Db, Tx } from "../../database/store.ts";
import { Fault } from "../../kit/fault.ts";
import { sameText } from "../../kit/hmac.ts";
import { wireId } from "../../kit/ids.ts";
import { setPassword } from "../changes/commands.ts";
import { createUser } from "../commands.ts";
import { hashOf, tokenOf } from "../sessions/session.ts";
import { hasUsers, type NewUser } from "../store.ts";
import type { User } from "../user.ts";
import { deleteLinks, insertLink, listLinks, type OneTimeLink } from "./store.ts";

const good_ms = 24 * 3_600_000;

/** Creates a link and answers its secret, of which only the hash is stored. `random` is 32 random bytes. */
export async function makeLink(tx: Tx, purpose: OneTimeLink["purpose"], user_id: number | null, random: Uint8Array) {
  const token = tokenOf(random);
  const times = { created_at: tx.now, expires_at: tx.now + good_ms };
  // Only the newest link to reset a password is valid; links of the first user all stay valid.
  if (purpose === "reset") await deleteLinks(tx, purpose, user_id);
  await insertLink(tx, { hash: hashOf(token), purpose, user_id, ...times });
  return token;
}

/** The link that holds this. Refuses: invalid_link. */
export async function getLink(db: Db, purpose: OneTimeLink["purpose"], token: string): Promise<OneTimeLink> {
  const hash = hashOf(token);
  const [link] = (await listLinks(db, purpose)).filter((one) => sameText(one.hash, hash));
  if (link === undefined || (purpose === "setup" && (await hasUsers(db)))) {
    throw new Fault("invalid_link", "This link is no longer valid: it was used, or is older than a day.");
  }
  return link;
}

/** Makes the first user, an owner, by the link that the first start prints. Refuses: invalid_link, duplicate_email. */
export async function createFirstUser(tx: Tx, token: string, input: Omit<NewUser, "role">): Promise<User> {
  // Of two who hold a link at the same moment the second one finds a user.
  await takeTurn(tx, "users.change");
  await getLink(tx, "setup", token);
  const user = await createUser(tx, { ...input, role: "owner" });
  await deleteLinks(tx, "setup", null);
  return user;
}

/** Gives a user the password that he chose by a link. Refuses: invalid_link, resource_missing. */
export async function resetPassword(tx: Tx, token: string, password_hash: string): Promise<User> {
  const { user_id } = await getLink(tx, "reset", token);
  const user = await setPassword(tx, wireId("user", user_id ?? 0), password_hash, null);
  await deleteLinks(tx, "reset", user_id);
  return user;
}
