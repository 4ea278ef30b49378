import { describe, expect, test } from "bun:test";
import { verify } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { systemClock } from "../../../src/core/clock.ts";
import { deliveryHeaders, type SignedAttempt } from "../../../src/webhooks/deliveries/attempt.ts";
import { bodySignature, type Signing, sign, timedSignature } from "../../../src/webhooks/deliveries/send_delivery.ts";
import { newSecret, secretProblem } from "../../../src/webhooks/subscriptions/subscription.ts";
import { tries } from "../../volume.ts";

const short_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const number_body = '{"test": 2432232314}';
const named_body =
  '{"id":"evt_1","type":"order.created","created_at":"2026-01-01T00:00:00.000Z",' +
  '"data":{"object":"order","name":"Zoë"}}';
const bigcommerce_secret = `whsec_${Buffer.from("bc-client-secret").toString("base64")}`;

const signing: Signing = {
  event_id: "evt_1",
  body: named_body,
  sent_at: 1_767_225_600_999,
  secret,
  previous_secret: null,
};

/** The headers of a signed attempt. */
const headersOf = (changes: Partial<Signing & SignedAttempt> = {}) =>
  deliveryHeaders({
    event_id: "evt_1",
    event_type: "order.created",
    subscription_id: "whk_3",
    attempt: 2,
    test: false,
    ...sign({ ...signing, ...changes }),
    ...changes,
  });

describe("known signatures", () => {
  test("the example body has 117 bytes", () => expect(Buffer.byteLength(named_body)).toBe(117));

  test.each([
    [short_secret, number_body, "80ec8a89ce3cd22133a1066caecb4d04fea7467657c8514d717ec42c38a5c94c"],
    [secret, named_body, "6a91f4aaa7fcfe7b2a59d8b0d51beea8b9e2101fc84aacc2c2071f1632e0cd93"],
    ["It's a Secret to Everybody", "Hello, World!", "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"],
  ])("%s over the body %s", (key, body, answer) => expect(bodySignature(key, body)).toBe(answer));

  test.each([
    [
      short_secret,
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1614265330,
      number_body,
      "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ],
    [secret, "evt_1", 1767225600, named_body, "btU4j9uYyIxQ2PkCKcpcDB+QkSRbBLAOZTopp84+OJ8="],
    [
      bigcommerce_secret,
      "msg_1",
      1767225600,
      '{"scope":"store/order/created"}',
      "OkpTnoi8QOQs6k5PA1msIPF7Ltue4nKoD9S7shofh60=",
    ],
  ])("%s over %s at %d", (key, id, time, body, answer) => {
    expect(timedSignature(key, id, time, body)).toBe(`v1,${answer}`);
  });
});

describe("the headers of a delivery", () => {
  test("are exactly these", () => {
    expect(headersOf()).toEqual({
      "Content-Type": "application/json",
      "User-Agent": "Packhouse-Webhooks/1",
      "X-Webhook-Signature": "6a91f4aaa7fcfe7b2a59d8b0d51beea8b9e2101fc84aacc2c2071f1632e0cd93",
      "X-Packhouse-Signature": "6a91f4aaa7fcfe7b2a59d8b0d51beea8b9e2101fc84aacc2c2071f1632e0cd93",
      "webhook-id": "evt_1",
      "webhook-timestamp": "1767225600",
      "webhook-signature": "v1,btU4j9uYyIxQ2PkCKcpcDB+QkSRbBLAOZTopp84+OJ8=",
      "X-Webhook-Event": "order.created",
      "X-Webhook-Attempt": "2",
      "X-Webhook-Subscription": "whk_3",
    });
  });

  test("mark a test event", () => {
    expect(headersOf({ test: true })).toHaveProperty("X-Webhook-Test", "true");
  });

  test("carry signatures of both secrets during a rotation, with the new one in the single-valued headers", () => {
    const headers = headersOf({ previous_secret: short_secret });
    expect(headers["X-Webhook-Signature"]).toBe(bodySignature(secret, named_body));
    expect(headers["X-Webhook-Signature-Previous"]).toBe(bodySignature(short_secret, named_body));
    const signatures = [secret, short_secret].map((key) => timedSignature(key, "evt_1", 1767225600, named_body));
    expect(headers["webhook-signature"]).toBe(signatures.join(" "));
  });

  test("satisfy two independent verifiers with either secret, for any body", async () => {
    const sent_at = systemClock().now();
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.string({ unit: "grapheme" }), async (value, name) => {
        const body = JSON.stringify({ value, name });
        const headers = headersOf({ body, sent_at, previous_secret: short_secret });
        for (const key of [secret, short_secret]) new Webhook(key).verify(body, headers);
        expect(await verify(secret, body, `sha256=${headers["X-Packhouse-Signature"]}`)).toBe(true);
        expect(await verify(short_secret, body, `sha256=${headers["X-Webhook-Signature-Previous"]}`)).toBe(true);
        expect(await verify(short_secret, body, `sha256=${headers["X-Webhook-Signature"]}`)).toBe(false);
      }),
      tries(50),
    );
  });
});

describe("a secret", () => {
  test("consists of 32 random bytes", () => {
    const random = Uint8Array.from({ length: 32 }, (_, at) => at);
    expect(newSecret(random)).toBe(secret);
    expect(secretProblem(newSecret(random))).toBeNull();
    expect(() => newSecret(random.subarray(1))).toThrow("32 random bytes");
  });

  test.each([24, 32, 64])("of %d bytes can be supplied", (bytes) => {
    expect(secretProblem(`whsec_${Buffer.alloc(bytes, 255).toString("base64")}`)).toBeNull();
  });

  test.each([
    ["", "must start with whsec_"],
    [secret.slice(6), "must start with whsec_"],
    ["whsec_", "must encode 24 to 64 bytes"],
    [`whsec_${Buffer.alloc(23).toString("base64")}`, "must encode 24 to 64 bytes"],
    [`whsec_${Buffer.alloc(65).toString("base64")}`, "must encode 24 to 64 bytes"],
    [secret.replace("=", ""), "must be padded base64 after whsec_"],
    [`whsec_${Buffer.alloc(32, 255).toString("base64url")}`, "must be padded base64 after whsec_"],
    [`${secret} `, "must be padded base64 after whsec_"],
  ])("cannot be %p", (text, problem) => expect(secretProblem(text)).toBe(problem));
});
