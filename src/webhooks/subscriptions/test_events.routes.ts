import { Elysia } from "elysia";
import { invalid } from "../../core/faults.ts";
import { wireId } from "../../core/ids.ts";
import { bodyOf } from "../../core/schema.ts";
import type { DomainEvent, EventType } from "../../events/event_types.ts";
import type { Call } from "../../http/call.ts";
import { conventions } from "../../http/conventions.ts";
import { EnvelopedView } from "../../http/envelope.ts";
import { answerLongWork, answerWrite, writeFor } from "../../http/response.ts";
import { documented } from "../../http/route.ts";
import type { Service } from "../../http/service.ts";
import { main_merchant } from "../../storage/tenant.ts";
import { attemptStatus, deliveryHeaders } from "../deliveries/attempt.ts";
import type { FinishedAttempt } from "../deliveries/delivery_claim.ts";
import { attempt } from "../deliveries/send_delivery.ts";
import { beginTest, endTest } from "./send_test_event.ts";
import { SendTest, TestView } from "./subscriptions.schema.ts";

/** Test events, sent on request. */
export const testEventRoutes = (service: Service) =>
  new Elysia({ prefix: "/webhooks" })
    .use(conventions)
    .post("/:id/test", ({ call, params, body }) => sendTest(call, params.id, body, service), {
      body: bodyOf(SendTest),
      detail: documented({
        id: "testWebhook",
        needs: "webhooks.manage",
        chapter: "Webhooks",
        summary: "Send a test event and wait for the answer",
        answers: { 200: EnvelopedView(TestView) },
      }),
    });

/** Sends the example of a type of event once, and answers the result. */
function sendTest(call: Call, id: string, body: SendTest, service: Service): Promise<Response> {
  const event = exampleOf(body);
  const { store } = call;
  return answerLongWork(call, async () => {
    const claim = await writeFor(call, (tx) => beginTest(tx, id, event));
    const finished = await attempt(claim, store, service, true);
    // The attempt is recorded even if the key was revoked meanwhile.
    await store.write((tx) => endTest(tx, finished));
    return answerWrite(call, 200, async () => testView(finished));
  });
}

function exampleOf({ event, event_type }: SendTest): DomainEvent {
  if (event !== undefined && event_type !== undefined && event !== event_type) {
    throw invalid("event_type", "differs from event, which is another name of the same field");
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
