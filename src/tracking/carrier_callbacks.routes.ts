// Callbacks of carriers. They have no API key: the callback URL names the account, and the signature proves the
// sender.
import { Fault } from "../core/faults.ts";
import { networkOf } from "../core/ip_addresses.ts";
import { type RateLimit, rateCounter } from "../http/auth/rate_limits.ts";
import type { Call } from "../http/call.ts";
import { bare } from "../http/envelope.ts";
import { answerWrite } from "../http/response.ts";
import { respond, routes } from "../http/routes.ts";
import { clientOf, type Service } from "../http/service.ts";
import { partyTime } from "../outbound/caller.ts";
import { type CarrierAccount, callbackSecretsOf } from "../shipping/carriers/account.ts";
import { findAccountByKey } from "../shipping/carriers/accounts.sql.ts";
import type { OutsideCarrier } from "../shipping/carriers/connector.ts";
import { outsideCarriersOf } from "../shipping/carriers/connectors.ts";
import type { TrackingUpdate } from "../shipping/carriers/tracking_update.ts";
import type { Store } from "../storage/database.ts";
import { takeCallback } from "./carrier_callbacks.ts";
import { AnyCallback, CallbackView } from "./tracking.schema.ts";

/** The rate limit of one client address. Carriers send updates of many parcels at once. */
const callback_rate: RateLimit = { per_minute: 1200, burst: 1200 };

/** The route that carriers call. */
export const callbackRoutes = (service: Service) => {
  const count = rateCounter(callback_rate);
  return routes("Webhooks", [
    respond("POST", "/webhooks/carriers/:connector", "none", {
      id: "carrierCallback",
      summary: "Receive a tracking callback from a carrier",
      description:
        "For carriers, which call the `callback_url` of a carrier account and sign the body with its callback" +
        " secret. The updates are recorded as scans, with their events. Repeated callbacks change nothing. Updates" +
        " of unknown numbers are stored, by default for 90 days, and applied as soon as the number is known.",
      refuses: ["invalid_signature", "rate_limited"],
      sends: "notification",
      body: AnyCallback,
      answers: { 200: CallbackView },
      answer: ({ call, params }) => {
        const retry_after_seconds = count(
          networkOf(clientOf(service, call.request) ?? "unknown"),
          call.store.clock.now(),
        );
        if (retry_after_seconds > 0) {
          throw new Fault("rate_limited", "Too many callbacks from this address. Try again later.", {
            retry_after_seconds,
          });
        }
        return take(call, service, params.connector);
      },
    }),
  ]);
};

const unsigned = () =>
  new Fault("invalid_signature", "The callback is not signed with the callback secret of a carrier account.");

async function take(call: Call, service: Service, code: string): Promise<Response> {
  const url = new URL(call.request.url);
  const key = url.searchParams.get("account") ?? "";
  const store = key.startsWith("test_") ? service.stores.test : service.stores.live;
  const account = await store.read((db) => findAccountByKey(db, key));
  const connectors = outsideCarriersOf(service);
  const connector = Object.hasOwn(connectors, code) ? connectors[code] : undefined;
  if (account === null || account.connector !== code || connector === undefined) throw unsigned();
  const raw = new TextEncoder().encode(call.raw_body);
  const secrets = callbackSecretsOf(account, service.secret_key, store.clock.now());
  const { event_id, updates } = readSigned(connector, secrets, { headers: call.request.headers, url, raw }, store);
  const callback = { account, event_id: event_id ?? digestOf(raw), updates };
  const callback_call = { ...call, store, actor: actorOf(account) };
  return answerWrite(
    callback_call,
    200,
    async (tx) => ({ success: true, ...(await takeCallback(tx, callback)) }),
    bare,
  );
}

const actorOf = ({ connector, name }: CarrierAccount) =>
  ({ type: "carrier", id: connector, name, request_id: null }) as const;

interface CallbackContent {
  readonly event_id: string | null;
  readonly updates: readonly TrackingUpdate[];
}

/** Reads a callback that is signed with one of the secrets. */
function readSigned(
  { readCallback }: OutsideCarrier,
  secrets: readonly string[],
  inbound: { readonly headers: Headers; readonly url: URL; readonly raw: Uint8Array },
  store: Store,
): CallbackContent {
  if (readCallback === undefined) throw unsigned();
  const now = partyTime(store);
  for (const secret of secrets) {
    try {
      return readCallback(inbound, secret, now);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "invalid_signature") throw error;
    }
  }
  throw unsigned();
}

const digestOf = (raw: Uint8Array) => new Bun.CryptoHasher("sha256").update(raw).digest("hex");
