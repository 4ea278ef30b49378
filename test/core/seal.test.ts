import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { open, readSealingKey, seal } from "../../src/core/crypto.ts";

const key = Buffer.alloc(32, 7);
const purpose = "webhook secret";

describe("a sealed text", () => {
  test("opens to the original text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, use) => {
        expect(open(seal(text, key, use), key, use)).toBe(text);
      }),
    );
  });

  test("differs each time and does not reveal its content", () => {
    const sealed = seal("whsec_canary", key, purpose);
    expect(sealed).not.toBe(seal("whsec_canary", key, purpose));
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(sealed.slice(3), "base64url").toString("latin1")).not.toContain("canary");
  });

  test("does not open with another key or for another purpose", () => {
    const sealed = seal("whsec_canary", key, purpose);
    expect(open(sealed, Buffer.alloc(32, 8), purpose)).toBeNull();
    expect(open(sealed, key, "idempotency answer")).toBeNull();
  });

  test("does not open if any byte has changed", () => {
    const bytes = Buffer.from(seal("whsec_canary", key, purpose).slice(3), "base64url");
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(open(`v1.${changed.toString("base64url")}`, key, purpose)).toBeNull();
    }
  });

  test.each(["", "v1.", "v1.AAAA", "v2.AAAA", "whsec_canary", "v1.!!!"])("is not %p", (text) => {
    expect(open(text, key, purpose)).toBeNull();
  });
});

describe("a sealing key", () => {
  test("is read from hexadecimal and from every common form of base64", () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at));
    const forms = [bytes.toString("hex"), bytes.toString("hex").toUpperCase(), bytes.toString("base64")];
    for (const form of [...forms, bytes.toString("base64url"), bytes.toString("base64").replaceAll("=", "")]) {
      expect(readSealingKey(form)).toEqual(bytes);
    }
  });

  test.each(["", "secret", "00".repeat(31), "00".repeat(33), "A".repeat(42), "A".repeat(44), `${"A".repeat(42)}B=`])(
    "is not %p",
    (text) => {
      expect(readSealingKey(text)).toBeNull();
    },
  );
});
