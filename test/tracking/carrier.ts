// A mock carrier that reports on parcels as a test tells it, in responses and callbacks.
import { createHmac } from "node:crypto";
import { Fault } from "../../src/core/faults.ts";
import type { OutsideCarrier } from "../../src/shipping/carriers/connector.ts";
import type { TrackingEventStatus } from "../../src/shipping/carriers/tracking.transitions.ts";
import type { CarrierEvent, TrackingUpdate } from "../../src/shipping/carriers/tracking_update.ts";
import type { TestApp } from "../build/service.ts";

/** A scan in such a carrier's report. */
export function scanOf(
  status: TrackingEventStatus,
  occurred_at: number,
  more: Partial<CarrierEvent> = {},
): CarrierEvent {
  return {
    source_event_id: null,
    status,
    occurred_at,
    message: null,
    location: null,
    signed_by: null,
    carrier_status: status.toUpperCase(),
    carrier_code: null,
    status_detail: null,
    reason: null,
    ...more,
  };
}

/** Such a carrier's report on a number. */
export function told(
  tracking_number: string,
  events: readonly CarrierEvent[],
  more: Partial<TrackingUpdate> = {},
): TrackingUpdate {
  return { tracking_number, carrier: "swift", service: null, estimated_delivery: null, events, ...more };
}

/** A call to the carrier. */
interface Question {
  readonly what: "follow" | "track";
  readonly numbers: readonly string[];
}

/** A connector `teller` whose carrier sells as `swift`. It signs with HMAC-SHA256 in `x-signature`. */
export function tellingCarrier() {
  const carrier = {
    asked: [] as Question[],
    answer: async (_: Question): Promise<readonly TrackingUpdate[]> => [],
    connector: null as unknown as OutsideCarrier,
  };
  const ask = (question: Question) => {
    carrier.asked.push(question);
    return carrier.answer(question);
  };
  carrier.connector = {
    calls: "outside",
    code: "teller",
    name: "Teller",
    capabilities: new Set(["tracking", "webhook"] as const),
    credentials: [{ name: "api_key", secret: true, required: true, description: "Any." }],
    check: async () => [{ code: "swift", name: "Swift", services: [] }],
    offers: async () => ({ offers: [], messages: [] }),
    buy: async () => ({ state: "not_bought" }),
    find: async () => ({ state: "not_bought" }),
    follow: async ({ tracking_number }) => {
      const [update] = await ask({ what: "follow", numbers: [tracking_number] });
      return update ?? told(tracking_number, []);
    },
    track: (numbers) => ask({ what: "track", numbers: numbers.map(({ tracking_number }) => tracking_number) }),
    readCallback: ({ headers, raw }, secret) => {
      const signature = createHmac("sha256", secret).update(raw).digest("hex");
      if (headers.get("x-signature") !== signature) throw new Fault("invalid_signature", "The signature is wrong.");
      return JSON.parse(new TextDecoder().decode(raw));
    },
  } satisfies OutsideCarrier;
  return carrier;
}

/** An account of such a carrier, with its callback secret and a function that sends callbacks. */
export async function addTeller(app: TestApp, key = app.keys.live.full) {
  const post = (path: string, body: unknown = {}) => app.call("POST", path, body, { key });
  const made = await post("/shipping/carrier_accounts", {
    connector: "teller",
    credentials: { api_key: crypto.randomUUID() },
  });
  const { id, callback_url, callback_secret: secret } = made.body.data;
  await post(`/shipping/carrier_accounts/${id}/test`);
  const { pathname, search } = new URL(callback_url, "http://packhouse.test");
  const path = pathname.replace(/^\/v1/, "") + search;
  const callBack = (
    updates: readonly TrackingUpdate[],
    { event_id = null as string | null, signed_by = secret as string } = {},
  ) => {
    const body = JSON.stringify({ event_id, updates });
    const signature = createHmac("sha256", signed_by).update(body).digest("hex");
    return app.call("POST", path, body, { key: null, headers: { "x-signature": signature } });
  };
  return { id: id as string, number: Number(`${id}`.replace("cac_", "")), path, secret: secret as string, callBack };
}
