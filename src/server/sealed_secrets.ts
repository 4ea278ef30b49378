// Finds stored secrets that a key cannot decrypt.
import { open } from "../core/crypto.ts";
import { wireId } from "../core/ids.ts";
import { second_factor_purpose } from "../identity/sessions/second_factor.ts";
import { listSecondFactors } from "../identity/sessions/second_factors.sql.ts";
import { invitation_purpose } from "../identity/users/invitation.ts";
import { listSealedInvitations } from "../identity/users/invitations.sql.ts";
import { secret_purpose as platform_purpose } from "../platforms/connection.ts";
import { connectionList } from "../platforms/connections.sql.ts";
import { secret_purpose as carrier_purpose } from "../shipping/carriers/account.ts";
import { accountList } from "../shipping/carriers/accounts.sql.ts";
import type { Db } from "../storage/database.ts";
import { secret_purpose as webhook_purpose } from "../webhooks/subscriptions/subscription.ts";
import { subscriptionList } from "../webhooks/subscriptions/subscriptions.sql.ts";

const all = { limit: 1_000_000 };

/** The records with a secret that `key` cannot decrypt, and what to do about each, one line a record. */
export async function unreadableSecrets(db: Db, key: Uint8Array): Promise<string[]> {
  const isUnreadable = (sealed: string | null, use: string) => sealed !== null && open(sealed, key, use) === null;
  const webhooks = (await subscriptionList.rows(db, {}, all))
    .filter(({ secret }) => isUnreadable(secret, webhook_purpose))
    .map(({ id }) => `webhook ${wireId("subscription", id)}: create a new secret with POST …/rotate_secret`);
  const platforms = (await connectionList.rows(db, {}, all))
    .filter((it) =>
      [it.api_key, it.api_token, it.client_secret].some((secret) => isUnreadable(secret, platform_purpose)),
    )
    .map(({ id }) => `platform ${wireId("connection", id)}: enter its secrets again with PATCH`);
  const carriers = (await accountList.rows(db, {}, all))
    .filter((it) => [it.credentials, it.callback_secret].some((secret) => isUnreadable(secret, carrier_purpose)))
    .map(({ id }) => `carrier account ${wireId("carrier_account", id)}: enter its credentials again with PATCH`);
  const factors = (await listSecondFactors(db))
    .filter(({ secret }) => isUnreadable(secret, second_factor_purpose))
    .map(
      ({ user_id }) =>
        `user ${wireId("user", user_id)}: must sign in with a recovery code and set up two-factor authentication again`,
    );
  const invitations = (await listSealedInvitations(db))
    .filter(({ mail_link }) => isUnreadable(mail_link, invitation_purpose))
    .map(({ id }) => `invitation ${wireId("invitation", id)}: send it again with POST …/resend`);
  return [...webhooks, ...platforms, ...carriers, ...factors, ...invitations];
}
