import type { Db } from "./database/store.ts";
import { wireId } from "./kit/ids.ts";
import { open } from "./kit/seal.ts";
import { secret_purpose as platform_purpose } from "./platforms/connections/connection.ts";
import { listConnections } from "./platforms/connections/store.ts";
import { secret_purpose as carrier_purpose } from "./shipping/accounts/account.ts";
import { listAccounts } from "./shipping/accounts/store.ts";
import { invitation_purpose } from "./users/invitations/invitation.ts";
import { listSealedInvitations } from "./users/invitations/store.ts";
import { second_factor_purpose } from "./users/second_factor/factor.ts";
import { listSecondFactors } from "./users/second_factor/store.ts";
import { secret_purpose as webhook_purpose } from "./webhooks/subscriptions/secret.ts";
import { listSubscriptions } from "./webhooks/subscriptions/store.ts";

const all = { limit: 1_000_000, offset: 0, after: null };

/** What holds a secret that this key does not open, and what to do about it, a line each. */
export async function strangeSecrets(db: Db, key: Uint8Array): Promise<string[]> {
  const isStrange = (sealed: string | null, use: string) => sealed !== null && open(sealed, key, use) === null;
  const webhooks = (await listSubscriptions(db, all))
    .filter(({ secret }) => isStrange(secret, webhook_purpose))
    .map(({ id }) => `webhook ${wireId("subscription", id)}: give it another secret by POST …/rotate-secret`);
  const platforms = (await listConnections(db, all))
    .filter((it) => [it.api_key, it.api_token, it.client_secret].some((secret) => isStrange(secret, platform_purpose)))
    .map(({ id }) => `platform ${wireId("connection", id)}: give it its secrets anew by PATCH`);
  const carriers = (await listAccounts(db, all))
    .filter((it) => [it.credentials, it.callback_secret].some((secret) => isStrange(secret, carrier_purpose)))
    .map(({ id }) => `carrier account ${wireId("carrier_account", id)}: give it its credentials anew by PATCH`);
  const factors = (await listSecondFactors(db))
    .filter(({ secret }) => isStrange(secret, second_factor_purpose))
    .map(({ user_id }) => `user ${wireId("user", user_id)}: signs in with a recovery code, and sets up the app anew`);
  const invitations = (await listSealedInvitations(db))
    .filter(({ mail_link }) => isStrange(mail_link, invitation_purpose))
    .map(({ id }) => `invitation ${wireId("invitation", id)}: send it again by POST …/resend`);
  return [...webhooks, ...platforms, ...carriers, ...factors, ...invitations];
}
