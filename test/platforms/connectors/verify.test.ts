// Proof of a notification's sender: known signatures, signatures by other libraries, and forgeries.
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { minute_ms } from "../../../src/core/time.ts";
import { connectors } from "../../../src/platforms/connectors/connectors.ts";
import type { PlatformCredentials } from "../../../src/platforms/platform.ts";
import { at, inbound } from "./access.ts";

const secrets = (...client_secrets: string[]): PlatformCredentials => ({
  api_key: null,
  client_id: null,
  api_token: null,
  client_secrets,
});
const { bigcommerce, shopify, woocommerce } = connectors;

describe("known signatures", () => {
  const body = '{"id":1}';
  const signature = "VnKUjZsLuN5iZWjn5EntcBVCF9kMN43LglzCE1/GSeY=";

  test("of Shopify and WooCommerce", () => {
    const of = (name: string) => inbound({ body, headers: { [name]: signature } });
    expect(shopify.verify(of("X-Shopify-Hmac-SHA256"), secrets("hush"), at)).toBe(true);
    expect(woocommerce.verify(of("X-WC-Webhook-Signature"), secrets("hush"), at)).toBe(true);
    expect(shopify.verify(of("X-WC-Webhook-Signature"), secrets("hush"), at)).toBe(false);
    expect(woocommerce.verify(of("X-Shopify-Hmac-SHA256"), secrets("hush"), at)).toBe(false);
  });

  test("of BigCommerce", () => {
    const request = inbound({
      body: '{"scope":"store/order/created"}',
      headers: {
        "webhook-id": "msg_1",
        "webhook-timestamp": "1767225600",
        "webhook-signature": "v1,OkpTnoi8QOQs6k5PA1msIPF7Ltue4nKoD9S7shofh60=",
      },
    });
    expect(bigcommerce.verify(request, secrets("bc-client-secret"), 1_767_225_600_000)).toBe(true);
    expect(bigcommerce.verify(request, secrets("bc-client-secreT"), 1_767_225_600_000)).toBe(false);
  });
});

describe("Shopify and WooCommerce", () => {
  const names = { shopify: "X-Shopify-Hmac-SHA256", woocommerce: "X-WC-Webhook-Signature" } as const;
  const base64 = (secret: string, body: string) => createHmac("sha256", secret).update(body).digest("base64");

  test.each(["shopify", "woocommerce"] as const)("%s: the raw bytes count, with any of the secrets", (platform) => {
    const { verify } = connectors[platform];
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), (text, secret) => {
        const body = JSON.stringify({ text });
        const request = inbound({ body, headers: { [names[platform]]: base64(secret, body) } });
        expect(verify(request, secrets(secret), at)).toBe(true);
        expect(verify(request, secrets("newer", secret), at)).toBe(true);
        expect(verify(request, secrets(`${secret}x`), at)).toBe(false);
        expect(verify({ ...request, raw: `${body} ` }, secrets(secret), at)).toBe(false);
      }),
    );
  });

  test.each(["shopify", "woocommerce"] as const)("%s: a secret and a signature are required", (platform) => {
    const { verify } = connectors[platform];
    const signed = inbound({ body: "{}", headers: { [names[platform]]: base64("hush", "{}") } });
    const empty = inbound({ body: "{}", headers: { [names[platform]]: base64("", "{}") } });
    expect(verify(signed, secrets(), at)).toBe(false);
    expect(verify(empty, secrets(), at)).toBe(false);
    for (const value of ["", "junk", base64("hush", "{}").slice(0, -1), `${base64("hush", "{}")},x`]) {
      expect(verify(inbound({ body: "{}", headers: { [names[platform]]: value } }), secrets("hush"), at)).toBe(false);
    }
    expect(verify(inbound({ body: "{}", headers: {} }), secrets("hush"), at)).toBe(false);
  });
});

describe("BigCommerce", () => {
  const secret = "a client secret of any bytes ü";
  const signer = new Webhook(Buffer.from(secret).toString("base64"));
  const signed = (sent: number, body = '{"scope":"store/order/created"}', id = "msg_7") => ({
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(sent / 1000)),
      "webhook-signature": signer.sign(id, new Date(sent), body),
    } as Record<string, string>,
  });

  test("a Standard Webhooks signature is accepted for five minutes, before and after", () => {
    for (const [late_ms, passes] of [
      ...([
        [0, true],
        [5 * minute_ms, true],
        [-5 * minute_ms, true],
      ] as const),
      ...([
        [5 * minute_ms + 1000, false],
        [-5 * minute_ms - 1000, false],
        [72 * 60 * minute_ms, false],
      ] as const),
    ]) {
      expect([late_ms, bigcommerce.verify(inbound(signed(at)), secrets(secret), at + late_ms)]).toEqual([
        late_ms,
        passes,
      ]);
    }
  });

  test("one valid signature among several is enough, with the old secret too", () => {
    const { body, headers } = signed(at);
    const both = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]} v2,x` };
    expect(bigcommerce.verify(inbound({ body, headers: both }), secrets("new", secret), at)).toBe(true);
  });

  test("any change is refused", () => {
    const { body, headers } = signed(at);
    const seconds = Math.floor(at / 1000);
    const passes = (changed: Record<string, string | null>, raw = body) => {
      const left = Object.entries({ ...headers, ...changed }).filter(([, value]) => value !== null);
      return bigcommerce.verify(
        inbound({ body: raw, headers: Object.fromEntries(left) as never }),
        secrets(secret),
        at,
      );
    };
    expect(passes({})).toBe(true);
    expect(passes({}, `${body}\n`)).toBe(false);
    for (const changed of [
      { "webhook-id": "msg_8" },
      { "webhook-id": null },
      { "webhook-timestamp": String(seconds + 1) },
      { "webhook-timestamp": `${seconds}.0` },
      { "webhook-timestamp": "" },
      { "webhook-timestamp": null },
      { "webhook-signature": null },
      { "webhook-signature": "" },
      { "webhook-signature": headers["webhook-signature"]?.slice(3) ?? "" },
      { "webhook-signature": headers["webhook-signature"]?.replace("v1,", "v2,") ?? "" },
    ]) {
      expect([changed, passes(changed)]).toEqual([changed, false]);
    }
  });

  test("without a client secret the API key is the proof", () => {
    expect(bigcommerce.verify(inbound({ body: "{}", headers: {} }), secrets(), at)).toBe(true);
  });
});
