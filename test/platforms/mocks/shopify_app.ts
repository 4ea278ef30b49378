// An app of Shopify's Dev Dashboard: it gets access tokens for its id and secret.
import type { Answered, Asked } from "../../outbound/mock_server.ts";

const order_scopes = [
  "read_orders",
  "read_products",
  "read_merchant_managed_fulfillment_orders",
  "write_merchant_managed_fulfillment_orders",
];

/** An app that is installed in one store. */
export function shopifyApp() {
  let [issued, revoked] = [0, 0];
  const app = {
    client_id: "0123456789abcdef0123456789abcdef",
    client_secret: "hush-hush",
    /** The lifetime of its tokens, in seconds. */
    lifetime: 86_399,
    scopes: order_scopes,
    /** Its webhooks. */
    webhooks: [] as { topic: string; uri: string }[],
    /** Creates a webhook, unless there is an equal one. */
    subscribe({ topic, webhookSubscription: { uri } }: { topic: string; webhookSubscription: { uri: string } }) {
      if (app.webhooks.some((one) => one.topic === topic && one.uri === uri)) {
        const message = "Address for this topic has already been taken";
        return { webhookSubscription: null, userErrors: [{ field: ["webhookSubscription"], message }] };
      }
      app.webhooks.push({ topic, uri });
      return {
        webhookSubscription: { id: `gid://shopify/WebhookSubscription/${app.webhooks.length}` },
        userErrors: [],
      };
    },
    /** Why no token is issued. */
    refusal: null as Answered | null,
    /** The number of tokens issued so far. */
    issued: () => issued,
    /** Makes the tokens issued so far invalid. */
    revoke: () => {
      revoked = issued;
    },
    /** Whether a token was issued and is still valid. */
    accepts: (token: string | undefined) => Number(/^shpca_issued_(\d+)$/.exec(token ?? "")?.[1] ?? 0) > revoked,
    /** Answers a request for a token. */
    answer({ method, headers, body }: Asked): Answered {
      if (method !== "POST" || headers["content-type"] !== "application/x-www-form-urlencoded") return { status: 404 };
      const sent = Object.fromEntries(new URLSearchParams(body));
      const { client_id, client_secret } = app;
      if (!Bun.deepEquals(sent, { grant_type: "client_credentials", client_id, client_secret })) {
        return { status: 400, body: "<title>Oauth error invalid_client: wrong client_id or client_secret</title>" };
      }
      if (app.refusal !== null) return app.refusal;
      issued += 1;
      const scope = app.scopes.join(",");
      return { status: 200, body: { access_token: `shpca_issued_${issued}`, scope, expires_in: app.lifetime } };
    },
  };
  return app;
}
