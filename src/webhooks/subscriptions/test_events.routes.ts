import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import type { DomainEvent, EventType } from "../../events/event_types.ts";
import type { Call } from "../../http/call.ts";
import { writeFor } from "../../http/response.ts";
import { routes, write } from "../../http/routes.ts";
import type { Service } from "../../http/service.ts";
import { main_merchant } from "../../storage/tenant.ts";
import { attemptStatus, deliveryHeaders } from "../deliveries/attempt.ts";
import type { FinishedAttempt } from "../deliveries/delivery_claim.ts";
import { attempt } from "../deliveries/send_delivery.ts";
import { beginTest, endTest } from "./send_test_event.ts";
import { SendTest, TestView } from "./subscriptions.schema.ts";

/** Test events, sent on request. */
export const testEventRoutes = (service: Service) =>
  routes("Webhooks", [
    write("POST", "/webhooks/:id/test", "webhooks.manage", {
      id: "testWebhook",
      summary: "Send a test event and wait for the response",
      description:
        "Sends one event with example data, signed as usual and with the header `X-Webhook-Test: true`, even if the" +
        " subscription is paused. It is tried once, does not count as a failure of the receiver, and appears in the" +
        " log. At most ten per minute and subscription.",
      body: SendTest,
      view: TestView,
      long: true,
      prepare: ({ call, params, body }) => sendTest(call, params.id, exampleOf(body), service),
      act: async (_, { prepared }) => testView(prepared),
    }),
  ]);

/** Sends an event once, and returns the attempt. */
async function sendTest(call: Call, id: string, event: DomainEvent, service: Service): Promise<FinishedAttempt> {
  const { store } = call;
  const claim = await writeFor(call, (tx) => beginTest(tx, id, event));
  const finished = await attempt(claim, store, service, true);
  // The attempt is recorded even if the key was revoked meanwhile.
  await store.write((tx) => endTest(tx, finished));
  return finished;
}

function exampleOf({ event, event_type }: SendTest): DomainEvent {
  if (event !== undefined && event_type !== undefined && event !== event_type) {
    throw invalid("event_type", "differs from event, which is another name of this field");
  }
  const type: EventType | undefined = event ?? event_type;
  if (type === undefined) throw invalid("event", "is required", "required");
  const { eventDescriptions } =
    require("../event_descriptions.schema.ts") as typeof import("../event_descriptions.schema.ts");
  const { example, previous_example } = eventDescriptions[type];
  return { type, merchant_id: main_merchant, data: example, previous: previous_example };
}

function testView({ claim, signatures, result }: FinishedAttempt) {
  const { delivery, subscription, body } = claim;
  const { event_id, event_type } = delivery;
  const { status_code, headers: answered, truncated, error, duration_ms } = result;
  const subscription_id = wireId("subscription", subscription.id);
  const headers = deliveryHeaders({ event_id, event_type, test: true, ...signatures, subscription_id, attempt: 1 });
  return {
    delivery_id: wireId("delivery", delivery.id),
    event_id,
    event_type,
    status: attemptStatus(result),
    request: { url: subscription.url, headers, body },
    response: status_code === null ? null : { status_code, headers: answered, body_excerpt: result.body, truncated },
    error,
    duration_ms,
  };
}
